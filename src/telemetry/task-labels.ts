/**
 * Which tasks get series of their own. Each series costs memory in every scraper, so there are never more than the limit: the first
 * tasks that are seen keep their place until they are removed, and all others share the label `(others)`.
 */

/** The label of the tasks that have no series of their own. */
export const OTHERS = '(others)';
/** How many tasks get series of their own where nothing is said. */
export const MOST_TASKS = 1000;
const LONGEST_LABEL = 200;

export class TaskLabels {
  readonly #limit: number;
  /** The only names that get a place; any name does if it is undefined. */
  readonly #only: ReadonlySet<string> | undefined;
  readonly #names = new Set<string>();
  #hasOthers = false;

  constructor(tasks: number | readonly string[]) {
    this.#limit = typeof tasks === 'number' ? tasks : tasks.length;
    this.#only = typeof tasks === 'number' ? undefined : new Set(tasks);
  }

  of(name: string): string {
    if (this.#names.has(name)) return name;
    const mayHavePlace = this.#only?.has(name) ?? this.#names.size < this.#limit;
    if (mayHavePlace && name.length <= LONGEST_LABEL) {
      this.#names.add(name);
      return name;
    }
    this.#hasOthers = true;
    return OTHERS;
  }

  /** Every label that was given out. */
  get all(): readonly string[] {
    return [...this.#names, ...(this.#hasOthers ? [OTHERS] : [])];
  }

  /** A removed task gives its place up. Answers whether it had one. */
  forget(name: string): boolean {
    return this.#names.delete(name);
  }
}
