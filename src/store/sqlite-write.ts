/**
 * Batches into the table, on the store's thread. A batch comes in one or more messages; the first begins the transaction and the
 * last commits it:
 *
 *     idle ──first sheets──▶ writing ──last sheets──▶ idle (durable)
 *                              ├─error─▶ spoilt (rolled back) ──last sheets──▶ idle (nothing written)
 *                              └─abandoned: the rest could not be posted ──▶ idle (nothing written)
 *
 * A change of a run is one statement, which changes no row if the record shows another run (`was run_id`). Only then a second one
 * asks why: there is no record, the record shows the change already (E9), or the change is refused.
 *
 * Safe because no other statements run on this connection, and because a process that dies in `writing` leaves a
 * transaction without its commit frame, which SQLite ignores.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Refusal } from './port.ts';
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

/** The parts whose changes can be refused. */
const CHANGES: Partial<Record<Part, Refusal['change']>> = {
  ends: 'end',
  unstarts: 'unstart',
  moves: 'move',
  starts: 'start',
};

/** An end keeps the last success when it failed and the last failure when it succeeded; every other value is written as given. */
const keepsIfNull = new Set(['last_success_at', 'last_failure_at']);

interface Sql {
  readonly change: string;
  /** Whether the record shows the change already; no row if there is no record. */
  readonly shown: string;
}

function sqlOf(part: Part): Sql {
  const { texts, numbers, shownBy = [] } = COLUMNS[part];
  const values = [...texts, ...numbers];
  const name = `?${values.length + 1}`;
  const isCompared = (value: string): boolean => value.startsWith('was ');
  const written = (column: string): string => {
    const parameter = `?${values.indexOf(column) + 1}`;
    return part === 'ends' && keepsIfNull.has(column) ? `coalesce(${parameter}, ${column})` : parameter;
  };
  const columns = values.filter((value) => !isCompared(value));
  const sets = columns.map((column) => `${column} = ${written(column)}`);
  if (part === 'ends') sets.push('run_id = NULL', 'run_instance_id = NULL', 'run_started_at = NULL');
  const where = values.flatMap((value, index) =>
    isCompared(value) ? [`${value.slice('was '.length)} IS ?${index + 1}`] : [],
  );
  const shown = shownBy.map((column) => `${column} IS ${written(column)}`);
  const statement = {
    update: `UPDATE task SET ${sets.join(', ')} WHERE ${[`name = ${name}`, ...where].join(' AND ')}`,
    removes: `DELETE FROM task WHERE name = ${name}`,
    puts: `INSERT INTO task (${columns.join(', ')}, name) VALUES (${columns.map(written).join(', ')}, ${name})
      ON CONFLICT (name) DO UPDATE SET ${sets.join(', ')}`,
  };
  return {
    change: statement[part === 'removes' || part === 'puts' ? part : 'update'],
    shown: `SELECT ${['1', ...shown].join(' AND ')} AS shown FROM task WHERE name = ${name}`,
  };
}

type Value = string | number | null;

/** A statement with plain parameters: Node 22.18 cannot bind numbered ones. It takes its values from a row, in an order of its own. */
class Plain {
  readonly #statement: StatementSync;
  readonly #places: readonly number[];
  readonly #values: Value[];

  constructor(db: DatabaseSync, numbered: string) {
    const places: number[] = [];
    const sql = numbered.replace(/\?(\d+)/g, (_, number) => {
      places.push(Number(number) - 1);
      return '?';
    });
    this.#statement = db.prepare(sql);
    this.#places = places;
    this.#values = new Array(places.length).fill(null);
  }

  #of(row: readonly Value[]): readonly Value[] {
    for (let i = 0; i < this.#places.length; i++) this.#values[i] = row[this.#places[i]];
    return this.#values;
  }

  run(row: readonly Value[]): number | bigint {
    return this.#statement.run(...this.#of(row)).changes;
  }

  get(row: readonly Value[]): ReturnType<StatementSync['get']> {
    return this.#statement.get(...this.#of(row));
  }
}

interface Statements {
  readonly change: Plain;
  readonly shown: Plain;
}

export class Writer {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<Part, Statements>();
  #state: 'idle' | 'writing' | 'spoilt' = 'idle';
  #trouble: unknown;
  /** What is refused of the batch so far, and the tasks of that. */
  #refused: Refusal[] = [];
  readonly #refusedNames = new Set<string>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Some more of the batch. Answers what was refused, and throws, only at its end, so that every batch has exactly one answer. */
  write(sheets: readonly Sheet[], last: boolean): readonly Refusal[] {
    if (this.#state !== 'spoilt') this.#attempt(sheets, last);
    if (!last) return [];
    const spoilt = this.#state === 'spoilt';
    this.#state = 'idle';
    if (spoilt) throw this.#trouble;
    return this.#refused;
  }

  /** The rest of the batch will not come. */
  abandon(): void {
    rollBack(this.#db);
    this.#state = 'idle';
  }

  #attempt(sheets: readonly Sheet[], last: boolean): void {
    try {
      if (this.#state === 'idle') this.#begin();
      this.#state = 'writing';
      for (const sheet of sheets) this.#writeSheet(sheet);
      if (last) this.#db.exec('COMMIT');
    } catch (error) {
      this.#state = 'spoilt';
      this.#trouble = error;
      rollBack(this.#db);
    }
  }

  #begin(): void {
    this.#refused = [];
    this.#refusedNames.clear();
    this.#db.exec('BEGIN IMMEDIATE');
  }

  #writeSheet({ part, count, texts, numbers }: Sheet): void {
    const { change, shown } = this.#statementsOf(part);
    const textCount = COLUMNS[part].texts.length;
    const numberCount = COLUMNS[part].numbers.length;
    const mustExist = part !== 'removes' && part !== 'puts';
    const values: Value[] = new Array(textCount + numberCount + 1).fill(null);
    for (let row = 0; row < count; row++) {
      const name = texts[row * (textCount + 1)];
      for (let text = 0; text < textCount; text++) values[text] = texts[row * (textCount + 1) + 1 + text];
      for (let number = 0; number < numberCount; number++) {
        const value = numbers[row * numberCount + number];
        values[textCount + number] = Number.isNaN(value) ? null : value;
      }
      values[textCount + numberCount] = JSON.stringify(name);
      const isBuiltOnRefused = mustExist && this.#refusedNames.has(String(name));
      if (!isBuiltOnRefused && (change.run(values) === 1 || !mustExist)) continue;
      const found = shown.get(values);
      if (found === undefined) throw new MissingRecord(String(name), part);
      if (isBuiltOnRefused || found.shown !== 1) this.#refuse(part, String(name));
    }
  }

  #refuse(part: Part, name: string): void {
    const change = CHANGES[part];
    if (change === undefined) throw new Error(`${part} cannot be refused`);
    this.#refused.push({ change, name });
    this.#refusedNames.add(name);
  }

  #statementsOf(part: Part): Statements {
    let statements = this.#statements.get(part);
    if (statements === undefined) {
      const { change, shown } = sqlOf(part);
      statements = { change: new Plain(this.#db, change), shown: new Plain(this.#db, shown) };
      this.#statements.set(part, statements);
    }
    return statements;
  }
}
