/**
 * A direct model of rule A1, which knows what is durable. For each task name it keeps what the semantics say is kept, in two
 * copies: what is stored, and what the living process knows. It predicts every start: which task, from when, until when, for
 * which reason, under which key. A start that it did not predict is a violation. So is a prediction for which no start came, an
 * overlap, a call before its start was durable, and a write whose content is not what the rules say.
 *
 *     idle ──initialize──▶ initializing ──InitSuccess──▶ active ──stop──▶ stopping ──StopEnd──▶ idle
 *       ▲                        │                          │                 │
 *       └──────── failed ────────┘          a crash, from anywhere: idle, and only what is stored is left
 *
 * This file has the lives of processes and what is stored; `initialization.ts` has one `initialize`, `live-tasks.ts` the tasks of
 * a living process. The model does not predict when the scheduler looks at its clock, since latency belongs to the environment;
 * it predicts what follows from each look.
 */
import type { TaskRecord } from '../../core/record.ts';
import { readRecord } from '../../core/stored.ts';
import type { RunContext } from '../../scheduler/index.ts';
import type { Batch, PastRun, Refusal } from '../../store/port.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { countingOf } from './carried.ts';
import { Initialization } from './initialization.ts';
import type { AnsweredRequest, Judge, RunDetails, RunEnd, WorldTime } from './judge.ts';
import type { Retry } from './live-task.ts';
import { LiveTasks } from './live-tasks.ts';
import { Promptness } from './promptness.ts';
import { applyBatch, type ExpectedPlan, pastText, recordsText, recordText } from './rules.ts';
import type { Blame } from './violations.ts';

/** The longest backoff of the scheduler after store trouble is ten seconds; two more are allowed. */
const BACKOFF_MS = 12_000;
/** The scheduler notices a clock step at the latest when it wakes by itself, once a minute. */
const NOTICED_WITHIN_MS = 61_000;
/** The scheduler may take a smaller step for drift. */
const DRIFT_MS = 1000;

export class Model implements Judge {
  readonly #time: WorldTime;
  readonly #blame: Blame;
  readonly #promptness: Promptness;
  readonly #workers: number;
  readonly #stored = new Map<string, TaskRecord>();
  /** A line for each run that the history must have, the oldest first. */
  readonly #past: string[] = [];
  /** What a life knew whose stop failed, and its instance. */
  #carried = new Map<string, TaskRecord>();
  #instance = '';
  #state: 'idle' | 'initializing' | 'active' = 'idle';
  #isStopping = false;
  #judgesSteps = false;
  /** The last one, also when it is over. */
  #initialization: Initialization | undefined;
  #live: LiveTasks | undefined;
  readonly #sent = new WeakSet<Batch>();
  /** By how much the clock was set since the scheduler last noticed a step, and how much of that it may take for drift. */
  #unnoticedMs = 0;
  #driftMs = 0;

  /** `boundMs` is how long a start may take while nothing delays it. */
  constructor(time: WorldTime, blame: Blame, workers: number, boundMs: number) {
    this.#time = time;
    this.#blame = blame;
    this.#promptness = new Promptness(time, blame, boundMs);
    this.#workers = workers === 0 ? Number.POSITIVE_INFINITY : workers;
  }

  get isActive(): boolean {
    return this.#state === 'active' && !this.#isStopping;
  }

  /** What the last initialization must do, once it has written something. */
  get plan(): ExpectedPlan | undefined {
    return this.#initialization?.plan;
  }

