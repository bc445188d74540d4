/**
 * Many changes as arrays, one per column, for one statement. A statement finds the values of its row in them by the place of the row's id
 * in the sorted ids, which `width_bucket` finds by halving. It is no join: a planner with old statistics makes a bad plan of a join, and
 * has no choice here but the key or one scan.
 */
import { arrayOf, type Param } from './driver.ts';

/** The parameters of a statement. `as texts` is for drivers that look at a parameter's type: then each is a text for them. */
export class Params {
  readonly values: Param[] = [];
  readonly #cast: string;
  readonly #places = new Map<string, string>();

  constructor(how?: 'as texts') {
    this.#cast = how === undefined ? '::' : '::text::';
  }

  /** The place of a value in the statement. Columns that are alike, as the numbers of a first run and of its work, are sent once. */
  add(value: Param, type: string): string {
    const key = `${type} ${typeof value} ${value}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.values.push(value);
    const place = `$${this.values.length}${this.#cast}${type}`;
    this.#places.set(key, place);
    return place;
  }
}

export class Columns<Change> {
  readonly #params: Params;
  readonly #changes: readonly Change[];
  readonly ids: readonly number[];
  /** All ids, as an array of the statement. */
  readonly all: string;

  /** `idOf` answers the number of a task. */
  constructor(params: Params, changes: Iterable<Change>, idOf: (change: Change) => number) {
    const all = [...changes];
    const isSorted = all.every((change, place) => place === 0 || idOf(all[place - 1]) <= idOf(change));
    this.#params = params;
    this.#changes = isSorted ? all : all.sort((a, b) => idOf(a) - idOf(b));
    this.ids = this.#changes.map(idOf);
    this.all = params.add(arrayOf(this.ids), 'int[]');
  }

  get length(): number {
    return this.ids.length;
  }

  /** The value of a column in the row `s`. Most columns of a batch have one value: then the statement looks for no place. */
  of(value: (change: Change) => number): string {
    const first = this.#changes.length === 0 ? 0 : value(this.#changes[0]);
    if (this.#changes.every((change) => value(change) === first)) return this.#params.add(first, 'bigint');
    const values = this.#changes.map(value);
    return `(${this.#params.add(arrayOf(values), 'bigint[]')})[width_bucket(s.id, ${this.all})]`;
  }

  /** A text of the row `s`; NULL where there is none. */
  text(value: (change: Change) => string | null): string {
    const given = this.#changes.flatMap((change, place) => {
      const text = value(change);
      return text === null ? [] : [[String(this.ids[place]), text]];
    });
    if (given.length === 0) return 'NULL';
    return `(${this.#params.add(JSON.stringify(Object.fromEntries(given)), 'jsonb')} ->> s.id::text)`;
  }
}
