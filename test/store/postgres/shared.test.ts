/** The PostgreSQL store passes the suite that every shared store must pass, on a real server. */
import { after, before, describe, test } from 'node:test';
import { postgres } from '../../../src/store/postgres/store.ts';
import { sharedConformance } from '../shared-conformance.ts';
import { freshSchema, type Server, startServer } from './server.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

describe('conformance of postgres() as a shared store', () => {
  const checks = sharedConformance(async () => {
    const schema = freshSchema();
    return {
      connect: () => postgres(server.url, { schema }),
      // As another instance does that has seen the lease run out.
      declareDead: async (...ids) => {
        const dead = `(SELECT id FROM ${schema}.label WHERE label = ANY ($1::bytea[]))`;
        const labels = [ids.map((id) => Buffer.from(id))];
        await server.pool.query(
          `WITH gone AS (DELETE FROM ${schema}.member WHERE id IN ${dead} RETURNING id)
           UPDATE ${schema}.state SET run_cut_off_at = run_started_at WHERE run_instance IN (SELECT id FROM gone)`,
          labels,
        );
      },
      cleanup: async () => {
        await server.pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      },
    };
  });
  for (const { name, run } of checks) test(name, run);
});
