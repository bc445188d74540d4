/**
 * Batches into the table, on the store's thread. A batch comes in one or more messages; the first begins the transaction and the
 * last commits it:
 *
 *     idle ──first sheets──▶ writing ──last sheets──▶ idle (durable)
 *                              ├─error─▶ spoilt (rolled back) ──last sheets──▶ idle (nothing written)
 *                              └─abandoned: the rest could not be posted ──▶ idle (nothing written)
 *
 * Safe because nobody else's statements run on this connection, and because a process that dies amid `writing` leaves a
 * transaction without its commit frame, which SQLite ignores.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { rollBack } from './sqlite-load.ts';
import { COLUMNS, type Part, type Sheet } from './wire.ts';

/** A change names a record that is not there; carried over to the main thread as it is. */
export class MissingRecord extends Error {
  readonly taskName: string;
  readonly change: string;

  constructor(taskName: string, part: Part) {
    super(`no record of "${taskName}"`);
    this.taskName = taskName;
    this.change = part.slice(0, -1);
  }
}

/** An end keeps the last success when it failed and the last failure when it succeeded; every other value is written as given. */
const keepsIfNull = new Set(['last_success_at', 'last_failure_at']);

function sqlOf(part: Part): string {
  const columns = [...COLUMNS[part].texts, ...COLUMNS[part].numbers];
  switch (part) {
    case 'removes':
      return 'DELETE FROM task WHERE name = ?';
    case 'puts':
      return `INSERT INTO task (${columns.join(', ')}, name) VALUES (${columns.map(() => '?').join(', ')}, ?)
        ON CONFLICT (name) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
    case 'ends': {
      const sets = columns.map((column) =>
        keepsIfNull.has(column) ? `${column} = coalesce(?, ${column})` : `${column} = ?`,
      );
      return `UPDATE task SET ${sets.join(', ')}, run_id = NULL, run_instance_id = NULL, run_started_at = NULL
        WHERE name = ?`;
    }
    default:
      return `UPDATE task SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE name = ?`;
  }
}

export class Writer {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<Part, StatementSync>();
  #state: 'idle' | 'writing' | 'spoilt' = 'idle';
  #trouble: unknown;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Some more of the batch. Throws only at its end, so that every batch has exactly one answer. */
  write(sheets: readonly Sheet[], last: boolean): void {
    if (this.#state !== 'spoilt') this.#attempt(sheets, last);
    if (!last) return;
    const spoilt = this.#state === 'spoilt';
    this.#state = 'idle';
    if (spoilt) throw this.#trouble;
  }

  /** The rest of the batch will not come. */
  abandon(): void {
    rollBack(this.#db);
    this.#state = 'idle';
  }

  #attempt(sheets: readonly Sheet[], last: boolean): void {
    try {
      if (this.#state === 'idle') this.#db.exec('BEGIN IMMEDIATE');
      this.#state = 'writing';
      for (const sheet of sheets) this.#writeSheet(sheet);
      if (last) this.#db.exec('COMMIT');
    } catch (error) {
      this.#state = 'spoilt';
      this.#trouble = error;
      rollBack(this.#db);
    }
  }

  #writeSheet({ part, count, texts, numbers }: Sheet): void {
    const statement = this.#statementOf(part);
    const textCount = COLUMNS[part].texts.length;
    const numberCount = COLUMNS[part].numbers.length;
    const mustExist = part !== 'removes' && part !== 'puts';
    const values: Array<string | number | null> = new Array(textCount + numberCount + 1).fill(null);
    for (let row = 0; row < count; row++) {
      const name = texts[row * (textCount + 1)];
      for (let text = 0; text < textCount; text++) values[text] = texts[row * (textCount + 1) + 1 + text];
      for (let number = 0; number < numberCount; number++) {
        const value = numbers[row * numberCount + number];
        values[textCount + number] = Number.isNaN(value) ? null : value;
      }
      values[textCount + numberCount] = JSON.stringify(name);
      const { changes } = statement.run(...values);
      if (mustExist && changes !== 1) throw new MissingRecord(String(name), part);
    }
  }

  #statementOf(part: Part): StatementSync {
    let statement = this.#statements.get(part);
    if (statement === undefined) {
      statement = this.#db.prepare(sqlOf(part));
      this.#statements.set(part, statement);
    }
    return statement;
  }
}
