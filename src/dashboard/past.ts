/**
 * The latest runs of all tasks, in memory: for bars, trends and load. A store can only be walked from its newest run backwards, so each
 * refresh walks until it meets a run that is known. The number of runs is bounded, and the texts of errors stay in the store.
 */
import { history, type PastRun, type Store } from '../index.ts';

const MOST_RUNS = 50_000;

/** A run without its texts. */
export type Run = Pick<
  PastRun,
  'task' | 'runId' | 'attempt' | 'reason' | 'scheduledFor' | 'calledAt' | 'endedAt' | 'outcome'
>;

const NONE: readonly Run[] = [];

/** How long a run took; of one that was cut off nobody knows: its end is when that was found out, after any time that nothing ran. */
export const tookMs = ({ calledAt, endedAt, outcome }: Run): number =>
  outcome === 'cut off' ? 0 : endedAt - calledAt;

export class Past {
  readonly #store: Store;
  readonly #most: number;
  /** The oldest first. Those before `#first` are forgotten. */
  #runs: Run[] = [];
  #first = 0;
  /** Of each task, the oldest first. */
  readonly #byTask = new Map<string, Run[]>();
  #isWhole = true;

  constructor(store: Store, most = MOST_RUNS) {
    this.#store = store;
    this.#most = most;
  }

  /** Whether the store keeps a history at all. */
  get isKept(): boolean {
    return this.#store.history !== undefined;
  }

  /** The instant from which on every run is here; `-Infinity` if all that the store has are. */
  get since(): number {
    return this.#isWhole ? Number.NEGATIVE_INFINITY : (this.#runs[this.#first]?.endedAt ?? 0);
  }

  /** Takes in what has ended since the last time. */
  async refresh(): Promise<void> {
    if (!this.isKept) return;
    const latest = this.#runs.at(-1)?.runId;
    const found: Run[] = [];
    let isMet = false;
    for await (const run of history(this.#store, { limit: this.#most })) {
      isMet = run.runId === latest;
      if (isMet) break;
      found.push(shortened(run));
    }
    if (!isMet) this.#forgetAll(found.length === this.#most);
    for (const run of found.reverse()) this.#add(run);
  }

  /** The runs of a task, the oldest first. */
  of(task: string): readonly Run[] {
    return this.#byTask.get(task) ?? NONE;
  }

  /** All runs that were called at an instant or later, the newest end first. */
  *calledSince(instant: number): Generator<Run, undefined> {
    for (let place = this.#runs.length - 1; place >= this.#first; place--) {
      const run = this.#runs[place];
      if (run.calledAt >= instant) yield run;
    }
    return undefined;
  }

  /** Nothing is known any more; the next refresh begins anew. */
  forget(): void {
    this.#forgetAll(false);
  }

  #forgetAll(isMore: boolean): void {
    this.#runs = [];
    this.#first = 0;
    this.#byTask.clear();
    this.#isWhole = !isMore;
  }

  #add(run: Run): void {
    this.#runs.push(run);
    const own = this.#byTask.get(run.task);
    if (own === undefined) this.#byTask.set(run.task, [run]);
    else own.push(run);
    if (this.#runs.length - this.#first > this.#most) this.#dropOldest();
  }

  #dropOldest(): void {
    const { task } = this.#runs[this.#first++];
    const own = this.#byTask.get(task);
    own?.shift();
    if (own?.length === 0) this.#byTask.delete(task);
    this.#isWhole = false;
    if (this.#first < this.#most) return;
    this.#runs = this.#runs.slice(this.#first);
    this.#first = 0;
  }
}

const shortened = ({
  task,
  runId,
  attempt,
  reason,
  scheduledFor,
  calledAt,
  endedAt,
  outcome,
}: PastRun): Run => ({ task, runId, attempt, reason, scheduledFor, calledAt, endedAt, outcome });
