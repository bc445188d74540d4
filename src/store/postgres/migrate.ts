/** Brings the schema to the version that this code needs, or says why not. */
import { StoreVersionError } from '../errors.ts';
import type { Database } from './database.ts';
import type { Ask } from './driver.ts';
import { PostgresNotMigratedError, PostgresUnfitError } from './errors.ts';
import { MIGRATIONS } from './migrations.ts';
import { quotedSchema, unquotedSchema } from './target.ts';

/** The version that this code reads and writes. */
export const VERSION = MIGRATIONS.length;
/** Chosen once, by chance. A process that migrates holds it for the length of its transaction. */
const LOCK = 7_233_501_946;

/** The statements that make the schema, for a person to apply. `from` is the version that the database has. */
export function migrationSql(options: { readonly schema?: string; readonly from?: number } = {}): string {
  const { schema = 'obbligato', from = 0 } = options;
  if (!Number.isInteger(from) || from < 0 || from > VERSION)
    throw new RangeError(`from must be a version of the schema, from 0 (there is none) to ${VERSION}`);
  return [
    'BEGIN;',
    `SELECT pg_advisory_xact_lock(${LOCK});`,
    ...statementsFrom(quotedSchema(schema), from).map((statement) => `${statement};`),
    'COMMIT;',
    '',
  ].join('\n');
}

function statementsFrom(schema: string, from: number): string[] {
  const steps = MIGRATIONS.slice(from).map((step) => step.replaceAll('{schema}', schema));
  return [
    ...(from === 0 ? [`CREATE SCHEMA IF NOT EXISTS ${schema}`] : []),
    ...steps,
    `UPDATE ${schema}.meta SET version = ${VERSION}`,
  ];
}

/** The version of the schema; 0 if there is none. */
export async function versionOf(ask: Ask, schema: string): Promise<number> {
  // By the catalog itself: within a transaction a name is looked up in a cache that may not know of what others have just made.
  const [[exists]] = await ask(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1::text AND c.relname = 'meta')`,
    [unquotedSchema(schema)],
  );
  if (exists !== 't') return 0;
  const [row] = await ask(`SELECT version FROM ${schema}.meta`);
  return Number(row?.[0] ?? 0);
}

/** Resolves once the schema is the one that this code needs. */
export async function migrate(database: Database, schema: string, mayChange: boolean): Promise<void> {
  const path = database.location;
  const [[encoding, isStandby]] = await database.ask(
    `SELECT current_setting('server_encoding'), pg_is_in_recovery()`,
  );
  if (encoding !== 'UTF8') throw new PostgresUnfitError({ path, reason: `its encoding is ${encoding}` });
  if (isStandby === 't')
    throw new PostgresUnfitError({ path, reason: 'it is a standby, which is read-only' });
  if (checked(await versionOf(database.ask, schema), path) === VERSION) return;
  if (!mayChange)
    throw new PostgresNotMigratedError({
      path,
      found: await versionOf(database.ask, schema),
      needed: VERSION,
    });
  await database.transaction((ask) => migrateWithin(ask, schema, path));
}

/** The same within a transaction: whatever it makes, nobody else sees before its end. */
export async function migrateWithin(ask: Ask, schema: string, path: string): Promise<void> {
  await ask('SELECT pg_advisory_xact_lock($1::bigint)', [LOCK]);
  await ask(`SET LOCAL lock_timeout = '10s'`);
  // Somebody else may have done it while this one waited.
  const found = checked(await versionOf(ask, schema), path);
  if (found === VERSION) return;
  for (const statement of statementsFrom(schema, found))
    for (const part of statement.split(/;\n/)) await ask(part);
}

function checked(found: number, path: string): number {
  if (found > VERSION) throw new StoreVersionError({ path, found, supported: VERSION });
  return found;
}
