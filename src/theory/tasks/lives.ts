/**
 * The lives of the scheduler, as its calls and its crashes show them.
 *
 *     ──initialize──▶ active ──stop called──▶ stopping ──stop ended──▶ at rest ──initialize──▶ active
 *                       └────────crash──────────┴─────────────────────▶ at rest, with tasks in doubt (T10, T11)
 */
import type { RecordOf } from '../../trace/record.ts';
import { isSameList, readList, Schedules } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import { probes } from '../logic/compiled.ts';
import { sentence, violationBy } from '../verdict/verdict.ts';
import { type Call, type Calls, isEndOf } from './calls.ts';
import { crash, goesOn, instanceDied, maybeTakenOver } from './crashes.ts';
import type { Derived } from './derived.ts';
import { committed, initialize, remove } from './initializations.ts';
import type { RunParts, Runs } from './runs.ts';

/** What a call or a crash concerns. */
export interface LifeParts extends RunParts {
  readonly calls: Calls;
  readonly derived: Derived;
  readonly runs: Runs;
}

export class Lives {
  readonly #parts: LifeParts;
  readonly #schedules = new Schedules();
  #isActive = false;
  /** A stop was called while the scheduler was active: only such a stop makes anything durable. */
  #isStopping = false;
  /** Lists that failed to replace the one in force because of the store, which may hold them until they are taken back (E9). */
  #perhapsStored: Call[] = [];

  constructor(parts: LifeParts) {
    this.#parts = parts;
  }

