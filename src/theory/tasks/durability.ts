/**
 * What has become durable, as far as the trace tells: the evidence for A4 and T10.
 *
 *     StartDurable ──▶ RunStart ──▶ RunSuccess, RunFailure ──▶ EndDurable
 *          └─ shade: called ─┘              └─ shade: still running ─┘
 *
 * Within the two marked stretches the store knows something else than the trace: if a crash comes, the next process may go on
 * from either. What the store knows is kept as a *shade* of the task: the state that its slice would be in. A stop that resolves
 * has made everything durable and taken back what was not called, and so has an initialization: then there are no shades, and a
 * start that was durable and not called must become durable anew. After a crash that is so of every start.
 *
 * What everybody sees meanwhile (a minute, a stop) does not move a shade on: it counts only at a crash, and in it the run is then
 * cut off, so that one start is owed whatever else has come due, and that start serves everything.
 */
import { bits } from '../logic/atoms.ts';
import type { Ledger } from '../verdict/ledger.ts';
import { iso } from '../verdict/verdict.ts';
import type { Population } from './population.ts';

const NONE = -1;
/** None any more, but still in the list of shades. */
const FADED = -3;
/** Of a start that is durable and was not called: as if it had been, from whatever state the task is in when that matters. */
const AS_IF_CALLED = -2;

/** What is known of the run of a task that was told of last: its start is durable, it was called, it has ended. A bit each. */
const DURABLE = 1;
const CALLED = 2;
const ENDED = 4;
/** Above these bits: how many crashes there had been. What was known before a crash is known no longer. */
const CRASH = 8;

/** As many runs of a task that another one has overlapped are remembered. */
const MOST_OVERLAPPED = 16;

export class Durability {
  readonly #population: Population;
  readonly #ledger: Ledger;
  /** Whether this trace tells of durability at all: without that, nothing is excused, and WA is not asked. */
  #isTold: boolean;
  /** What is known of nothing yet: how many crashes there have been. */
  #unknown = 0;
  /** For each task: the run that was told of last, '' where it has no name, and what is known of it. */
  readonly #run: string[] = [];
  readonly #known: number[] = [];
  /** For each task, whether WA has been asked of it. */
  readonly #wasAsked: boolean[] = [];
  /** The run before that, where it was called and had not ended when the next one became durable. */
  readonly #earlier = new Map<number, string>();
  /** For each task its shade; how many have one; and the list of them, in which some may have faded. */
  readonly #shade: number[] = [];
  #shades = 0;
  readonly #shaded: number[] = [];
  #listed = 0;
  /** Runs of a task that were still going when it was started again, the last ones: they end too, but are not what runs now. */
  readonly #overlapped = new Map<number, Set<string>>();
  readonly #runStart: number;

  constructor(population: Population, ledger: Ledger, told: 'told' | undefined) {
    this.#population = population;
    this.#isTold = told !== undefined;
    this.#ledger = ledger;
    this.#runStart = population.automaton.letter(bits.RS);
  }

