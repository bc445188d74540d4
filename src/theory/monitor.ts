/**
 * The monitor: takes the records of a trace one by one, and keeps what the theory says of them so far. It never looks back at the
 * trace, and its memory grows with the tasks, not with the records.
 *
 * For each record it first derives the pulses that lie before it (T13). Then the record itself is a position: of one task, of one
 * call, or of everybody. Records that are no events of the theory (durability, freezes, trouble) change what others mean.
 */
import type { TracedRegistration, TraceRecord } from '../trace/record.ts';
import { Accuser, type Here } from './accuser.ts';
import { bits } from './alphabet.ts';
import type { Axiom } from './axioms/axiom.ts';
import { type Call, Calls } from './calls.ts';
import { Cursors, distinct, groupKey } from './clock-back.ts';
import { compileTheory, probes } from './compiled-theory.ts';
import { type Cause, Compute, type Witnesses } from './compute.ts';
import { Durability } from './durability.ts';
import { type DemandEnd, Explainer } from './explain.ts';
import { Freezes } from './freezes.ts';
import { judge } from './judgement.ts';
import { Ledger } from './ledger.ts';
import { partsOf, type Scoped, scoped, seenOf } from './parts.ts';
import { type Enlisted, Population } from './population.ts';
import { Pulses } from './pulses.ts';
import { invalidity, isRefusal, Matchers, scheduleKey } from './registrations.ts';
import type { RetryPulse } from './retries.ts';
import type { Klass } from './slices.ts';
import { iso, type Verdict, type Violation } from './verdict.ts';
import { Workers } from './workers.ts';

/** A part of the theory. */
export type Part = Axiom['part'];

/** How a trace is to be judged. */
export interface MonitorOptions {
  /** What L1–L3 are judged by; a lag of 60 s, and no compute beyond it, by default. */
  readonly witnesses?: Partial<Witnesses>;
  /** Which parts of the theory; the scheduler's axioms and the environment's by default. */
  readonly theory?: readonly Part[];
  /** The recorder is known to tell of durability, though there may be no such record yet; found out from the trace by default. */
  readonly durability?: 'told';
  /** Called for each violation as it is found. */
  readonly onViolation?: (violation: Violation) => void;
}

/** A line of a trace that is no record. */
export interface Malformed {
  readonly line?: number;
  readonly message: string;
}

const defaultWitnesses: Witnesses = { a: 0, b: 0, lagMs: 60_000 };
/** How often a scheduler must look at the wall clock (B5). */
const LOOK_MS = 60_000;

export class Monitor {
  readonly #witnesses: Witnesses;
  readonly #axioms: readonly Axiom[];
  readonly #isDurabilityTold: boolean;
  readonly #ofTasks: Scoped;
  readonly #ofCalls: Scoped;
  readonly #ledger: Ledger;
  readonly #matchers = new Matchers();
  readonly #population: Population;
  readonly #calls: Calls;
  readonly #pulses: Pulses;
  readonly #durability: Durability;
  readonly #freezes: Freezes;
  readonly #explain: Explainer;
  readonly #accuser: Accuser;
  /** Tasks that an initialization would have removed, had a crash not cut it off: whether their retry still counts, nobody knows. */
  readonly #maybeForgotten = new Set<number>();
  /** For L2 and L3; and, with the time in which no worker was free, for demands of tasks. */
  readonly #compute = new Compute();
  readonly #computeOfTasks = new Compute();
  readonly #workers = new Workers(this.#computeOfTasks);

  #now = Number.NaN;
  /** The line of the record at hand; 0 where there are no lines. */
  #line = 0;
  /** A record that lies before the one before it, and waits for a `ClockStep` that explains it. */
  #unexplained: Malformed | undefined;
  /** The retry delay of each task that is registered; NaN for the others. */
  readonly #delayMs: number[] = [];
  /** The delays of lists that a crash or a failure may have left in the store (T11). */
  readonly #maybeDelays = new Map<string, readonly number[]>();
  /** The scheduler that was initialized last, where the trace names it, and others that have started something since. */
  #instance: string | undefined;
  readonly #others = new Set<string>();
  #isActive = false;
  /** A stop was called while the scheduler was active: only such a one makes anything durable. */
  #endsLife = false;
  /** The last process has crashed, and no other has taken over. */
  #isCutOff = false;
  /** A stop has failed: what was not durable then goes into the next initialization (D7). */
  #isCarried = false;
  /** How far each task has been served, for when the clock is set back (B5). */
  readonly #cursors = new Cursors();
  /** What ends the demands that end now. */
  #demandEnd: DemandEnd['by'] = 'other';
  #counts = { records: 0, crashes: 0, problems: 0 };

