/**
 * A direct model of rule A1, told which writes are durable. It keeps what the semantics say is kept of every name, and two copies
 * of it: what is stored, and what the living process knows. Every start is predicted: which task, at the earliest when, at the
 * latest when, for which reason, under which key. A start that was not predicted is a violation, and so is a prediction that no start
 * came for, an overlap, a start called before it was durable, or a write whose content is not what the rule says.
 *
 *     nobody ──initialize──▶ initializing ──InitSuccess──▶ active ──stop──▶ stopping ──StopEnd──▶ nobody
 *        ▲                        │                          │                 │
 *        └──────── failed ────────┘          a crash, from anywhere: nobody, and only what is stored is left
 *
 * This is the part about lives and what is stored; `live-tasks.ts` has the tasks of a living process. The instants at which the
 * scheduler looks at the clock are given, since latency is the environment's; what follows from them is not.
 */
import type { TaskRecord } from '../../core/record.ts';
import { readRecord } from '../../core/stored.ts';
import type { Batch, EndChange } from '../../store/port.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { Timeline } from '../machine/timeline.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { type Given, LiveTasks } from './live-tasks.ts';
import { applyBatch, cursorBefore, type ExpectedPlan, planOf, planText, recordText } from './rules.ts';
import { BACKOFF_MS, Verdicts, type Violation } from './violations.ts';

export class Model {
  starts = 0;
  readonly #verdicts: Verdicts;
  readonly #timeline: Timeline;
  readonly #workers: number;
  readonly #stored = new Map<string, TaskRecord>();
  /** What a life knew whose stop failed, and its instance. */
  #carried = new Map<string, TaskRecord>();
  #instance = '';
  #live: LiveTasks | undefined;
  #state: 'nobody' | 'initializing' | 'active' = 'nobody';
  #isStopping = false;
  #judgesSteps = false;
  #timeZone = 'UTC';
  #tasks: readonly TaskPlan[] = [];
  #plan: ExpectedPlan | undefined;
  /** Where the cursors of new names were moved when a minute rolled over. */
  #rolledTo: number | undefined;
  #rollOverFailed = false;
  #readings: number[] = [];
  readonly #seen = new WeakSet<Batch>();
  /** By how much the clock was set since the scheduler last noticed, and how much of that may be taken for drift. */
  #unnoticedMs = 0;
  #driftMs = 0;

  /** `boundMs` is how long a start may take when nothing is the matter. */
  constructor(timeline: Timeline, workers: number, boundMs: number) {
    this.#timeline = timeline;
    this.#verdicts = new Verdicts(timeline, boundMs);
    this.#workers = workers === 0 ? Number.POSITIVE_INFINITY : workers;
  }

  get violations(): readonly Violation[] {
    return this.#verdicts.violations;
  }

  perturbed(graceMs: number): void {
    this.#verdicts.perturbed(graceMs);
  }

  blame(rule: string, because: string): void {
    this.#verdicts.blame(rule, because);
  }

  get isActive(): boolean {
    return this.#state === 'active' && !this.#isStopping;
  }

  initCalled(tasks: readonly TaskPlan[], timeZone: string): void {
    this.#timeZone = timeZone;
    this.#unnoticedMs = 0;
    this.#driftMs = 0;
    this.#state = 'initializing';
    this.#isStopping = false;
    this.#tasks = tasks;
    this.#plan = undefined;
    this.#rolledTo = undefined;
    this.#readings = [];
  }

