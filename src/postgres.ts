/** `obbligato/postgres`: the same schedule on any number of processes, over one PostgreSQL database. */
export type { Client, Pool, QueryConfig, QueryResult } from './store/postgres/driver.ts';
export * from './store/postgres/errors.ts';
export { migrationSql } from './store/postgres/migrate.ts';
export { type Moved, type MoveOptions, moveStore } from './store/postgres/move.ts';
export type { PostgresOptions, PostgresTarget } from './store/postgres/options.ts';
export { postgres } from './store/postgres/store.ts';
