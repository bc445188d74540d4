/**
 * What has become durable, as far as the trace tells: the evidence for A4 and T10.
 *
 *     StartDurable ──▶ RunStart ──▶ RunSuccess, RunFailure ──▶ EndDurable
 *          └─ shade: called ─┘              └─ shade: still running ─┘
 *
 * Within the two marked stretches the store knows something else than the trace: if a crash comes, the next process may go on
 * from either. What the store knows is kept as a *shade* of the task: the state that its slice would be in. A stop that resolves
 * has made everything durable and taken back what was not called, and so has an initialization: then there are no shades.
 *
 * A shade is not moved on by what everybody sees meanwhile (a minute, a stop): it counts only at a crash, and in it the run is
 * then cut off, so that one start is owed whatever else has come due, and that start serves everything.
 */
import { bits } from './alphabet.ts';
import type { Ledger } from './ledger.ts';
import type { Population } from './population.ts';
import { iso } from './verdict.ts';

const NONE = -1;

export class Durability {
  readonly #population: Population;
  readonly #ledger: Ledger;
  /** Whether this trace tells of durability at all: without that, nothing is excused. */
  #isTold = false;
  /** For each task: its shade, and where it is in the list of those that have one. */
  readonly #shade: number[] = [];
  readonly #place: number[] = [];
  readonly #shaded: number[] = [];
  /** The run whose start became durable last, and the one that was called last; '' where there is none, or it has no name. */
  readonly #durable: string[] = [];
  readonly #called: string[] = [];
  /** Runs of a task that were still going when it was started again: they end too, but they are not what runs now. */
  readonly #overlapped = new Map<number, Set<string>>();
  readonly #runStart: number;

  constructor(population: Population, ledger: Ledger) {
    this.#population = population;
    this.#ledger = ledger;
    this.#runStart = population.automaton.letter(bits.RS);
  }

  /** Whether the trace tells of durability: a record of it may be what a death cut off. */
  get isTold(): boolean {
    return this.#isTold;
  }

  add(task: number): void {
    this.#shade[task] = NONE;
    this.#place[task] = NONE;
    this.#durable[task] = '';
    this.#called[task] = '';
  }

  startDurable(task: number, runId = ''): void {
    if (!this.#isTold) this.#ledger.see('WA');
    this.#isTold = true;
    this.#durable[task] = runId;
    const { automaton, slices } = this.#population;
    this.#set(task, automaton.after(slices.of(task).state, this.#runStart));
  }

  /** The run of a task that was called last. */
  lastOf(task: number): string {
    return this.#called[task];
  }

  /** A task was started while another run of it was going. */
  overlapping(task: number, runId: string): void {
    if (runId === '') return;
    const runs = this.#overlapped.get(task) ?? new Set();
    this.#overlapped.set(task, runs.add(runId));
  }

  /** Whether an end is that of a run that another one has overlapped; it is told of once. */
  isOverlapped(task: number, runId = ''): boolean {
    return this.#overlapped.size > 0 && this.#overlapped.get(task)?.delete(runId) === true;
  }

  /** The callback is about to be called: once for a run, and after its start has become durable (A4, EA3). */
  calling(task: number, runId: string, at: number, line: number): void {
    if (runId !== '' && this.#called[task] === runId) this.#twice(task, at, line);
    this.#called[task] = runId;
    if (!this.#isTold) return;
    this.#fade(task);
    if (this.#durable[task] === runId && runId !== '') return;
    const name = this.#population.names[task];
    this.#ledger.violate({
      axiom: 'WA',
      task: name,
      at,
      blame: 'scheduler',
      because: `"${name}" was called at ${iso(at)} before its start was durable: a crash would have forgotten it`,
      events: [{ event: 'RunStart', at, task: name, ...(line > 0 ? { line } : {}) }],
    });
  }

  #twice(task: number, at: number, line: number): void {
    const name = this.#population.names[task];
    this.#ledger.violate({
      axiom: 'EA3',
      task: name,
      at,
      blame: 'environment',
      because: `RunStart of one and the same run of "${name}" was recorded twice`,
      events: [{ event: 'RunStart', at, task: name, ...(line > 0 ? { line } : {}) }],
    });
  }

  /** Whether an end belongs to the run that was called last. */
  isOf(task: number, runId = ''): boolean {
    const called = this.#called[task];
    return called === runId || runId === '' || called === '';
  }

  /** A run has ended; the state that it was in before, the store still believes. */
  ended(task: number, before: number): void {
    if (this.#isTold) this.#set(task, before);
  }

  /** An end is durable. If the next start of the task already is, that is another matter. */
  endDurable(task: number, runId = ''): void {
    this.#isTold = true;
    if (this.#called[task] === runId && this.#durable[task] === runId) this.#fade(task);
  }

  /** Everything is durable. */
  settle(): void {
    for (const task of this.#shaded) {
      this.#shade[task] = NONE;
      this.#place[task] = NONE;
    }
    this.#shaded.length = 0;
  }

  /** A crash: the states that tasks may be in instead of the one that the trace tells of. */
  doubtful(): Map<number, number[]> {
    this.#overlapped.clear();
    const doubtful = new Map(this.#shaded.map((task) => [task, [this.#shade[task]]]));
    this.settle();
    return doubtful;
  }

  #set(task: number, state: number): void {
    if (this.#shade[task] === NONE) this.#place[task] = this.#shaded.push(task) - 1;
    this.#shade[task] = state;
  }

  #fade(task: number): void {
    if (this.#shade[task] === NONE) return;
    this.#shade[task] = NONE;
    const last = this.#shaded.pop();
    if (last === undefined || last === task) return;
    this.#shaded[this.#place[task]] = last;
    this.#place[last] = this.#place[task];
  }
}
