/**
 * The runs of tasks: what the trace shows of each, and what has become durable, the evidence for A4 (WA) and T10.
 *
 *     StartDurable ──▶ RunStart ──▶ RunSuccess, RunFailure ──▶ EndDurable
 *       durable         called             ended                 kept
 *
 * Between the first two and between the last two, the store knows something else than the trace shows. If a crash comes there, the
 * next process may go on from either: the crash leaves the task in doubt. A stop that resolves has made every end durable and taken
 * back every start that was not called. So has an initialization. After a crash nothing is known of any run.
 */
import type { RunEvent, TraceRecord } from '../../trace/record.ts';
import type { Workers } from '../delays/workers.ts';
import { bits } from '../logic/atoms.ts';
import { probes } from '../logic/compiled.ts';
import type { WellFormed } from '../records/well-formed.ts';
import type { Ledger } from '../verdict/ledger.ts';
import { evidence, sentence } from '../verdict/verdict.ts';
import type { TaskTable } from './task-table.ts';
import type { Tasks } from './tasks.ts';

type RunRecord = TraceRecord & { readonly event: RunEvent };

/** Where the monitor is in the trace. */
export interface Here {
  readonly now: number;
  /** 0 where there are no lines. */
  readonly line: number;
}

/** What is known of the last run of a task: a bit each. */
const DURABLE = 1;
const CALLED = 2;
const ENDED = 4;
const KEPT = 8;

/** So many overlapped runs of a task are remembered. */
const MOST_OVERLAPPED = 16;

export class Runs {
  readonly #tasks: Tasks;
  readonly #table: TaskTable;
  readonly #ledger: Ledger;
  readonly #wellFormed: WellFormed;
  readonly #workers: Workers;
  /** Whether this trace has durability records at all: without them nothing is excused, and WA is not asked. */
  isRecorded: boolean;
  /** The run before the last, where it was called and had not ended when the next one became durable. */
  readonly #earlier = new Map<number, string>();
  /** Runs that were still going when their task was started again. They end too, but they are not the current run. */
  readonly #overlapped = new Map<number, Set<string>>();

  constructor(tasks: Tasks, ledger: Ledger, wellFormed: WellFormed, workers: Workers, isRecorded: boolean) {
    this.#tasks = tasks;
    this.#table = tasks.table;
    this.#ledger = ledger;
    this.#wellFormed = wellFormed;
    this.#workers = workers;
    this.isRecorded = isRecorded;
  }

