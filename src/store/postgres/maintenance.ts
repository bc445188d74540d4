/**
 * Maintenance of a store in a database: repairs damaged records, and forgets tasks, as `maintainStore` does for a file.
 *
 *     free ──hold──▶ held: a member that wants no other next to it ──diagnose, repair, forget──▶ held ──close──▶ free
 *
 * While it is held no scheduler joins, and it is refused while one is there. Before anything is changed, the rows are copied into tables of the
 * same schema whose names begin with `backup_`.
 */
import { randomUUID } from 'node:crypto';
import { diagnoseRows, type RowChanges } from '../maintenance/diagnosis.ts';
import type { Diagnosis, StoreMaintenance } from '../maintenance/port.ts';
import type { StoreSession } from '../port.ts';
import type { Database } from './database.ts';
import type { Ask } from './driver.ts';
import { bytesOf, hexOf } from './texts.ts';

export interface HeldParts {
  readonly database: Database;
  /** Quoted. */
  readonly schema: string;
  /** Alone with the database. */
  readonly session: StoreSession;
  readonly heldAt: number;
}

export class HeldDatabase implements StoreMaintenance {
  readonly path: string;
  readonly #parts: HeldParts;
  #records: readonly unknown[];

  private constructor(parts: HeldParts, records: readonly unknown[]) {
    this.path = parts.database.location;
    this.#parts = parts;
    this.#records = records;
  }

  static async of(parts: HeldParts): Promise<HeldDatabase> {
    return new HeldDatabase(parts, await parts.session.read());
  }

  names(): string[] {
    return this.#records.map(nameOf);
  }

  diagnose(): Diagnosis {
    const { changes: _, ...diagnosis } = this.#diagnose();
    return { ...diagnosis, journal: [], indexes: [] };
  }

  #diagnose(): Omit<Diagnosis, 'journal' | 'indexes'> & { readonly changes: RowChanges } {
    const rows = this.#records.map((value, id) => ({ id, storedName: JSON.stringify(nameOf(value)), value }));
    const means = { now: this.#parts.heldAt, freshId: () => `repaired-${randomUUID()}` };
    return diagnoseRows(rows, means);
  }

  async repair(): Promise<string> {
    const { session, database } = this.#parts;
    const { removes, puts } = this.#diagnose().changes;
    const stamp = await database.transaction((ask) => copyRows(ask, this.#parts, 'state', 'task'));
    await session.commit({
      removes: removes.map((id) => nameOf(this.#records[id])),
      puts: puts.map(({ record }) => record),
    });
    this.#records = await session.read();
    const { repairs, removals } = this.#diagnose();
    const copy = this.#copied(stamp);
    if (repairs.length + removals.length > 0)
      throw new Error(`Internal error: the repaired store is still damaged; it is as before in ${copy}`);
    return copy;
  }

  async forget(task: string): Promise<string | undefined> {
    const { session, database, schema } = this.#parts;
    const [[id]] = await database.ask(
      `SELECT (SELECT id FROM ${schema}.name WHERE sha256(name) = sha256($1::bytea))`,
      [hexOf(bytesOf(task))],
    );
    if (id === null) return undefined;
    const stamp = await database.transaction(async (ask) => {
      const [[count]] = await ask(
        `SELECT (SELECT count(*) FROM ${schema}.state WHERE id = $1::int) + (SELECT count(*) FROM ${schema}.run WHERE task = $1::int)`,
        [id],
      );
      if (Number(count) === 0) return undefined;
      const copied = await copyRows(ask, this.#parts, 'state', 'task', 'run');
      await ask(`DELETE FROM ${schema}.run WHERE task = $1::int`, [id]);
      return copied;
    });
    if (stamp === undefined) return undefined;
    // The lists of others are of no matter: nobody else is there.
    await session.commit({ removes: [task] });
    this.#records = await session.read();
    return this.#copied(stamp);
  }

  #copied(stamp: string): string {
    return `the tables backup_${stamp}_… of ${this.path}`;
  }

  close(): Promise<void> {
    return this.#parts.session.close();
  }
}

/** Copies tables, the state among them; answers the stamp in the names of the copies. A second copy within a second has another one. */
async function copyRows(ask: Ask, parts: HeldParts, ...tables: readonly string[]): Promise<string> {
  const time = new Date(parts.heldAt)
    .toISOString()
    .replace(/[-:]|\.\d+/g, '')
    .toLowerCase();
  for (let count = 1; ; count++) {
    const stamp = count === 1 ? time : `${time}_${count}`;
    const [[taken]] = await ask('SELECT to_regclass($1::text)::text', [
      `${parts.schema}.backup_${stamp}_state`,
    ]);
    if (taken !== null) continue;
    for (const table of tables)
      await ask(`CREATE TABLE ${parts.schema}.backup_${stamp}_${table} AS TABLE ${parts.schema}.${table}`);
    return stamp;
  }
}

/** A row always has a name: it is not stored with the record. */
const nameOf = (value: unknown): string => String(Reflect.get(Object(value), 'name'));
