/** What can go wrong between a scheduler and PostgreSQL. None of them says a password (G5). */
import { storeErrorClass } from '../store-error.ts';

/** `pg` is not installed. */
export class PostgresDriverMissingError extends storeErrorClass(
  'PostgresDriverMissingError',
  ({ path }: { path: string }) => [
    `Store "${path}" needs the package "pg", which is not installed`,
    'npm install pg',
  ],
) {}

/** The database does not answer: it is down, cannot be reached, takes no more connections, or refuses the user. */
export class PostgresUnreachableError extends storeErrorClass(
  'PostgresUnreachableError',
  ({ path, reason }: { path: string; reason: string }) => [
    `Store "${path}" cannot be reached (${reason})`,
    'see whether the database runs there, takes connections and knows this user',
  ],
) {}

/** The schema is not there, or is older than this version needs, and it was asked not to be changed. */
export class PostgresNotMigratedError extends storeErrorClass(
  'PostgresNotMigratedError',
  ({ path, found, needed }: { path: string; found: number; needed: number }) => [
    found === 0
      ? `Store "${path}" has no schema of obbligato yet`
      : `Store "${path}" has schema version ${found}, and this version of obbligato needs ${needed}`,
    'apply the SQL of migrationSql(), or leave "migrate: false" out',
  ],
) {}

/** The user of the database may not do what is needed. */
export class PostgresPrivilegeError extends storeErrorClass(
  'PostgresPrivilegeError',
  ({ path, reason }: { path: string; reason: string }) => [
    `Store "${path}" refuses this user of the database (${reason})`,
    'let a user who may create schemas migrate once; after that USAGE on the schema, its sequences, and SELECT, INSERT, UPDATE, DELETE on its tables are enough',
  ],
) {}

/** The server cannot be used as it is: a standby that is read-only, or a database whose encoding is not UTF8. */
export class PostgresUnfitError extends storeErrorClass(
  'PostgresUnfitError',
  ({ path, reason }: { path: string; reason: string }) => [
    `Store "${path}" cannot be used: ${reason}`,
    'give the scheduler a database on the primary server, with the encoding UTF8',
  ],
) {}

/** The schema that a store was to be moved into has something already, or a scheduler runs on it. */
export class PostgresOccupiedError extends storeErrorClass(
  'PostgresOccupiedError',
  ({ path, members, tasks, runs }: { path: string; members: number; tasks: number; runs: number }) => [
    `Store "${path}" is not empty: it has ${tasks} tasks, ${runs} runs of the past, and ${members} instances`,
    'stop the schedulers that run on it, and move into another schema, or drop this one if it is not needed',
  ],
) {}