  /** A callback is called. Answers whether quiescence has changed. */
  start({ task: name, runId = '', instance }: RunRecord, { now, line }: Here): boolean {
    if (instance !== this.#wellFormed.instance) this.#wellFormed.startedByAnother(name, instance, now, line);
    const task = this.#tasks.task(name);
    const lastRun = this.#lastOf(task);
    if (!this.#calling(task, runId, now, line)) return false;
    const seen = this.#tasks.started(task, now);
    this.#table.startedAt[task] = now;
    this.#table.startLine[task] = line;
    if (seen & probes.wasRunning) this.#overlapping(task, lastRun);
    return (seen & (probes.wasRunning | probes.running)) === probes.running && this.#workers.runs(1, now);
  }

  /** A callback has ended. Answers whether quiescence has changed. */
  end({ event, task: name, runId = '' }: RunRecord, { now, line }: Here): boolean {
    const bit = event === 'RunSuccess' ? bits.REs : bits.REf;
    const task = this.#tasks.task(name);
    if (this.#goesOn(task, runId)) return false;
    const seen = this.#tasks.ended(task, bit, now);
    this.#table.endedAt[task] = now;
    this.#table.endLine[task] = line;
    this.#table.hasFailed[task] = bit === bits.REf;
    // What did not run did not fail: a stray record leaves no retry.
    if (bit === bits.REf && seen & probes.wasRunning) this.#tasks.failed(task, now);
    if ((seen & (probes.running | probes.wasRunning)) !== probes.wasRunning) return false;
    if (!this.#isOf(task, runId))
      this.#wellFormed.malformed({ line, message: `run ${runId} of "${name}" ends, but another one runs` });
    const known = this.#table.known[task];
    if (known & CALLED) this.#table.known[task] = known | ENDED;
    return this.#workers.runs(-1, now);
  }

  /** The start or the end of a run has become durable. */
  durable({ event, task: name, runId = '' }: RunRecord): void {
    this.isRecorded = true;
    const task = this.#tasks.task(name);
    if (event === 'StartDurable') this.#startDurable(task, runId);
    else this.#endDurable(task, runId);
  }

  #startDurable(task: number, runId: string): void {
    const { run } = this.#table;
    const known = this.#table.known[task];
    // Without run ids it is taken for the start that comes next.
    const isLate = (known & CALLED) !== 0 && run[task] === runId && runId !== '';
    if (!isLate && (known & (CALLED | ENDED)) === CALLED) this.#earlier.set(task, run[task]);
    run[task] = runId;
    this.#table.known[task] = isLate ? known | DURABLE : DURABLE;
  }

  /** The run of a task that was called last; '' where it has no id. */
  #lastOf(task: number): string {
    if (this.#table.known[task] & CALLED) return this.#table.run[task];
    return this.#earlier.size === 0 ? '' : (this.#earlier.get(task) ?? '');
  }

  /** A task was started while another run of it was going. */
  #overlapping(task: number, runId: string): void {
    if (runId === '') return;
    const runs = this.#overlapped.get(task) ?? new Set();
    this.#overlapped.set(task, runs.add(runId));
    const [oldest] = runs;
    if (runs.size > MOST_OVERLAPPED) runs.delete(oldest);
  }

  /** Whether another run of the task goes on after this end: then the task still runs. */
  #goesOn(task: number, runId: string): boolean {
    const runs = this.#overlapped.size === 0 ? undefined : this.#overlapped.get(task);
    if (runs === undefined || runs.size === 0) return false;
    if (runs.delete(runId)) return true;
    if (!this.#isOf(task, runId)) return false;
    const [other] = runs;
    runs.delete(other);
    this.#table.run[task] = other;
    return true;
  }

  /**
   * The callback is about to be called: once per run (EA3), and after its start has become durable (A4). Answers whether this is a
   * start at all: one that is recorded a second time while its run is going is the same start.
   */
  #calling(task: number, runId: string, at: number, line: number): boolean {
    const { run, wasAsked } = this.#table;
    if (this.#table.known[task] === DURABLE && isSameRun(run[task], runId)) {
      run[task] = runId;
      this.#table.known[task] = DURABLE | CALLED;
      if (this.#earlier.size > 0) this.#earlier.delete(task);
    } else if (!this.#callingUnannounced(task, runId, at, line)) return false;
    if (this.isRecorded && !wasAsked[task]) {
      wasAsked[task] = true;
      this.#ledger.see('WA');
    }
    return true;
  }

  #callingUnannounced(task: number, runId: string, at: number, line: number): boolean {
    const known = this.#table.known[task];
    const isTwice = runId !== '' && this.#lastOf(task) === runId;
    if (isTwice) {
      const name = this.#table.nameOf(task);
      const words = sentence`RunStart of one and the same run of "${name}" was recorded twice`;
      this.#violate('EA3', 'environment', words, name, at, line);
      if (!(known & ENDED)) return false;
    }
    const durable = isTwice ? known & DURABLE : 0;
    if (this.#earlier.size > 0) this.#earlier.delete(task);
    this.#table.run[task] = runId;
    this.#table.known[task] = CALLED | durable;
    if (!this.isRecorded || durable !== 0) return true;
    const name = this.#table.nameOf(task);
    const words = sentence`"${name}" was called at ${{ at }} before its start was durable: a crash would have forgotten it`;
    this.#violate('WA', 'scheduler', words, name, at, line);
    return true;
  }

  #violate(
    axiom: string,
    blame: 'scheduler' | 'environment',
    words: ReturnType<typeof sentence>,
    task: string,
    at: number,
    line: number,
  ): void {
    this.#ledger.violate({
      axiom,
      task,
      at,
      blame,
      ...words,
      events: [evidence('RunStart', at, line, task)],
    });
  }

  /** Whether an end belongs to the run that was called last. */
  #isOf(task: number, runId: string): boolean {
    return isSameRun(this.#lastOf(task), runId);
  }

  /** An end is durable. If the next start of the task is durable already, so is this end. */
  #endDurable(task: number, runId: string): void {
    const known = this.#table.known[task];
    if (known & CALLED && isSameRun(this.#table.run[task], runId)) this.#table.known[task] = known | KEPT;
  }

  /** Every end is durable, and every start that was not called has been taken back. Answers the tasks of those starts. */
  allDurable(): readonly number[] {
    const takenBack: number[] = [];
    if (!this.isRecorded) return takenBack;
    for (let task = 0; task < this.#table.known.length; task++) {
      const known = this.#table.known[task];
      if (known & ENDED) this.#table.known[task] = known | KEPT;
      if (known !== DURABLE) continue;
      this.#table.known[task] = 0;
      takenBack.push(task);
    }
    return takenBack;
  }

  /** A crash: the tasks whose last end is not durable, and those whose start is durable and was not called. */
  crash(): { readonly ended: readonly number[]; readonly claimed: readonly number[] } {
    const ended: number[] = [];
    const claimed: number[] = [];
    if (this.isRecorded)
      for (let task = 0; task < this.#table.known.length; task++) {
        const known = this.#table.known[task];
        if (known === DURABLE) claimed.push(task);
        else if ((known & (ENDED | KEPT)) === ENDED) ended.push(task);
      }
    this.#overlapped.clear();
    this.#earlier.clear();
    this.#table.known.fill(0);
    return { ended, claimed };
  }
}

/** Whether two records speak of one run, as far as they name it. */
const isSameRun = (a: string, b: string): boolean => a === b || a === '' || b === '';
