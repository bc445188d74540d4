/** What is used of `pg`: the types that users hand in, and statements whose answers are plain text whatever parsers the user has set. */

/** An answer of the database. */
export interface QueryResult {
  readonly rows: unknown[];
}

/** A statement, as a pool of `pg` takes it. */
export interface QueryConfig {
  readonly text: string;
  readonly values?: unknown[];
  readonly rowMode?: 'array';
  readonly query_timeout?: number;
  readonly types?: { getTypeParser(): (value: unknown) => unknown };
}

/** A connection of `pg`. */
export interface Client {
  query(config: QueryConfig): Promise<QueryResult>;
  release(destroy?: boolean): void;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  off?(event: 'error', listener: (error: Error) => void): unknown;
}

/** A pool of `pg`. */
export interface Pool {
  query(config: QueryConfig): Promise<QueryResult>;
  connect(): Promise<Client>;
  end(): Promise<void>;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  readonly options?: {
    readonly connectionString?: unknown;
    readonly user?: unknown;
    readonly host?: unknown;
    readonly port?: unknown;
    readonly database?: unknown;
  };
}

/** A value of a row, as PostgreSQL writes it. */
export type Cell = string | null;
export type Row = readonly Cell[];

/** Asks one statement; answers its rows as texts. Unnamed, so that it passes a pooler that shares connections between transactions. */
export type Ask = (text: string, values?: readonly Param[], withinMs?: number) => Promise<readonly Row[]>;
export type Param = string | number | boolean | null;

/** Makes `pg` answer with texts. */
export const AS_TEXT = { getTypeParser: () => (value: unknown) => value };

/** A statement as `pg` takes it. */
export const configOf = (text: string, values: readonly Param[] = [], withinMs?: number): QueryConfig => ({
  ...(withinMs === undefined ? {} : { query_timeout: withinMs }),
  text,
  values: [...values],
  rowMode: 'array',
  types: AS_TEXT,
});

export function rowsOf({ rows }: QueryResult): readonly Row[] {
  return rows.map((row) => (Array.isArray(row) ? row.map(cellOf) : []));
}

const cellOf = (value: unknown): Cell => (value === null || value === undefined ? null : String(value));

/** Numbers as an array of SQL. `pg` would look at each of them, and put it into quotes. */
export const arrayOf = (values: Iterable<number>): string => `{${Array.from(values).join()}}`;