  /** What every call sees at any position: whether nothing runs. */
  #quiescence(): number {
    return this.#parts.workers.isQuiescent ? bits.Quiescent : 0;
  }

  initStart(record: RecordOf<'InitStart'>): void {
    const { call: id, registrations, timeZone: zone } = record;
    const { now, line } = this.#parts.ledger;
    if (this.#isRecordedTwice('initialize', id)) return;
    // A scheduler that reloads serves one call after the other (I5).
    const isReload = record.reload === true;
    const beganBusy = isReload ? !this.#isActive : this.#isActive || this.#parts.calls.open.length > 0;
    this.#disturb((call) => !(isReload && call.isReload));
    const read = readList(registrations, zone === '' ? 'UTC' : zone, this.#schedules);
    const workers = this.#limitOf(record);
    this.#parts.tasks.everyone(bits.IS, now);
    const begun = { kind: 'initialize', id, at: now, line, isReload, beganBusy } as const;
    this.#parts.calls.begin({ ...begun, ...read, workers }, bits.IS | this.#quiescence());
  }

  /** Something goes on that some open calls may be refused for (T6). */
  #disturb(isConcerned: (call: Call) => boolean): void {
    for (const call of this.#parts.calls.open) if (isConcerned(call)) call.isBusy = true;
  }

  initEnd(record: RecordOf<'InitSuccess' | 'InitFailure'>): void {
    const call = this.#parts.calls.find('initialize', record.call, (open) => isEndOf(record, open));
    if (record.event === 'InitSuccess') this.#parts.wellFormed.instance = record.instance;
    if (call === undefined) this.#parts.wellFormed.malformed('an initialization ends that never began');
    else if (record.event === 'InitFailure') this.#initFailure(call, record);
    else this.#initSuccess(call, record);
  }

  /** A list that is accepted is in force, valid or not: S5 says what is wrong with it. */
  #initSuccess(call: Call, record: RecordOf<'InitSuccess'>): void {
    const { now } = this.#parts.ledger;
    const { plannedAt = now, ranAtPlan = [] } = record;
    const { list, clock, invalid, isStopped, isReload } = call;
    const kept = isReload ? ranAtPlan : [];
    this.#parts.calls.end(call, bits.In | (invalid === undefined ? bits.Valid : 0) | this.#quiescence(), now);
    this.#disturb((other) => !other.isReload);
    // A reload leaves everything that goes on as it is.
    if (!isReload) this.#allDurable(now);
    this.#perhapsStored = [];
    this.#parts.tasks.clock = clock;
    const isSame = isSameList(list, this.#parts.tasks.registered);
    initialize(this.#parts.tasks, { list, isLive: !isStopped, plannedAt, kept }, now);
    this.#parts.calls.listed(list);
    this.#parts.derived.lineUp(now);
    // One that a stop has overtaken makes nothing active, and leaves the same list as it is (T7).
    this.#isActive = !isStopped || (this.#isActive && isSame);
    this.#isStopping &&= isReload;
    this.#parts.workers.setLimit(call.workers);
  }

  #initFailure(call: Call, { error, fault, valid: isValid }: RecordOf<'InitFailure'>): void {
    const { now } = this.#parts.ledger;
    // A list that could not be written down is empty in the trace, and only its scheduler knows that it was not valid.
    const isUnreadable = !isValid && call.list.length === 0;
    const unreadable = 'a list that the trace does not show was rejected, and is taken for not valid';
    if (isUnreadable) this.#parts.ledger.note('S5', unreadable);
    const valid = call.invalid === undefined && !isUnreadable ? bits.Valid : 0;
    const isEnvironment = fault === 'store' || fault === 'host';
    const excused = call.isBusy || isEnvironment ? bits.Excused : 0;
    this.#parts.tasks.everyone(bits.IEf, now);
    this.#parts.calls.end(call, bits.IEf | valid | excused | this.#quiescence(), now);
    if (valid === 0 || !isEnvironment) return;
    // The store said no, and may have taken it all the same (E9). Where another list stays in force, it is taken back.
    const perhaps = fault === 'store' ? [call] : [];
    // It may have been committed as late as now.
    call.readings.push(now);
    if (!this.#isActive) this.#maybeInitialized(perhaps, now);
    else if (call.isReload) this.#perhapsStored.push(...perhaps);
    const words = `a valid list could not be taken over, because of the ${fault}: ${error}`;
    if (!call.isBusy) this.#parts.ledger.blameEnvironment('S5', words);
  }

  #maybeInitialized(all: readonly Call[], now: number): void {
    const { tasks } = this.#parts;
    for (const call of all) {
      tasks.pasts.addAll(committed(tasks, call, now), now);
      tasks.pasts.mergeAll();
    }
    this.#parts.derived.lineUp(now);
    const either = 'a failed initialization is accepted as committed or not (T11)';
    this.#parts.ledger.note('S1', either, all.length);
  }

  stopStart({ call: id }: RecordOf<'StopStart'>): void {
    const { now, line } = this.#parts.ledger;
    if (this.#isRecordedTwice('stop', id)) return;
    this.#isStopping ||= this.#isActive;
    this.#isActive = false;
    this.#disturb(() => true);
    for (const call of this.#parts.calls.open) call.isStopped = true;
    this.#parts.tasks.everyone(bits.SS, now);
    const { registered: list, clock } = this.#parts.tasks;
    const begun = { kind: 'stop', id, at: now, line, isReload: false, beganBusy: false } as const;
    const read = { list, clock, invalid: undefined };
    this.#parts.calls.begin({ ...begun, ...read, workers: 0 }, bits.SS | this.#quiescence());
  }

  stopEnd({ call: id, error }: RecordOf<'StopEnd'>): void {
    const { now } = this.#parts.ledger;
    const call = this.#parts.calls.find('stop', id);
    this.#parts.tasks.everyone(bits.SE, now);
    if (call === undefined) this.#parts.wellFormed.malformed('a stop ends that never began');
    else this.#parts.calls.end(call, bits.SE | this.#quiescence(), now);
    // A stop that resolves has made everything durable. What one that failed has not is lost, as in a crash (D7, A10).
    if (error === undefined) this.#stopped(now);
    else if (call !== undefined) this.#lose(this.#perhapsStored, 'stopping');
  }

  #stopped(now: number): void {
    this.#parts.tasks.leaving.clear();
    this.#allDurable(now);
    if (this.#isStopping) this.#parts.tasks.pasts.allStored();
    this.#isStopping = false;
  }

  /** A stop, or an initialization, has made ends durable and taken starts back. */
  #allDurable(now: number): void {
    const { tasks, runs, ledger } = this.#parts;
    const takenBack = runs.allDurable();
    tasks.durableEnd = ++tasks.ends;
    if (!this.#isStopping) return;
    maybeTakenOver(tasks, takenBack, now);
    ledger.note('S1', 'a start that a stop took back may be taken over by another (E9)', takenBack.length);
  }

  crash(): void {
    const { calls, ledger } = this.#parts;
    const { now } = ledger;
    const cutOff = calls.open.filter(({ kind, invalid }) => kind === 'initialize' && invalid === undefined);
    for (const call of cutOff) call.readings.push(now);
    this.#lose([...this.#perhapsStored, ...cutOff], this.#isStopping ? 'stopping' : 'active');
    const either = 'an initialization that a crash cut off is accepted as committed or not (T11)';
    ledger.note('S1', either, cutOff.length);
    calls.all(bits.Crash | bits.Quiescent, now);
    calls.open.length = 0;
  }

  /** A process has died, or a stop has failed: what was not durable is lost, and these lists may have been stored. */
  #lose(perhaps: readonly Call[], life: 'stopping' | 'active'): void {
    const { tasks, derived, runs, ledger, workers } = this.#parts;
    const { now } = ledger;
    const wasAlive = this.#isActive || this.#isStopping;
    const inFlight = runs.crash();
    const dying = {
      mayHaveClaimed: wasAlive && runs.isRecorded,
      isStopping: life === 'stopping',
      ...inFlight,
      committed: perhaps.flatMap((call) => committed(tasks, call, now)),
    };
    this.#perhapsStored = [];
    const inDoubt = crash(tasks, dying, now);
    derived.lineUp(now);
    ledger.note('S1', 'a start that was durable and not called is cut off (T10)', inFlight.claimed.length);
    ledger.note('S1', 'what a crash may have undone is accepted either way (T10)', inDoubt);
    this.#isActive = false;
    this.#isStopping = false;
    workers.crash(now);
  }

  /** The record of a name is gone: the scheduler has no such task any more. */
  removed({ task }: RecordOf<'Removed'>): void {
    remove(this.#parts.tasks, task, this.#isActive, this.#parts.ledger.now);
    this.#parts.derived.lineUp(this.#parts.ledger.now);
  }

  /** One of several instances has died, with the runs of these tasks (K9): a crash of them, and of nothing else. */
  instanceDied(names: readonly string[]): void {
    const { tasks, runs, ledger, workers } = this.#parts;
    const { now } = ledger;
    const died = names.map((name) => tasks.task(name));
    const running = died.filter(({ past }) => tasks.slices.says(past, probes.running));
    const inDoubt = instanceDied(tasks, died, runs.crash(died), this.#isActive, now);
    ledger.note('S1', 'what the death of an instance may have undone is accepted either way (T10)', inDoubt);
    for (const _ of running) if (workers.runs(-1, now)) this.quiescenceChanged();
  }

  /** A stop has interrupted the run of a task. If other instances go on, the task is owed at once (A13, K9). */
  interrupted({ task: name }: RecordOf<'RunInterrupted'>): void {
    const { tasks, ledger } = this.#parts;
    if (!this.#isActive) return;
    const task = tasks.task(name);
    tasks.own(task, goesOn(tasks, tasks.slices.of(task.past)), ledger.now);
  }

  /** The clock was set back. An active scheduler judges that when it sees it, and without one the next initialization does (B5). */
  clockSetBack(step: RecordOf<'ClockStep'>): void {
    const { tasks, calls, derived, runs, workers } = this.#parts;
    const { to } = step;
    workers.clockSetBack(to);
    tasks.reader.begin(tasks.clock.minuteStart(to));
    tasks.reader.clockSetBack(step, { isSeen: this.#isActive, mayHaveClaimed: runs.isRecorded });
    derived.lineUp(to);
    calls.clockSetBack(to);
  }

  /** How many workers there are. With none nothing could ever be owed, so a number that cannot be counts as no bound. */
  #limitOf({ workers }: RecordOf<'InitStart'>): number {
    if (workers === undefined) return Number.POSITIVE_INFINITY;
    if (Number.isInteger(workers) && workers >= 1) return workers;
    const problem = `InitStart: "workers" must be a whole number of at least 1, and it is ${workers}`;
    this.#parts.wellFormed.malformed(problem);
    return Number.POSITIVE_INFINITY;
  }

  /** Whether the call is open already: then its start was recorded twice, and counts once (EA3). */
  #isRecordedTwice(kind: Call['kind'], id: number | undefined): boolean {
    const { calls, ledger } = this.#parts;
    if (id === undefined || calls.find(kind, id) === undefined) return false;
    const event = kind === 'initialize' ? 'InitStart' : 'StopStart';
    const words = sentence`${event} of one and the same call, number ${id}, was recorded twice`;
    ledger.violate(violationBy('EA3', 'environment', words, ledger.atHand(event)));
    return true;
  }

  /** A run has begun or ended, and with it quiescence. */
  quiescenceChanged(): void {
    const { calls, ledger } = this.#parts;
    if (calls.open.length > 0) calls.all(this.#quiescence(), ledger.now);
  }
}