  /** Whether the trace tells of durability: a record of it may be what a death cut off. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** What is known of the run that was told of last, as bits. */
  #knownOf(task: number): number {
    const known = this.#known[task] - this.#unknown;
    return known < 0 ? 0 : known;
  }

  #know(task: number, known: number): void {
    this.#known[task] = this.#unknown + known;
  }

  add(task: number): void {
    this.#run[task] = '';
    this.#known[task] = 0;
    this.#wasAsked[task] = false;
    this.#shade[task] = NONE;
  }

  startDurable(task: number, runId = ''): void {
    this.#isTold = true;
    const known = this.#knownOf(task);
    // Without names it is taken for the start that comes next.
    const isLate = (known & CALLED) !== 0 && this.#run[task] === runId && runId !== '';
    if (!isLate && (known & (CALLED | ENDED)) === CALLED) this.#earlier.set(task, this.#run[task]);
    this.#run[task] = runId;
    this.#know(task, isLate ? known | DURABLE : DURABLE);
    this.#set(task, AS_IF_CALLED);
  }

  /** The run of a task that was called last. */
  lastOf(task: number): string {
    if (this.#knownOf(task) & CALLED) return this.#run[task];
    return this.#earlier.size === 0 ? '' : (this.#earlier.get(task) ?? '');
  }

  /** A task was started while another run of it was going. */
  overlapping(task: number, runId: string): void {
    if (runId === '') return;
    const runs = this.#overlapped.get(task) ?? new Set();
    this.#overlapped.set(task, runs.add(runId));
    const [oldest] = runs;
    if (runs.size > MOST_OVERLAPPED) runs.delete(oldest);
  }

  /** Whether an end is that of a run that another one has overlapped; it is told of once. */
  isOverlapped(task: number, runId: string): boolean {
    return this.#overlapped.size > 0 && this.#overlapped.get(task)?.delete(runId) === true;
  }

  /** The callback is about to be called: once for a run, and after its start has become durable (A4, EA3). */
  calling(task: number, runId: string, at: number, line: number): void {
    if (this.#knownOf(task) === DURABLE && isSame(this.#run[task], runId)) {
      this.#run[task] = runId;
      this.#know(task, DURABLE | CALLED);
      if (this.#earlier.size > 0) this.#earlier.delete(task);
    } else this.#callingUntold(task, runId, at, line);
    if (!this.#isTold) return;
    if (!this.#wasAsked[task]) {
      this.#wasAsked[task] = true;
      this.#ledger.see('WA');
    }
    this.#fade(task);
  }

  /** Whether the write-ahead of a task was ever in question. */
  wasAsked(task: number): boolean {
    return this.#wasAsked[task];
  }

  #callingUntold(task: number, runId: string, at: number, line: number): void {
    const isTwice = runId !== '' && this.lastOf(task) === runId;
    if (isTwice) this.#twice(task, at, line);
    const durable = isTwice ? this.#knownOf(task) & DURABLE : 0;
    if (this.#earlier.size > 0) this.#earlier.delete(task);
    this.#run[task] = runId;
    this.#know(task, CALLED | durable);
    if (!this.#isTold || durable !== 0) return;
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
  isOf(task: number, runId: string): boolean {
    return isSame(this.lastOf(task), runId);
  }

  /** A run has ended; the state that it was in before, the store still believes. */
  ended(task: number, before: number): void {
    const known = this.#knownOf(task);
    if (known & CALLED) this.#know(task, known | ENDED);
    if (this.#isTold) this.#set(task, before);
  }

  /** An end is durable. If the next start of the task already is, that is another matter. */
  endDurable(task: number, runId = ''): void {
    this.#isTold = true;
    const isCalled = (this.#knownOf(task) & (DURABLE | CALLED)) === (DURABLE | CALLED);
    if (isCalled && isSame(this.#run[task], runId)) this.#fade(task);
  }

  /** Everything is durable, and what was not called has been taken back. */
  settle(): void {
    for (let i = 0; i < this.#listed; i++) {
      const task = this.#shaded[i];
      this.#shade[task] = NONE;
      if (this.#knownOf(task) === DURABLE) this.#know(task, 0);
    }
    this.#shades = 0;
    this.#listed = 0;
  }

  /** A crash: the states that tasks may be in instead of the one that the trace tells of. */
  doubtful(): Map<number, number[]> {
    this.#overlapped.clear();
    const doubtful = new Map<number, number[]>();
    const { automaton, slices } = this.#population;
    for (const task of this.#shaded.slice(0, this.#listed)) {
      const shade = this.#shade[task];
      if (shade === FADED) continue;
      const asIfCalled = automaton.after(slices.of(task).state, this.#runStart);
      doubtful.set(task, [shade === AS_IF_CALLED ? asIfCalled : shade]);
    }
    this.settle();
    this.#unknown += CRASH;
    this.#earlier.clear();
    return doubtful;
  }

  #set(task: number, shade: number): void {
    const before = this.#shade[task];
    this.#shade[task] = shade;
    if (before === NONE) this.#shaded[this.#listed++] = task;
    else if (before !== FADED) return;
    this.#shades++;
    if (this.#listed > 2 * this.#shades + 1000) this.#compact();
  }

  /** Takes whoever has faded off the list: now and then, so that it is never much longer than it must be. */
  #compact(): void {
    let kept = 0;
    for (let i = 0; i < this.#listed; i++) {
      const task = this.#shaded[i];
      if (this.#shade[task] === FADED) this.#shade[task] = NONE;
      else this.#shaded[kept++] = task;
    }
    this.#listed = kept;
  }

  #fade(task: number): void {
    if (this.#shade[task] === NONE || this.#shade[task] === FADED) return;
    this.#shade[task] = FADED;
    this.#shades--;
  }
}

/** Whether two records speak of one run, as far as they name it. */
const isSame = (a: string, b: string): boolean => a === b || a === '' || b === '';