  constructor(options: MonitorOptions = {}) {
    this.#witnesses = { ...defaultWitnesses, ...options.witnesses };
    this.#axioms = partsOf(options.theory ?? ['scheduler', 'environment']);
    this.#isDurabilityTold = options.durability === 'told';
    this.#ofTasks = scoped(this.#axioms, 'task');
    this.#ofCalls = scoped(this.#axioms, 'call');
    this.#ledger = new Ledger(this.#witnesses, options.onViolation);
    this.#population = new Population(
      compileTheory(this.#ofTasks.parts),
      (schedule) => this.#matchers.of(schedule),
      {
        broken: (mask, edge, tasks) => this.#accuser.brokenByTasks(mask, edge, tasks, this.#here()),
        closed: (demand, openAt, who) => this.#closedByTasks(demand, openAt, who),
      },
    );
    this.#calls = new Calls(this.#ofCalls.parts, {
      broken: (mask, call) => this.#accuser.brokenByCall(mask, call, this.#here()),
      closed: (demand, openAt, call) => this.#accuser.closedByCall(demand, openAt, call, this.#here()),
    });
    this.#pulses = new Pulses(this.#population, this.#matchers, this.#cursors);
    this.#durability = new Durability(this.#population, this.#ledger);
    this.#freezes = new Freezes(this.#ledger);
    this.#explain = new Explainer(this.#population);
    this.#accuser = new Accuser({
      witnesses: this.#witnesses,
      ofTasks: this.#ofTasks,
      ofCalls: this.#ofCalls,
      population: this.#population,
      calls: this.#calls,
      ledger: this.#ledger,
      explain: this.#explain,
      workers: this.#workers,
      compute: this.#compute,
      computeOfTasks: this.#computeOfTasks,
    });
  }

  #here(): Here {
    return { now: this.#now, line: this.#line };
  }

  /** The next record of the trace. */
  take(record: TraceRecord, line = 0): void {
    const { at } = record;
    this.#counts.records++;
    this.#line = line;
    if (!(at >= this.#now)) this.#notForward(record);
    else if (this.#unexplained !== undefined && at > this.#now) this.#neverExplained();
    if (at >= this.#pulses.next) this.#derive(at);
    if (at > this.#now) this.#now = at;
    switch (record.event) {
      case 'RunStart':
        if (record.instance !== this.#instance) this.#byAnother(record.task, record.instance);
        this.#runStart(record.task, record.runId);
        break;
      case 'RunSuccess':
        this.#runEnd(record.task, bits.REs, record.runId);
        break;
      case 'RunFailure':
        this.#runEnd(record.task, bits.REf, record.runId);
        break;
      case 'StartDurable':
        this.#durability.startDurable(this.#task(record.task), record.runId);
        break;
      case 'EndDurable':
        this.#durability.endDurable(this.#task(record.task), record.runId);
        break;
      default:
        this.#takeRare(record);
    }
  }

  #takeRare(record: TraceRecord): void {
    switch (record.event) {
      case 'InitStart':
        this.#initStart(record);
        break;
      case 'InitSuccess':
        this.#initEnd(record.call, (call) => this.#initSuccess(call, record));
        break;
      case 'InitFailure':
        this.#initEnd(record.call, (call) => this.#initFailure(call, record.error, record.valid));
        break;
      case 'StopStart':
        this.#stopStart(record.call);
        break;
      case 'StopEnd':
        this.#stopEnd(record.call, record.error);
        break;
      case 'UnexpectedShutdown':
        this.#crash();
        break;
      case 'Frozen':
        this.#withhold(record.from, record.to, 0, 'frozen');
        this.#freezes.frozen(record.from, record.to, this.#line);
        break;
      case 'Compute':
        this.#withhold(record.from, record.to, record.units / (record.to - record.from), 'compute');
        break;
      case 'ClockStep':
        this.#clockStep(record);
        break;
      case 'StoreTrouble':
        this.#withhold(record.from, record.to, 0, 'store');
        break;
      default:
        this.#wrong(`an event that nobody knows: ${JSON.stringify((record as { event: unknown }).event)}`);
    }
  }

  /** A line that is no record: the recorder's fault, and so the environment's. */
  malformed(malformed: Malformed): void {
    this.#counts.problems++;
    this.#ledger.violate(this.#illFormed(malformed));
  }

  #illFormed({ line = 0, message }: Malformed): Violation {
    const at = Number.isNaN(this.#now) ? 0 : this.#now;
    return {
      axiom: 'WF',
      at,
      blame: 'environment',
      because: `The trace is malformed: ${line > 0 ? `line ${line}: ` : ''}${message}`,
      events: [{ event: 'malformed', at, ...(line > 0 ? { line } : {}) }],
    };
  }

  /** Time went back, and is where it was again, and no `ClockStep` has told of it. */
  #neverExplained(): void {
    if (this.#unexplained !== undefined) this.malformed(this.#unexplained);
    this.#unexplained = undefined;
  }

  /** The record at hand does not fit those before it. */
  #wrong(message: string): void {
    this.malformed({ line: this.#line, message });
  }

  // Time

  #notForward(record: TraceRecord): void {
    if (!Number.isNaN(this.#now)) {
      if (record.event === 'ClockStep') return;
      // The clock may have been set back a moment ago, and the scheduler will look within a minute.
      const message = `time goes back from ${iso(this.#now)} to ${iso(record.at)} without a ClockStep`;
      this.#unexplained ??= { line: this.#line, message };
    } else if (Math.abs(record.at) <= 8.64e15) {
      this.#now = record.at;
      this.#pulses.begin(record.at);
    } else this.#wrong('a record without an instant');
  }

  #derive(until: number): void {
    this.#pulses.derive(until, (pulse, at) => this.#retryDue(pulse, at));
    if (this.#ledger.isWaiting) this.#ledger.look(until);
  }

  #retryDue({ task, isCertain }: RetryPulse, at: number): void {
    if (at > this.#now) this.#now = at;
    // If the removal that a crash cut off was committed, the retry was forgotten with it (T2, T11); it may come again if the clock is set.
    if (!isCertain || this.#maybeForgotten.has(task)) this.#population.maybe(task, bits.RetryDue, this.#now);
    else this.#population.own(task, bits.RetryDue, this.#now);
  }

  /** Two schedulers have written into one trace: the theory is about one. It is told once for each. */
  #byAnother(task: string, instance: string | undefined): void {
    if (this.#instance === undefined || instance === undefined || this.#others.has(instance)) return;
    this.#others.add(instance);
    this.#counts.problems++;
    this.#ledger.violate({
      axiom: 'WF',
      task,
      at: this.#now,
      blame: 'outside',
      because: `"${task}" was started at ${iso(this.#now)} by ${instance}, while ${this.#instance} is the scheduler that was initialized: a trace of two schedulers is outside the model`,
      events: [{ event: 'RunStart', at: this.#now, task, ...(this.#line > 0 ? { line: this.#line } : {}) }],
    });
  }

  // One task

  #task(name: string, likeliest?: 'same'): number {
    const known = this.#population.find(name, likeliest);
    if (known !== undefined) return known;
    const task = this.#population.task(name);
    this.#cursors.add(task);
    this.#delayMs[task] = Number.NaN;
    this.#durability.add(task);
    this.#explain.add(task);
    return task;
  }

  #runStart(name: string, runId = ''): void {
    const task = this.#task(name);
    this.#freezes.action(this.#now, this.#line);
    const lastRun = this.#durability.lastOf(task);
    this.#durability.calling(task, runId, this.#now, this.#line);
    this.#pulses.retries.clear(task);
    if (this.#maybeForgotten.size > 0) this.#maybeForgotten.delete(task);
    this.#demandEnd = 'start';
    const seen = this.#population.own(task, bits.RS, this.#now);
    this.#demandEnd = 'other';
    if (this.#population.groupOf(task).notBefore > this.#now && this.#cursors.farthest(task) > this.#now)
      this.#pulses.include(this.#population.serveFromHere(task), this.#now);
    this.#cursors.served(task, this.#now);
    this.#explain.started(task, this.#now, this.#line);
    if (seen & probes.wasRunning) this.#durability.overlapping(task, lastRun);
    else if (seen & probes.running) this.#runs(1);
  }

  #runEnd(name: string, bit: number, runId = ''): void {
    const task = this.#task(name, 'same');
    this.#freezes.action(this.#now, this.#line);
    if (this.#durability.isOverlapped(task, runId)) return;
    const { state } = this.#population.slices.of(task);
    const seen = this.#population.own(task, bit, this.#now);
    if ((seen & (probes.running | probes.wasRunning)) === probes.wasRunning) {
      this.#runs(-1);
      if (!this.#durability.isOf(task, runId))
        this.#wrong(`run ${runId} of "${name}" ends, but another one runs`);
      this.#durability.ended(task, state);
    }
    this.#explain.ended(task, this.#now, this.#line, bit === bits.REf);
    // What did not run did not fail: a stray record owes nobody a retry.
    if (bit === bits.REf && seen & probes.wasRunning) this.#failed(task);
  }

  /** The delay of the registration under which it failed (A6). A delay of 0 is due directly after the failure (T13). */
  #failed(task: number): void {
    const delayMs = this.#delayMs[task];
    if (delayMs > 0) this.#pulses.retry(task, this.#now + delayMs, delayMs);
    else if (delayMs === 0) this.#retryDue({ task, isCertain: true }, this.#now);
  }

  #runs(change: 1 | -1): void {
    const isChanged = this.#workers.runs(change, this.#now);
    if (isChanged && this.#calls.open.length > 0) this.#calls.all(this.#quiescence(), this.#now);
  }

  /** What every call sees at any position. */
  #quiescence(): number {
    return this.#workers.isQuiescent ? bits.Quiescent : 0;
  }

  // Calls

  #initStart({ call: id, registrations, timeZone, workers }: TraceRecord & { event: 'InitStart' }): void {
    this.#freezes.action(this.#now, this.#line);
    const isBusy = this.#isActive || this.#calls.open.length > 0;
    for (const call of this.#calls.open) call.isBusy = true;
    const zone = timeZone === '' ? 'UTC' : timeZone;
    const invalid =
      this.#matchers.refusal('* * * * *', zone) ?? invalidity(registrations, zone, this.#matchers);
    this.#population.everyone(bits.IS, this.#now);
    this.#calls.begin(
      {
        kind: 'initialize',
        id,
        at: this.#now,
        line: this.#line,
        registrations,
        timeZone: zone,
        workers: workers ?? Number.POSITIVE_INFINITY,
        invalid,
        isStopped: false,
        isBusy,
      },
      bits.IS | this.#quiescence(),
    );
    this.#explain.happened('InitStart', this.#now, this.#line);
  }

  #initEnd(id: number | undefined, end: (call: Call) => void): void {
    this.#freezes.action(this.#now, this.#line);
    const call = this.#calls.find('initialize', id);
    if (call === undefined) this.#wrong('an initialization ends that never began');
    else end(call);
  }

  #initSuccess(call: Call, { instance, plannedAt }: TraceRecord & { event: 'InitSuccess' }): void {
    this.#instance = instance;
    const valid = call.invalid === undefined ? bits.Valid : 0;
    this.#calls.end(call, bits.In | valid | this.#quiescence(), this.#now);
    for (const other of this.#calls.open) other.isBusy = true;
    this.#durability.settle();
    this.#isCarried = false;
    if (call.invalid === undefined) this.#register(call, plannedAt);
    this.#isActive = !call.isStopped;
    this.#endsLife = false;
    this.#workers.setLimit(call.workers);
    this.#explain.happened('InitSuccess', this.#now, this.#line);
  }

  #register({ registrations, timeZone, isStopped }: Call, plannedAt: number | undefined): void {
    for (const { name } of registrations) this.#task(name);
    const list = enlisted(registrations, timeZone);
    const isAfterCrash = this.#isCutOff && (this.#isDurabilityTold || this.#durability.isTold);
    this.#judgeClock(list, plannedAt, isAfterCrash);
    const before = this.#population.registered.map(({ name }) => this.#task(name));
    const keyOf = this.#groupKeys(new Set(before));
    const firstComers = this.#population.initialize(
      list,
      {
        isLive: !isStopped,
        keyOf,
        isAfterCrash,
      },
      this.#now,
    );
    this.#isCutOff = false;
    for (const task of before) this.#delayMs[task] = Number.NaN;
    for (const { name, retryDelayMs } of registrations) this.#delayMs[this.#task(name)] = retryDelayMs;
    // Whoever is removed comes for the first time when it comes again: its retry is forgotten (T2).
    for (const task of before) if (Number.isNaN(this.#delayMs[task])) this.#pulses.retries.clear(task);
    this.#maybeDelays.clear();
    this.#pulses.reschedule(timeZone, this.#now);
    for (const task of firstComers) {
      this.#pulses.retries.clear(task);
      this.#maybeForgotten.delete(task);
      const cursor = this.#pulses.minuteStart(Math.max(plannedAt ?? this.#now, this.#now)) - 1;
      if (this.#cursors.firstComing(this.#population, task, cursor, this.#now))
        this.#pulses.include(this.#population.groupOf(task), this.#now);
    }
    this.#cursors.initialized();
  }

  /** A clock that was set back while nobody was active, or before a crash, is judged now, by the reading of the plan (B5). */
  #judgeClock(list: readonly Enlisted[], plannedAt: number | undefined, isAfterCrash: boolean): void {
    if (!this.#cursors.isUnsure(this.#now) && plannedAt === undefined) return;
    const judgedAt = plannedAt ?? this.#now;
    const { retries } = this.#pulses;
    retries.initialize(judgedAt, this.#now, (task) => this.#delaysOf(task));
    this.#cursors.initialize(this.#population, list, {
      judgedAt,
      now: this.#now,
      isRetryAhead: (task) => retries.isAhead(task, this.#now),
      doubt: isAfterCrash ? 'cut off' : 'none',
    });
  }

  /** Whoever stays was served up to its cursor, which may lie ahead of a clock that was set back (B5); whoever comes begins anew. */
  #groupKeys(known: ReadonlySet<number>): (enlisted: Enlisted) => string {
    return ({ name, schedule }) => {
      const task = this.#task(name);
      return known.has(task) ? groupKey(schedule, this.#cursors.farthest(task), this.#now) : schedule;
    };
  }

  #initFailure(call: Call, error: string | undefined, isValid: boolean): void {
    // A list that could not be written down is empty in the trace, and only its scheduler knows that it was not valid.
    const isUnreadable = !isValid && call.registrations.length === 0;
    const valid = call.invalid === undefined && !isUnreadable ? bits.Valid : 0;
    const isStore = error !== undefined && !isRefusal(error);
    const excused = call.isBusy || isStore ? bits.Excused : 0;
    this.#population.everyone(bits.IEf, this.#now);
    this.#calls.end(call, bits.IEf | valid | excused | this.#quiescence(), this.#now);
    if (valid !== 0 && isStore) {
      // The store said no, and may have taken it all the same (E9).
      const doubtful = new Map<number, number[]>();
      this.#maybeCommitted(call, 'failed', doubtful);
      for (const [task, states] of doubtful) this.#population.doubt(task, states);
      if (!call.isBusy)
        this.#ledger.blameEnvironment(
          'S5',
          `a valid list could not be taken over, because of the store: ${error}`,
        );
    }
    this.#explain.happened('InitFailure', this.#now, this.#line);
  }

  #stopStart(id: number | undefined): void {
    this.#freezes.action(this.#now, this.#line);
    this.#endsLife ||= this.#isActive;
    this.#isActive = false;
    for (const call of this.#calls.open) {
      call.isStopped = true;
      call.isBusy = true;
    }
    this.#population.everyone(bits.SS, this.#now);
    this.#calls.begin(
      {
        kind: 'stop',
        id,
        at: this.#now,
        line: this.#line,
        registrations: [],
        timeZone: '',
        workers: 0,
        invalid: undefined,
        isStopped: false,
        isBusy: false,
      },
      bits.SS | this.#quiescence(),
    );
    this.#explain.happened('StopStart', this.#now, this.#line);
  }

  #stopEnd(id: number | undefined, error: string | undefined): void {
    this.#freezes.action(this.#now, this.#line);
    const call = this.#calls.find('stop', id);
    this.#population.everyone(bits.SE, this.#now);
    if (call === undefined) this.#wrong('a stop ends that never began');
    else this.#calls.end(call, bits.SE | this.#quiescence(), this.#now);
    // A stop that resolves has made everything durable, and taken back what was not called (D7).
    // After one that failed the next stop has nothing to do, and makes nothing durable.
    if (error !== undefined) this.#isCarried = true;
    if (!this.#isCarried) {
      this.#durability.settle();
      if (this.#endsLife) {
        this.#cursors.settle();
        this.#pulses.retries.settle();
      }
      // The next stop is one of nobody, unless something is begun before.
      this.#endsLife = false;
    }
    this.#explain.happened('StopEnd', this.#now, this.#line);
  }

  // The environment

  #crash(): void {
    this.#counts.crashes++;
    this.#isCutOff = true;
    const doubtful = this.#durability.doubtful();
    if (doubtful.size > 0)
      this.#ledger.note('S1', 'what a crash may have undone is accepted either way (T10)', doubtful.size);
    for (const call of this.#calls.open)
      if (call.kind === 'initialize' && call.invalid === undefined)
        this.#maybeCommitted(call, 'a crash cut off', doubtful);
    this.#population.crash(doubtful, this.#now);
    this.#isActive = false;
    this.#endsLife = false;
    this.#workers.crash(this.#now);
    this.#calls.all(bits.Crash | bits.Quiescent, this.#now);
    this.#calls.open.length = 0;
    this.#freezes.crash(this.#now);
    this.#explain.happened('UnexpectedShutdown', this.#now, this.#line);
  }

  /** A crash within an initialization: it may have been committed, from its beginning on or only just now (T11). */
  #maybeCommitted(call: Call, how: 'a crash cut off' | 'failed', doubtful: Map<number, number[]>): void {
    const { registrations, timeZone, readings } = call;
    const listed = new Map(registrations.map(({ name, cron }) => [name, scheduleKey(cron, timeZone)]));
    const before = new Set(this.#population.registered.map(({ name }) => name));
    // Whoever may have been removed before may come for the first time now.
    const isOpen = (name: string): boolean =>
      listed.has(name) !== before.has(name) || !this.#population.isCertain(this.#task(name));
    const names = [...new Set([...listed.keys(), ...before])].filter(isOpen);
    for (const name of names) {
      const task = this.#task(name);
      const committed = distinct([...readings, this.#now]).map((when) =>
        this.#population.committed(task, listed.get(name), when),
      );
      doubtful.set(task, [...(doubtful.get(task) ?? []), ...committed]);
      if (before.has(name)) this.#maybeForgotten.add(task);
    }
    if (this.#cursors.isUnsure(this.#now)) {
      const list = enlisted(registrations, timeZone);
      for (const judgedAt of distinct([...readings, this.#now])) {
        const first = this.#pulses.minuteStart(judgedAt) - 1;
        this.#cursors.maybeInitialized(this.#population, list, judgedAt, first);
        this.#pulses.retries.maybeInitialized(judgedAt, (task) => this.#delaysOf(task));
      }
    }
    for (const { name, retryDelayMs } of registrations)
      this.#maybeDelays.set(name, distinct([...(this.#maybeDelays.get(name) ?? []), retryDelayMs]));
    this.#ledger.note('S1', `an initialization that ${how} is accepted as committed or not (T11)`);
  }

  #withhold(from: number, to: number, density: number, cause: Cause): void {
    this.#compute.set(from, to, density, cause);
    this.#computeOfTasks.set(from, to, density, cause);
  }

  /** What is due is read again from where the clock landed (B5). */
  #clockStep({ from, to, at }: TraceRecord & { event: 'ClockStep' }): void {
    // Sleep is trusted for a minute at a time, not counting what the machine was frozen for: until then nobody could know.
    const unseenMs = at - to;
    const frozenMs = unseenMs - this.#compute.lagOf(from, from + unseenMs);
    this.#withhold(Math.max(to, at - LOOK_MS - frozenMs), at, 0, 'step');
    if (to >= from) {
      this.#withhold(from, to, 0, 'step');
      return;
    }
    this.#unexplained = undefined;
    this.#workers.clockWasSetBack(to);
    // Up to its last look the scheduler went by the old time, and may have taken what had come due (A2).
    if (from >= this.#pulses.next) this.#derive(from);
    this.#now = to;
    this.#population.begin(this.#pulses.minuteStart(to));
    this.#cursors.clockWasSetBack(from);
    if (this.#isActive) this.#judgeStep(to, at);
    this.#pulses.setClock(to);
    this.#calls.setClock(to);
    this.#freezes.forget();
  }

  /** A scheduler judges a step when it sees it: cursors by where the clock landed, delays from then on. */
  #judgeStep(landedAt: number, seenAt: number): void {
    const { retries } = this.#pulses;
    retries.setClock(landedAt, seenAt, (task) => this.#delaysOf(task));
    this.#cursors.setBack(this.#population, {
      judgedAt: landedAt,
      now: landedAt,
      isRetryAhead: (task) => retries.isAhead(task, landedAt),
      doubt: this.#isDurabilityTold || this.#durability.isTold ? 'taken' : 'none',
    });
  }

  /** The delays that a task may have by now: those of registrations, not of its failure. */
  #delaysOf(task: number): readonly number[] {
    const delayMs = this.#delayMs[task];
    const maybe = this.#maybeDelays.get(this.#population.names[task]) ?? [];
    return Number.isNaN(delayMs) ? maybe : [delayMs, ...maybe];
  }

  /** A demand of one task, or of all of a class, has ended. */
  #closedByTasks(demand: number, openAt: number, who: number | Klass): void {
    if (!this.#accuser.isNews(demand, openAt, this.#now)) return;
    const end: DemandEnd = this.#demandEnd === 'start' ? { by: 'start', line: this.#line } : { by: 'other' };
    this.#accuser.closedByTasks(demand, openAt, who, this.#now, end);
  }

  // The verdict

  /** Everything that can be said of the trace as if it ended here. What comes later may change it. */
  verdict(): Verdict {
    const open = this.#accuser.open(this.#now);
    const unexplained = this.#unexplained === undefined ? [] : [this.#illFormed(this.#unexplained)];
    const settled = this.#ledger.settled(open, unexplained);
    const seen = new Set([
      ...settled.seen,
      ...seenOf(this.#ofTasks, this.#population.slices.seen),
      ...seenOf(this.#ofCalls, this.#calls.seen),
      ...(this.#counts.records > 0 ? ['WF', 'EA3'] : []),
    ]);
    const isViolated = (axiom: Axiom, task: string): boolean =>
      settled.violations.get(axiom.id)?.some((violation) => violation.task === task) ?? false;
    return judge({
      axioms: this.#axioms,
      settled,
      undecided: new Set(open.map(({ delay }) => delay.axiom.id)),
      seen,
      witnesses: this.#witnesses,
      now: this.#now,
      counts: {
        ...this.#counts,
        problems: this.#counts.problems + unexplained.length,
        pulses: this.#pulses.count,
        tasks: this.#population.names.length - 1,
      },
      of: (name) => this.#accuser.statusOf(name, isViolated),
    });
  }
}

/** Tasks with the same schedule share the text of its key. */
function enlisted(registrations: readonly TracedRegistration[], timeZone: string): readonly Enlisted[] {
  const keys = new Map<string, string>();
  return registrations.map(({ name, cron }) => {
    const schedule = keys.get(cron) ?? scheduleKey(cron, timeZone);
    keys.set(cron, schedule);
    return { name, schedule };
  });
}
