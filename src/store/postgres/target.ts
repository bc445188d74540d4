/**
 * Which database: a connection string, or a pool of the user's own. What is shown of it never has a password (G5), and an error about a
 * string that makes no sense does not repeat it.
 */
import { StorePathError } from '../errors.ts';
import type { Pool } from './driver.ts';

export interface Target {
  readonly location: string;
  readonly connectionString?: string;
  readonly pool?: Pool;
}

const LONGEST_IDENTIFIER = 63;

export function targetOf(given: unknown, schema: string): Target {
  if (isPool(given)) return { location: located(describePool(given), schema), pool: given };
  const text = given instanceof URL ? given.href : given;
  if (typeof text !== 'string' || !/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new StorePathError({
      path: 'postgres://…',
      reason: 'is neither a connection string (postgres://user@host:port/database) nor a pool of pg',
    });
  return { location: located(redacted(new URL(text)), schema), connectionString: text };
}

const isPool = (value: unknown): value is Pool =>
  typeof value === 'object' &&
  value !== null &&
  'query' in value &&
  typeof value.query === 'function' &&
  'connect' in value &&
  typeof value.connect === 'function';

/** User, host and database, and nothing else: parameters may hold a password too. */
function redacted({ username, host, pathname }: URL): string {
  const user = username === '' ? '' : `${username}@`;
  return `postgres://${user}${host}${pathname}`;
}

function describePool({ options }: Pool): string {
  const { connectionString, user, host, port, database } = options ?? {};
  if (typeof connectionString === 'string' && URL.canParse(connectionString))
    return redacted(new URL(connectionString));
  const at = user === undefined ? '' : `${user}@`;
  return `postgres://${at}${host ?? 'localhost'}${port === undefined ? '' : `:${port}`}/${database ?? ''}`;
}

const located = (database: string, schema: string): string =>
  schema === 'obbligato' ? database : `${database}#${schema}`;

/** A schema as it stands in SQL. */
export function quotedSchema(schema: unknown): string {
  const isName = typeof schema === 'string' && schema !== '' && !schema.includes('\0');
  if (!isName || Buffer.byteLength(schema) > LONGEST_IDENTIFIER)
    throw new TypeError(
      `schema must be the name of a schema, of at most ${LONGEST_IDENTIFIER} bytes; got ${String(schema)}`,
    );
  return `"${schema.replaceAll('"', '""')}"`;
}

/** The schema as a person writes it. */
export const unquotedSchema = (quoted: string): string => quoted.slice(1, -1).replaceAll('""', '"');
