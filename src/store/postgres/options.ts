/** Where and how a PostgreSQL store lives, and what of that is refused. */
import { refuseUnknown } from '../../text/unknown-name.ts';
import { type Duration, lengthOf, seconds } from '../../time/duration.ts';
import type { Pool } from './driver.ts';

const SHORTEST_LEASE_MS = 1000;
const LONGEST_LEASE_MS = 86_400_000;

/** A connection string, or a pool of `pg`. */
export type PostgresTarget = string | URL | Pool;

/** Where and how a PostgreSQL store lives. */
export interface PostgresOptions {
  /** The schema that everything is in; `obbligato` by default. Schedulers with different schemas have nothing to do with each other. */
  readonly schema?: string;
  /** Whether the schema is made and brought up to date when a scheduler is initialized; `true` by default. */
  readonly migrate?: boolean;
  /**
   * How long an instance that cannot be heard is taken for alive; 15 seconds by default, 1 second at least. Its runs are started again by
   * the others after that.
   */
  readonly lease?: Duration;
}

export interface SettledPostgresOptions {
  readonly schema: string;
  readonly mayMigrate: boolean;
  readonly leaseMs: number;
}

export function settled(options: PostgresOptions): SettledPostgresOptions {
  refuseUnknown('postgres', options, ['schema', 'migrate', 'lease']);
  const { schema = 'obbligato', migrate: mayMigrate = true, lease = seconds(15) } = options;
  const leaseMs = lengthOf('lease', lease);
  if (leaseMs < SHORTEST_LEASE_MS || leaseMs > LONGEST_LEASE_MS)
    throw new RangeError(`lease must be from a second to a day; got ${leaseMs} ms`);
  return { schema, mayMigrate, leaseMs };
}
