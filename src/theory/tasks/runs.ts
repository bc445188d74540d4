/**
 * The runs of tasks: what the trace shows of each, and what has become durable, the evidence for A4 (WA) and T10.
 *
 *     StartDurable ──▶ RunStart ──▶ RunSuccess, RunFailure ──▶ EndDurable
 *       durable         called             ended                 kept
 *
 * `RunInterrupted` is an end, too, and for the theory a crash of that run alone (T19).
 *
 * Between the first two and between the last two, the store knows something else than the trace shows. If a crash comes there, the
 * next process may go on from either: the crash leaves the task in doubt. A stop that resolves has made every end durable and taken
 * back every start that was not called. So has an initialization. After a crash nothing is known of any run.
 */
import type { RecordOf, RunEvent } from '../../trace/record.ts';
import type { Workers } from '../delays/compute.ts';
import { bits } from '../logic/atoms.ts';
import { probes } from '../logic/compiled.ts';
import type { WellFormed } from '../records/well-formed.ts';
import type { Ledger } from '../verdict/ledger.ts';
import { sentence, violationBy } from '../verdict/verdict.ts';
import type { Task } from './task.ts';
import type { Tasks } from './tasks.ts';

type RunRecord = RecordOf<RunEvent>;
/** What a run concerns. */
export interface RunParts {
  readonly tasks: Tasks;
  readonly ledger: Ledger;
  readonly wellFormed: WellFormed;
  readonly workers: Workers;
}

/** What is known of the last run of a task that was called: a bit each. */
const DURABLE = 1;
const ENDED = 2;
const KEPT = 4;

const ENDS = { RunSuccess: bits.REs, RunFailure: bits.REf, RunInterrupted: bits.Crash } as const;

/** So many overlapped runs of a task are remembered. */
const MOST_OVERLAPPED = 16;

export class Runs {
  readonly #parts: RunParts;
  /** Whether this trace has durability records at all: without them nothing is excused, and WA is not asked. */
  isRecorded: boolean;
  /** Runs that were still going when their task was started again. They end too, but they are not the current run. */
  readonly #overlapped = new Map<Task, Set<string>>();

  constructor(parts: RunParts, isRecorded: boolean) {
    this.#parts = parts;
    this.isRecorded = isRecorded;
  }

  /** A callback is called. Answers whether quiescence has changed. */
  start({ task: name, runId = '', instance }: RunRecord): boolean {
    const { tasks, ledger, wellFormed, workers } = this.#parts;
    const { now, line } = ledger;
    if (instance !== wellFormed.instance) wellFormed.startedByAnother(name, instance);
    const task = tasks.task(name);
    const lastRun = task.run;
    if (!this.#calling(task, runId)) return false;
    const seen = tasks.started(task, now);
    task.startedAt = now;
    task.startLine = line;
    if (seen & probes.wasRunning) this.#overlapping(task, lastRun);
    return (seen & (probes.wasRunning | probes.running)) === probes.running && workers.runs(1, now);
  }

  /** A callback has ended. Answers whether quiescence has changed. */
  end(record: RunRecord): boolean {
    const { event, task: name, runId = '' } = record;
    const { tasks, ledger, wellFormed, workers } = this.#parts;
    const { now, line } = ledger;
    const bit = ENDS[event === 'RunSuccess' || event === 'RunInterrupted' ? event : 'RunFailure'];
    const task = tasks.task(name);
    if (this.#goesOn(task, runId)) return false;
    const { completedAt = now } = record.event === 'RunSuccess' ? record : {};
    const seen = tasks.ended(task, bit, now, Math.min(completedAt, now));
    task.endedAt = now;
    task.endLine = line;
    task.endedBy = event;
    // What did not run did not fail: a stray record leaves no retry.
    if (bit === bits.REf && seen & probes.wasRunning) tasks.failed(task, now);
    if ((seen & (probes.running | probes.wasRunning)) !== probes.wasRunning) return false;
    if (!isSameRun(task.run, runId))
      wellFormed.malformed(`run ${runId} of "${name}" ends, but another one runs`);
    // If the next start of the task is durable already, so is this end.
    if (task.claimed === undefined) task.known |= ENDED;
    return workers.runs(-1, now);
  }

  /** The start or the end of a run has become durable. */
  durable({ event, task: name, runId = '' }: RunRecord): void {
    this.isRecorded = true;
    const { tasks, ledger } = this.#parts;
    const task = tasks.task(name);
    if (event === 'EndDurable') {
      if (!isSameRun(task.run, runId)) return;
      task.known |= KEPT;
      tasks.durableEnd = Math.max(tasks.durableEnd, task.endedAs);
    } else if (runId !== '' && task.run === runId) task.known |= DURABLE;
    else {
      // Without run ids it is taken for the start that comes next.
      if (task.known & ENDED) forget(task);
      task.claimed = runId;
      tasks.claimed(task, ledger.now);
    }
  }

  /** A task was started while another run of it was going. */
  #overlapping(task: Task, runId: string): void {
    if (runId === '') return;
    const runs = this.#overlapped.get(task) ?? new Set();
    this.#overlapped.set(task, runs.add(runId));
    const [oldest] = runs;
    if (runs.size > MOST_OVERLAPPED) runs.delete(oldest);
  }

  /** Whether another run of the task goes on after this end: then the task still runs. */
  #goesOn(task: Task, runId: string): boolean {
    const runs = this.#overlapped.size === 0 ? undefined : this.#overlapped.get(task);
    if (runs === undefined || runs.size === 0) return false;
    if (runs.delete(runId)) return true;
    if (!isSameRun(task.run, runId)) return false;
    const [other] = runs;
    runs.delete(other);
    task.run = other;
    return true;
  }

