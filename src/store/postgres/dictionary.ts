/**
 * A table of texts, each with a number: names of tasks, and labels (instances, and whatever else names of runs begin with).
 *
 * A text is never removed. Every session remembers numbers, and rows of `state` and `run` have them; if a number went and its text came back under
 * another one, two sessions would speak of one task by two numbers. The price is small: a label per join of an instance, and a name per name that was ever
 * registered, each some 150 bytes with its indexes. A thousand joins per day are 55 MB per year.
 *
 * Numbers are given in the order of the texts: the tasks of a list that are due together are rows next to each other. Two who insert the same texts in
 * different orders would deadlock, so they go one after the other, by a lock that lasts as long as the transaction.
 */
import { createHash } from 'node:crypto';
import type { Ask } from './driver.ts';
import { bytesArray, bytesOfHex, textOf } from './texts.ts';

/** How many texts are asked for at once. */
const MOST = 10_000;

export class Dictionary {
  readonly #table: string;
  readonly #column: string;
  /** The number of the lock. */
  readonly #lock: string;
  readonly #ids = new Map<string, number>();
  readonly #texts = new Map<number, string>();

  constructor(schema: string, table: 'name' | 'label') {
    this.#table = `${schema}.${table}`;
    this.#column = table;
    this.#lock = String(createHash('sha256').update(this.#table).digest().readBigInt64BE());
  }

  /** The number of a text that was asked for before; 0 if it has none. */
  id(text: string): number {
    return this.#ids.get(text) ?? 0;
  }

  text(id: number): string {
    return this.#texts.get(id) ?? '';
  }

  /** What a row has said. */
  learn(id: number, text: string): void {
    this.#ids.set(text, id);
    this.#texts.set(id, text);
  }

  /** Finds the numbers of these texts; `'make'` gives one to each that has none. */
  async find(ask: Ask, texts: Iterable<string>, missing: 'make' | 'leave out'): Promise<void> {
    const unknown = [...new Set(texts)].filter((text) => !this.#ids.has(text));
    for (let from = 0; from < unknown.length; from += MOST) {
      const some = unknown.slice(from, from + MOST);
      await this.#look(ask, some);
      const absent = some.filter((text) => !this.#ids.has(text));
      if (absent.length === 0 || missing === 'leave out') continue;
      // The rows are sorted before the first is inserted, so the lock is held by then.
      await ask(
        `WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock($2::bigint))
         INSERT INTO ${this.#table} (${this.#column})
         SELECT b FROM locked, unnest($1::bytea[]) WITH ORDINALITY AS text (b, place) ORDER BY place ON CONFLICT DO NOTHING`,
        [bytesArray(absent), this.#lock],
      );
      await this.#look(ask, absent);
    }
  }

  async #look(ask: Ask, texts: readonly string[]): Promise<void> {
    this.#learnAll(
      await ask(
        `SELECT id, ${this.#column} FROM ${this.#table}
         WHERE sha256(${this.#column}) = ANY (ARRAY(SELECT sha256(b) FROM unnest($1::bytea[]) AS b))`,
        [bytesArray(texts)],
      ),
    );
  }

  /** Finds the texts of these numbers. */
  async findTexts(ask: Ask, ids: Iterable<number>): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => id !== 0 && !this.#texts.has(id));
    if (unknown.length === 0) return;
    this.#learnAll(
      await ask(`SELECT id, ${this.#column} FROM ${this.#table} WHERE id = ANY ($1::int[])`, [
        `{${unknown.join()}}`,
      ]),
    );
  }

  #learnAll(rows: ReadonlyArray<readonly (string | null)[]>): void {
    for (const [id, hex] of rows) this.learn(Number(id), textOf(bytesOfHex(hex ?? '')));
  }
}
