/** Troubles of a database that last until they are lifted. Each may be lifted twice. */
import type { TroubleScene } from './trouble-scene.ts';

export interface Trouble {
  readonly name: string;
  /** What it is told as. */
  readonly error: RegExp;
  inflict(scene: TroubleScene): Promise<unknown>;
  /** How often the store has met it. */
  met(scene: TroubleScene): number;
  lift(scene: TroubleScene): Promise<unknown>;
  /** How often a statement is asked before that is trouble. */
  readonly tries?: number;
}

/** Every write of a run fails with this SQLSTATE, by a trigger. */
const raised = (code: string) => ({
  inflict: (scene: TroubleScene) => scene.query(triggerSql(scene.schema, code)),
  met: ({ proxy }: TroubleScene) => proxy.errors(code),
  lift: (scene: TroubleScene) => scene.query(`DROP TRIGGER IF EXISTS trouble ON ${scene.schema}.state`),
});

const triggerSql = (schema: string, code: string): string =>
  `CREATE OR REPLACE FUNCTION ${schema}.trouble() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = '${code}'; END $$;
   CREATE TRIGGER trouble BEFORE UPDATE ON ${schema}.state FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.trouble()`;

const END_CONNECTIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'jobs'`;

export const TROUBLES: readonly Trouble[] = [
  // A disk that is really full is one of the attacks. The server answers with this code then.
  { name: 'a full disk (53100)', error: /^StoreFullError$/, ...raised('53100') },
  {
    name: 'serialization failures without end (40001)',
    error: /^StoreFailedError$/,
    ...raised('40001'),
    tries: 6,
  },
  { name: 'deadlocks without end (40P01)', error: /^StoreFailedError$/, ...raised('40P01'), tries: 6 },
  {
    name: 'statements that take longer than statement_timeout allows (57014)',
    error: /^(StoreFailedError|PostgresUnreachableError)$/, // the limit is one of new connections
    async inflict(scene) {
      await scene.query(`ALTER ROLE jobs SET statement_timeout = '50ms'`);
      await scene.lock(`LOCK TABLE ${scene.schema}.state IN ACCESS EXCLUSIVE MODE`);
      await scene.query(END_CONNECTIONS);
    },
    met: ({ proxy }) => proxy.errors('57014'),
    async lift(scene) {
      await scene.query('ALTER ROLE jobs RESET statement_timeout');
      // Until the table is free again nothing ends the trouble, and no connection with the limit is left by then.
      await scene.query(END_CONNECTIONS);
      await scene.unlock();
    },
  },
  {
    name: 'too many connections (53300)',
    error: /^PostgresUnreachableError$/,
    inflict: (scene) => scene.query(`ALTER ROLE jobs CONNECTION LIMIT 0; ${END_CONNECTIONS}`),
    met: ({ proxy }) => proxy.errors('53300'),
    lift: (scene) => scene.query('ALTER ROLE jobs CONNECTION LIMIT -1'),
  },
  {
    name: 'a server that is read-only (25006)',
    error: /^PostgresUnfitError$/,
    async inflict(scene) {
      await scene.query('ALTER SYSTEM SET default_transaction_read_only = on');
      await scene.query('SELECT pg_reload_conf()');
    },
    met: ({ proxy }) => proxy.errors('25006'),
    async lift(scene) {
      await scene.query('ALTER SYSTEM RESET default_transaction_read_only');
      await scene.query('SELECT pg_reload_conf()');
    },
  },
  {
    name: 'a server that is shut down (57P01)',
    error: /^PostgresUnreachableError$/,
    inflict: ({ server }) => server.shutDown(),
    met: ({ proxy }) => proxy.connections,
    lift: ({ server }) => server.start(),
  },
  {
    name: 'a network that refuses connections',
    error: /^PostgresUnreachableError$/,
    async inflict({ proxy }) {
      proxy.isRefusing = true;
      proxy.cut();
    },
    met: ({ proxy }) => proxy.connections,
    async lift({ proxy }) {
      proxy.isRefusing = false;
    },
  },
];