  /** What the store must refuse of a batch that becomes durable now. */
  refusalsOf(batch: Batch, ungranted: ReadonlySet<string>): readonly Refusal[] {
    return applyBatch(new Map(this.#stored), batch, ungranted);
  }

  /** The retry that a task waits for, or waited for when it was claimed. */
  retryOf(name: string): Retry | undefined {
    return this.#live?.retryOf(name);
  }

  /** The cursor of some idle task; undefined if no task is idle. */
  get someCursor(): number | undefined {
    for (const { record, phase } of this.#live?.known() ?? [])
      if (phase === 'idle') return record.servedThrough;
    return undefined;
  }

  initializeCalled(tasks: readonly TaskPlan[], timeZone: string): void {
    this.#unnoticedMs = 0;
    this.#driftMs = 0;
    this.#state = 'initializing';
    this.#isStopping = false;
    const carried = () => countingOf(this.#carried, this.#stored, this.#instance);
    this.#initialization = new Initialization(tasks, timeZone, this.#stored, carried, this.#blame);
  }

  initializeReturned(error: Error | undefined): void {
    if (error !== undefined) this.#state = 'idle';
  }

  stopCalled(): void {
    this.#isStopping = true;
    if (this.#live !== undefined) this.#live.isStopping = true;
  }

  processDied(): void {
    this.#carried = new Map();
    this.#becomesIdle();
  }

  clockRead(now: number): void {
    if (this.#state === 'initializing') this.#initialization?.clockRead(now);
  }

  requestAnswered({ how }: AnsweredRequest): void {
    if (how === 'served') return;
    this.#promptness.disturbed(BACKOFF_MS);
    this.#initialization?.storeFailed();
  }

  storeTroubled(ms: number): void {
    this.#promptness.disturbed(ms + BACKOFF_MS);
  }

  computeWithheld(): void {
    this.#promptness.disturbed(0);
  }

  recorded(record: WrittenRecord): void {
    if (record.event === 'InitSuccess') this.#initSucceeded(record);
    // From here on the scheduler judges no clock step; the next one does.
    else if (record.event === 'StopStart') this.#judgesSteps = false;
    else if (record.event === 'StopEnd') this.#stopEnded(record.error === undefined ? 'stopped' : 'failed');
    else if (record.event === 'ClockStep') this.#stepNoticed(record);
  }

  batchSent(batch: Batch): void {
    if (this.#sent.has(batch)) return; // sent again after an unknown outcome (E9)
    this.#sent.add(batch);
    if (this.#state === 'initializing') return void this.#initialization?.batchSent(batch, this.#time.now);
    const live = this.#live;
    if (live === undefined)
      return void this.#blame('E5', 'a scheduler that is not active has written something');
    for (const end of batch.ends ?? []) live.endWritten(end);
    for (const unstart of batch.unstarts ?? []) live.takenBack(unstart);
    for (const move of batch.moves ?? []) live.moveWritten(move);
    for (const start of batch.starts ?? []) live.claimed(start);
    const { removes = [], puts = [], configures = [] } = batch;
    if (removes.length + puts.length + configures.length > 0)
      this.#blame('E4', 'a running scheduler changed registrations');
  }

  batchDurable(batch: Batch, ungranted: ReadonlySet<string>): void {
    for (const { change, name } of applyBatch(this.#stored, batch, ungranted, this.#past)) {
      if (change === 'start') this.#live?.refused(name);
      else this.#live?.overtaken(name);
    }
  }

  runStarted(task: string, run: RunDetails, { name }: RunContext): void {
    if (name !== task) this.#blame('F4', `${task} was given the name ${name}`);
    if (this.#live === undefined) this.#blame('A2', `${task} was called, but no scheduler is active`);
    this.#live?.called(task, run, this.#stored.get(task)?.run?.runId);
  }

  runEnded(task: string, { error }: RunEnd): void {
    this.#live?.ended(task, error === undefined ? 'success' : 'failure');
  }

  /** The scheduler does not know yet that its clock was set. */
  clockSet(byMs: number): void {
    this.#promptness.disturbed(NOTICED_WITHIN_MS);
    if (!this.isActive && this.plan === undefined) return; // before its plan, a scheduler need not notice
    this.#unnoticedMs += byMs;
    // Each small step by itself may be taken for drift.
    if (Math.abs(byMs) < DRIFT_MS) this.#driftMs += Math.abs(byMs);
  }

  /** No task may wait longer than the bound, and no clock step may go unnoticed. */
  beforeNextAction(): void {
    if (!this.isActive) return;
    const { calmFrom, boundMs } = this.#promptness;
    const isUnnoticed = Math.abs(this.#unnoticedMs) >= DRIFT_MS + this.#driftMs;
    if (isUnnoticed && this.#time.passed > calmFrom + boundMs)
      this.#blame('B5', `the clock was set by ${this.#unnoticedMs} ms, and the scheduler did not notice`);
    this.#live?.checkPrompt();
  }

  /** The disk must hold what the durable batches leave, and the history every run that they ended (J1). */
  storeInspected(records: readonly unknown[], past: readonly PastRun[]): void {
    const runs = past.map(pastText).reverse().join('\n');
    const wanted = this.#past.join('\n');
    if (runs !== wanted) this.#blame('J1', `the history has\n${runs}\nbut should have\n${wanted}`);
    const found = recordsText(records.map(readRecord));
    const expected = recordsText(this.#stored.values());
    if (found !== expected) this.#blame('E5', `stored:\n${found}\nexpected:\n${expected}`);
  }

  #initSucceeded({ at, instance }: Extract<WrittenRecord, { event: 'InitSuccess' }>): void {
    const initialization = this.#initialization;
    if (initialization === undefined) return;
    const facts = { instance, timeZone: initialization.timeZone, workers: this.#workers };
    const live = new LiveTasks(this.#time, this.#blame, this.#promptness, facts);
    for (const { record, cursor } of initialization.succeeded(at)) live.add(record, cursor);
    live.isStopping = this.#isStopping;
    this.#judgesSteps = !this.#isStopping;
    this.#live = live;
    this.#carried.clear();
    this.#state = 'active';
  }

  #stopEnded(outcome: 'stopped' | 'failed'): void {
    if (this.#state === 'idle') return;
    this.#carried = new Map();
    this.#instance = this.#live?.instance ?? '';
    for (const { record, phase, overtaken } of this.#live?.known() ?? []) {
      const { name } = record;
      if (phase === 'running') this.#blame('D7', `stop ended while ${name} was running`);
      if (outcome === 'failed') {
        // The last write may still arrive, so only the next initialization can see whether this record or the stored one counts.
        this.#carried.set(name, record);
        continue;
      }
      if (overtaken) continue;
      const stored = this.#stored.get(name);
      if (phase === 'claimed') this.#blame('A4', `${name} was claimed, not called, and not taken back`);
      else if (stored === undefined || recordText(stored) !== recordText(record))
        this.#blame('D7', `after stop: ${stored && recordText(stored)}, but ${recordText(record)}`);
    }
    this.#becomesIdle();
  }

  #becomesIdle(): void {
    this.#live = undefined;
    this.#state = 'idle';
    this.#isStopping = false;
  }

  /** The scheduler has noticed that the clock was set. */
  #stepNoticed({ from, to }: { readonly from: number; readonly to: number }): void {
    this.#unnoticedMs = 0;
    this.#driftMs = 0;
    if (to < from && this.#judgesSteps) this.#live?.setBack(to);
  }
}
