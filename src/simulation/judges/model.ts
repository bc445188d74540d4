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
import type { Batch, ControlRequest, PastRun, Refusal } from '../../store/port.ts';
import type { RecordWith, WrittenRecord } from '../../trace/record.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { Initialization } from './initialization.ts';
import type { AnsweredRequest, Judge, RunDetails, RunEnd, SeenContext, WorldTime } from './judge.ts';
import type { LastEnd, Retry } from './live-task.ts';
import { LiveTasks } from './live-tasks.ts';
import type { ExpectedPlan } from './plan.ts';
import { Promptness } from './promptness.ts';
import { Reload } from './reload.ts';
import { Requests } from './requests.ts';
import { Stored } from './stored.ts';
import { recordText } from './texts.ts';
import { UnnoticedSteps } from './unnoticed-steps.ts';
import type { Blame } from './violations.ts';

/** The longest backoff of the scheduler after store trouble is ten seconds; two more are allowed. */
const BACKOFF_MS = 12_000;
/** The scheduler notices a clock step at the latest when it wakes by itself, once a minute. */
const NOTICED_WITHIN_MS = 61_000;

/** The names that another list has changed. */
export interface ListChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly overridden: readonly string[];
}

interface ListInForce {
  readonly names: ReadonlySet<string>;
  readonly timeZone: string;
}

export class Model implements Judge {
  readonly #time: WorldTime;
  readonly #blame: Blame;
  readonly #promptness: Promptness;
  readonly #workers: number;
  readonly #stored: Stored;
  readonly #requests: Requests;
  #state: 'idle' | 'initializing' | 'active' = 'idle';
  #isStopping = false;
  #judgesSteps = false;
  /** The plan of a list that is on its way (I5), and the names of it that were there before. */
  #plan: Batch = {};
  #wereThere: ReadonlySet<string> = new Set();
  /** What the last list has changed, if it came while another one was in force. */
  edited: ListChanges | undefined;
  /** By call, in the order in which they are served. */
  readonly #reloads = new Map<number, Reload>();
  /** The list that counts, and each list that is on its way, by its call. */
  #inForce: ListInForce = { names: new Set(), timeZone: 'UTC' };
  readonly #lists = new Map<number, ListInForce>();
  /** The last one, also when it is over. */
  #initialization: Initialization | undefined;
  #live: LiveTasks | undefined;
  readonly #sent = new WeakSet<Batch>();
  readonly #steps = new UnnoticedSteps();

  /** `boundMs` is how long a start may take while nothing delays it. */
  constructor(time: WorldTime, blame: Blame, workers: number, boundMs: number) {
    this.#time = time;
    this.#blame = blame;
    this.#promptness = new Promptness(time, blame, boundMs);
    this.#stored = new Stored(blame);
    this.#requests = new Requests(time, blame);
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
    return this.#stored.refusalsOf(batch, ungranted);
  }

  /** How the last run of a task ended. */
  lastEndOf(name: string): LastEnd | undefined {
    return this.#live?.lastEndOf(name);
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
    this.#steps.noticed();
    this.#state = 'initializing';
    this.#isStopping = false;
    this.#initialization = new Initialization(tasks, timeZone, this.#stored.records, this.#blame);
  }

  initializeReturned(error: Error | undefined): void {
    if (error !== undefined) this.#state = 'idle';
  }

  stopCalled(): void {
    this.#isStopping = true;
    this.#live?.stop();
  }

  processDied(): void {
    this.#becomesIdle();
  }