  /** The process looked at its clock. */
  reading(now: number): void {
    if (this.#state === 'initializing' && this.#readings.at(-1) !== now) this.#readings.push(now);
  }

  storeFailed(): void {
    this.perturbed(BACKOFF_MS);
    if (this.#rolledTo !== undefined) this.#rollOverFailed = true;
  }

  initFailed(): void {
    this.#state = 'nobody';
  }

  initSucceeded(record: Extract<WrittenRecord, { event: 'InitSuccess' }>): void {
    const plan = this.#plan ?? this.#choosePlan({});
    this.#plan = plan;
    const rolled = Math.max(cursorBefore(record.at, this.#timeZone), this.#rolledTo ?? -Infinity);
    const live = new LiveTasks(this.#verdicts, record.instance, this.#timeZone, this.#workers);
    for (const [name, planned] of plan.records) {
      const moves = plan.fresh.has(name) && rolled > planned.servedThrough;
      if (moves && this.#rolledTo === undefined) this.blame('D6', `the cursor of ${name} was not moved`);
      // Written with the first starts: what could not be, and what came after.
      const isUnwritten = moves && (this.#rollOverFailed || this.#rolledTo !== rolled);
      const begun = moves ? { ...planned, servedThrough: rolled } : planned;
      live.add(begun, isUnwritten ? 'unwritten' : 'written');
    }
    live.isStopping = this.#isStopping;
    this.#judgesSteps = !this.#isStopping;
    this.#live = live;
    this.#carried.clear();
    this.#state = 'active';
  }

  /** From the record of its stop on, a scheduler judges no step of the clock: the next one does. */
  stopStarted(): void {
    this.#judgesSteps = false;
  }

  stopCalled(): void {
    if (this.#state === 'nobody') return;
    this.#isStopping = true;
    if (this.#live !== undefined) this.#live.isStopping = true;
  }

  stopEnded(outcome: 'stopped' | 'failed'): void {
    if (this.#state === 'nobody') return;
    this.#carried = new Map();
    this.#instance = this.#live?.instance ?? '';
    for (const { record, phase } of this.#live?.known() ?? []) {
      const { name } = record;
      if (phase === 'running') this.blame('D7', `stop ended while ${name} was running`);
      if (outcome === 'failed') {
        // What was on its way may still arrive, so only the next initialization can tell whose word counts.
        this.#carried.set(name, record);
        continue;
      }
      const stored = this.#stored.get(name);
      if (phase === 'claimed') this.blame('A4', `${name} was claimed, not called, and not taken back`);
      else if (stored === undefined || recordText(stored) !== recordText(record))
        this.blame('D7', `after stop: ${stored && recordText(stored)}, but ${recordText(record)}`);
    }
    this.#nobody();
  }

  died(): void {
    this.#carried = new Map();
    this.#nobody();
  }

  #nobody(): void {
    this.#live = undefined;
    this.#state = 'nobody';
    this.#isStopping = false;
  }

  commitCalled(batch: Batch): void {
    if (this.#seen.has(batch)) return; // sent again after an unknown outcome (E9)
    this.#seen.add(batch);
    if (this.#state === 'initializing') return void this.#initCommit(batch);
    const live = this.#live;
    if (live === undefined) return void this.blame('E5', 'something was written while nobody was active');
    for (const end of batch.ends ?? []) live.endWritten(end);
    for (const unstart of batch.unstarts ?? []) live.takenBack(unstart);
    for (const move of batch.moves ?? []) live.moveWritten(move);
    for (const start of batch.starts ?? []) live.claimed(start);
    const { removes = [], puts = [], configures = [] } = batch;
    if (removes.length + puts.length + configures.length > 0)
      this.blame('E4', 'a running scheduler changed registrations');
  }

  called(name: string, given: Given): void {
    this.starts++;
    if (this.#live === undefined) this.blame('A2', `${name} was called, but nobody is active`);
    this.#live?.called(name, given, this.runOf(name));
  }

  ended(name: string, outcome: EndChange['outcome']): void {
    this.#live?.ended(name, outcome);
  }

  /** The run that the store shows for a task. */
  runOf(name: string): string | undefined {
    return this.#stored.get(name)?.run?.runId;
  }

  /** The cursor of some task that is not running; undefined if there is none. */
  get someCursor(): number | undefined {
    for (const { record, phase } of this.#live?.known() ?? [])
      if (phase === 'idle') return record.servedThrough;
    return undefined;
  }

  /** What the last initialization had to do. */
  get plan(): ExpectedPlan | undefined {
    return this.#plan;
  }

  /** Since when, and for which retry, a task waits: as it was when it was claimed. */
  retryOf(name: string): ReturnType<LiveTasks['retryOf']> | undefined {
    return this.#live?.retryOf(name);
  }

  durable(batch: Batch, refused: readonly string[]): void {
    const starts = batch.starts?.filter(({ name }) => !refused.includes(name)) ?? [];
    applyBatch(this.#stored, { ...batch, starts });
    for (const name of refused) this.#live?.refused(name);
  }

  #initCommit(batch: Batch): void {
    if (this.#plan === undefined) {
      this.#plan = this.#choosePlan(batch);
      return;
    }
    const expected = cursorBefore(this.#timeline.now, this.#timeZone);
    this.#rolledTo = expected;
    this.#rollOverFailed = false;
    for (const { name, servedThrough } of batch.moves ?? []) {
      if (this.#plan.fresh.has(name) && servedThrough === expected) continue;
      this.blame('D6', `the cursor of ${name} was moved to ${servedThrough}`);
    }
  }

  /** The instant of the plan is the scheduler's reading of its clock; if there were several, the one that explains the batch. */
  #choosePlan(batch: Batch): ExpectedPlan {
    const text = planText(batch);
    // What a failed stop left behind counts only where the store still shows that life's own unfinished run.
    const carried = new Map(
      [...this.#carried].filter(([name]) => this.#stored.get(name)?.run?.instanceId === this.#instance),
    );
    const plans = this.#readings.map((now) =>
      planOf(this.#stored, carried, this.#tasks, this.#timeZone, now),
    );
    const plan = plans.findLast((each) => planText(each.batch) === text);
    if (plan !== undefined) return plan;
    const [expected] = plans;
    if (expected === undefined) throw new Error('an initialization that never looked at the clock');
    this.blame('E4', `initialize wrote\n${text}\nbut owed\n${planText(expected.batch)}`);
    return expected;
  }

  /** Somebody has set the clock; the scheduler does not know yet. */
  clockSet(byMs: number): void {
    // From the plan of an initialization on, a step is the scheduler's business.
    if (!this.isActive && this.#plan === undefined) return;
    this.#unnoticedMs += byMs;
    // Less than that may be taken for drift, each by itself.
    if (Math.abs(byMs) < 1000) this.#driftMs += Math.abs(byMs);
  }

  /** The scheduler has noticed that the clock was set. */
  clockStepped({ from, to }: { readonly from: number; readonly to: number }): void {
    this.#unnoticedMs = 0;
    this.#driftMs = 0;
    if (to < from && this.#judgesSteps) this.#live?.setBack(to);
  }

  /** Nobody may have been owed a start for longer than the bound; asked now and then, and at the end. */
  checkPrompt(): void {
    if (!this.isActive) return;
    const { calmFrom, boundMs } = this.#verdicts;
    const isUnnoticed = Math.abs(this.#unnoticedMs) >= 1000 + this.#driftMs;
    if (isUnnoticed && this.#timeline.passed > calmFrom + boundMs)
      this.blame('B5', `the clock was set by ${this.#unnoticedMs} ms, and nobody noticed`);
    this.#live?.checkPrompt();
  }

  /** What the disk really holds must be what the writes were to leave. */
  checkStored(records: readonly unknown[]): void {
    const found = records.map(readRecord).map(recordText).sort().join('\n');
    const owed = [...this.#stored.values()].map(recordText).sort().join('\n');
    if (found !== owed) this.blame('E5', `stored:\n${found}\nowed:\n${owed}`);
  }
}