  /**
   * The callback is about to be called: once per run (EA3), and after its start has become durable (A4). Answers whether this is a
   * start at all: one that is recorded a second time while its run is going is the same start.
   */
  #calling(task: Task, runId: string): boolean {
    if (task.claimed !== undefined && isSameRun(task.claimed, runId)) {
      task.run = runId;
      task.known = DURABLE;
      task.claimed = undefined;
    } else if (!this.#callingUnannounced(task, runId)) return false;
    if (this.isRecorded && !task.wasAsked) {
      task.wasAsked = true;
      this.#parts.ledger.entry('WA').isSeen = true;
    }
    return true;
  }

  #callingUnannounced(task: Task, runId: string): boolean {
    const { ledger } = this.#parts;
    const { name, known } = task;
    const isTwice = runId !== '' && task.run === runId;
    if (isTwice) {
      const words = sentence`RunStart of one and the same run of "${name}" was recorded twice`;
      ledger.violate(violationBy('EA3', 'environment', words, ledger.atHand('RunStart', name)));
      if (!(known & ENDED)) return false;
    }
    const durable = isTwice ? known & DURABLE : 0;
    task.run = runId;
    task.known = durable;
    task.claimed = undefined;
    if (!this.isRecorded || durable !== 0) return true;
    const words = sentence`"${name}" was called at ${{ at: ledger.now }} before its start was durable: a crash would have forgotten it`;
    ledger.violate(violationBy('WA', 'scheduler', words, ledger.atHand('RunStart', name)));
    return true;
  }

  /** Every end is durable, and every start that was not called has been taken back. Answers the tasks of those starts. */
  allDurable(): readonly Task[] {
    const takenBack: Task[] = [];
    if (!this.isRecorded) return takenBack;
    for (const task of this.#parts.tasks.table.all) {
      if (task.known & ENDED) task.known |= KEPT;
      if (task.claimed === undefined) continue;
      task.claimed = undefined;
      takenBack.push(task);
    }
    return takenBack;
  }

  /** A crash of all runs, or of some: the tasks whose last end is not durable, and those whose start is durable and was not called. */
  crash(tasks: Iterable<Task> = this.#parts.tasks.table.all): {
    readonly ended: readonly Task[];
    readonly claimed: readonly Task[];
  } {
    const ended: Task[] = [];
    const claimed: Task[] = [];
    for (const task of tasks) {
      if (task.claimed !== undefined) claimed.push(task);
      else if (this.isRecorded && (task.known & (ENDED | KEPT)) === ENDED) ended.push(task);
      this.#overlapped.delete(task);
      forget(task);
    }
    return { ended, claimed };
  }
}

function forget(task: Task): void {
  task.run = '';
  task.known = 0;
  task.claimed = undefined;
}

/** Whether two records speak of one run, as far as they name it. */
const isSameRun = (a: string, b: string): boolean => a === b || a === '' || b === '';