  clockRead(now: number): void {
    if (this.#state === 'initializing') this.#initialization?.clockRead(now);
    for (const reload of this.#reloads.values()) reload.clockRead(now);
  }

  requestAnswered({ how }: AnsweredRequest): void {
    if (how !== 'served') this.#promptness.disturbed(BACKOFF_MS);
  }

  storeTroubled(ms: number): void {
    this.#promptness.disturbed(ms + BACKOFF_MS);
  }

  computeWithheld(): void {
    this.#promptness.disturbed(0);
  }

  recorded(record: WrittenRecord): void {
    switch (record.event) {
      case 'InitStart':
        this.#listCame(record);
        break;
      case 'InitFailure':
        if (this.#reloads.keys().next().value === record.call) this.#plan = {};
        this.#reloads.delete(record.call);
        break;
      case 'InitSuccess':
        this.#listInForce(record);
        break;
      case 'StopStart':
        // From here on the scheduler judges no clock step; the next one does.
        this.#judgesSteps = false;
        break;
      case 'StopEnd':
        this.#stopEnded(record.error === undefined ? 'stopped' : 'failed');
        break;
      case 'ClockStep':
        this.#stepNoticed(record);
        break;
      case 'RunSuccess':
      case 'RunFailure':
      case 'RunInterrupted':
        this.#live?.ended(record.task, record.runId, saidBy(record));
        break;
      case 'DueSkipped':
        this.#live?.skipped(record);
        break;
      case 'RunRequested':
      case 'Paused':
      case 'Resumed':
      case 'CancelRequested':
        if (this.#live !== undefined && this.#requests.recorded(record)) this.#live.controlled(record);
    }
  }

  batchSent(batch: Batch): void {
    if (this.#sent.has(batch)) return; // sent again after an unknown outcome (E9)
    this.#sent.add(batch);
    if (this.#state === 'initializing') return void this.#initialization?.batchSent(batch);
    const live = this.#live;
    const { puts = [], configures = [] } = batch;
    const isPlan = puts.length + configures.length > 0 || batch.starts === undefined;
    if (isPlan) return void this.#planned(batch);
    if (live === undefined)
      return void this.#blame('E5', 'a scheduler that is not active has written something');
    const { unwritten } = live;
    for (const answer of batch.answers ?? []) this.#requests.answered(answer, live);
    for (const pause of batch.pauses ?? []) unwritten.pauseWritten(pause);
    for (const end of batch.ends ?? []) unwritten.endWritten(end);
    for (const unstart of batch.unstarts ?? []) live.takenBack(unstart);
    for (const move of batch.moves ?? []) unwritten.moveWritten(move);
    for (const start of batch.starts ?? []) live.claimed(start);
  }

  #listCame({ call, registrations, timeZone, reload }: RecordWith<'InitStart', 'call'>): void {
    this.#lists.set(call, { names: new Set(registrations.map(({ name }) => name)), timeZone });
    if (reload !== true) return;
    this.#reloads.set(call, new Reload(registrations, timeZone, this.#stored.records, this.#blame));
  }

  /** The plan of another list, alone in its batch. */
  #planned(batch: Batch): void {
    const reload = this.#reloads.values().next().value;
    if (reload === undefined) this.#blame('E4', 'a running scheduler changed registrations');
    else reload.planned(batch);
    this.#plan = batch;
    this.#wereThere = new Set(this.#stored.records.keys());
  }

  #listInForce(record: RecordWith<'InitSuccess', 'call' | 'instance' | 'plannedAt'>): void {
    const before = this.#inForce;
    this.#inForce = this.#lists.get(record.call) ?? before;
    this.#reloads.delete(record.call);
    this.#requests.listed(this.#inForce.names, before.names);
    if (record.reload === true) this.#edited(record);
    else this.#initSucceeded(record);
  }

  /** Another list is in force. */
  #edited({ plannedAt }: Extract<WrittenRecord, { event: 'InitSuccess' }>): void {
    const { puts = [], removes = [], configures = [] } = this.#plan;
    const added = Array.from(puts, ({ name }) => name);
    const reset = added.filter((name) => this.#wereThere.has(name));
    this.edited = { added, removed: removes, overridden: [...configures.map(({ name }) => name), ...reset] };
    this.#live?.edit({ ...this.#inForce, plan: this.#plan, plannedAt: plannedAt ?? this.#time.now });
    this.#plan = {};
  }

  batchDurable(batch: Batch, ungranted: ReadonlySet<string>): void {
    this.#requests.durable(batch);
    if (batch.starts !== undefined) this.#live?.removed(batch.removes ?? []);
    for (const { change, name } of this.#stored.apply(batch, ungranted)) {
      if (change === 'start') this.#live?.refused(name);
      else this.#live?.overtaken(name);
    }
  }

  runStarted(task: string, run: RunDetails, seen: SeenContext): void {
    const { name } = seen;
    if (name !== task) this.#blame('F4', `${task} was given the name ${name}`);
    if (this.#live === undefined) this.#blame('A2', `${task} was called, but no scheduler is active`);
    this.#requests.called(task, run.runId);
    this.#live?.called(task, run, seen, this.#stored.records.get(task)?.run?.runId);
  }

  runEnded(task: string, end: RunEnd): void {
    this.#live?.over(task, end);
  }

  /** The scheduler does not know yet that its clock was set. */
  clockSet(byMs: number): void {
    this.#promptness.disturbed(NOTICED_WITHIN_MS);
    if (!this.isActive && this.plan === undefined) return; // before its plan, a scheduler need not notice
    this.#steps.set(byMs);
  }

  /** No task may wait longer than the bound, and no clock step may go unnoticed. */
  beforeNextAction(): void {
    if (!this.isActive) return;
    const { calmFrom, boundMs } = this.#promptness;
    if (this.#steps.isStep && this.#time.passed > calmFrom + boundMs)
      this.#blame('B5', `the clock was set by ${this.#steps.byMs} ms, and the scheduler did not notice`);
    this.#live?.checkPrompt();
  }

  storeInspected(records: readonly unknown[], past: readonly PastRun[]): void {
    this.#stored.inspected(records, past);
  }

  requestAsked(request: ControlRequest): void {
    this.#requests.asked(request);
  }

  /** A scheduler that initializes decides what it is asked when it begins, and one that stops leaves it to the next. */
  requestsDelivered(requests: readonly ControlRequest[]): void {
    if (!this.#isStopping) this.#requests.delivered(requests, this.isActive ? this.#live : undefined);
  }

  worldIsCalm(): void {
    this.#requests.mustBeAnswered();
    for (const name of this.#stored.records.keys())
      if (!this.#inForce.names.has(name)) this.#blame('I5', `${name} was left out, and is still stored`);
  }

  #initSucceeded({ plannedAt, instance }: Extract<WrittenRecord, { event: 'InitSuccess' }>): void {
    const initialization = this.#initialization;
    this.edited = undefined;
    if (initialization === undefined) return;
    const facts = { instance, timeZone: initialization.timeZone, workers: this.#workers };
    const live = new LiveTasks(this.#time, this.#blame, this.#promptness, facts);
    for (const record of initialization.succeeded(plannedAt)) live.add(record);
    live.isStopping = this.#isStopping;
    this.#judgesSteps = !this.#isStopping;
    this.#live = live;
    this.#state = 'active';
  }

  #stopEnded(outcome: 'stopped' | 'failed'): void {
    if (this.#state === 'idle') return;
    if (outcome === 'stopped') this.#requests.stopped();
    for (const { record, phase, overtaken } of this.#live?.known() ?? []) {
      const { name } = record;
      if (phase === 'running') this.#blame('D7', `stop ended while ${name} was running`);
      if (outcome === 'failed' || overtaken) continue;
      const stored = this.#stored.records.get(name);
      if (phase === 'claimed') this.#blame('A4', `${name} was claimed, not called, and not taken back`);
      else if (stored === undefined || recordText(stored) !== recordText(record))
        this.#blame('D7', `after stop: ${stored && recordText(stored)}, but ${recordText(record)}`);
    }
    this.#becomesIdle();
  }

  #becomesIdle(): void {
    this.#requests.forget();
    this.#reloads.clear();
    this.#plan = {};
    this.#live = undefined;
    this.#state = 'idle';
    this.#isStopping = false;
  }

  /** The scheduler has noticed that the clock was set. */
  #stepNoticed({ from, to }: { readonly from: number; readonly to: number }): void {
    this.#steps.noticed();
    if (to < from && this.#judgesSteps) this.#live?.setBack(to);
  }
}

/** How a run has ended, by its record. */
function saidBy(record: Extract<WrittenRecord, { event: `Run${'Success' | 'Failure' | 'Interrupted'}` }>) {
  if (record.event === 'RunFailure') return record.outcome ?? 'failure';
  return record.event === 'RunSuccess' ? 'success' : 'interrupted';
}
