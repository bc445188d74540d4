/**
 * The monitor: takes the records of a trace one by one, and keeps what the theory says of them so far. It never looks back at the
 * trace, and its memory grows with the tasks, not with the records.
 *
 * For each record it first derives the pulses that lie before it (T13). Then the record itself is a position: of one task, of one
 * call, or of everybody. Records that are no events of the theory (durability, freezes, trouble) change what others mean.
 */
import type { TraceRecord } from '../trace/record.ts';
import type { Axiom } from './axioms/axiom.ts';
import { Matchers } from './calendar/valid-list.ts';
import { Compute, type Witnesses } from './delays/compute.ts';
import { Workers } from './delays/workers.ts';
import { bits } from './logic/atoms.ts';
import { compileTheory, probes } from './logic/compiled.ts';
import { partsOf, type Scoped, scoped, seenOf } from './logic/parts.ts';
import { type MonitorOptions, settleMonitorOptions } from './options.ts';
import { ToldStretches } from './records/environment-claims.ts';
import { Freezes } from './records/freeze-axioms.ts';
import { type Malformed, WellFormed } from './records/well-formed.ts';
import { Calls } from './tasks/calls.ts';
import type { Klass } from './tasks/classes.ts';
import { Cursors } from './tasks/clock-back.ts';
import { Pulses } from './tasks/derived.ts';
import { Durability } from './tasks/durability.ts';
import { Lives } from './tasks/lives.ts';
import { Population } from './tasks/population.ts';
import type { RetryPulse } from './tasks/retries.ts';
import { RetryDelays } from './tasks/retry-delays.ts';
import { Takeover } from './tasks/takeover.ts';
import { Accuser, type Here } from './verdict/accuser.ts';
import { type DemandEnd, Explainer } from './verdict/explain.ts';
import { judge } from './verdict/judgement.ts';
import { Ledger } from './verdict/ledger.ts';
import type { Verdict, Violation } from './verdict/verdict.ts';

export type { MonitorOptions, Part } from './options.ts';

export class Monitor {
  readonly #witnesses: Witnesses;
  readonly #axioms: readonly Axiom[];
  readonly #ofTasks: Scoped;
  readonly #ofCalls: Scoped;
  readonly #ledger: Ledger;
  readonly #matchers = new Matchers();
  readonly #population: Population;
  readonly #calls: Calls;
  readonly #pulses: Pulses;
  readonly #durability: Durability;
  readonly #wellFormed: WellFormed;
  readonly #delays = new RetryDelays();
  readonly #takeover: Takeover;
  readonly #lives: Lives;
  readonly #freezes: Freezes;
  readonly #stretches: ToldStretches;
  readonly #explain: Explainer;
  readonly #accuser: Accuser;
  /** For L2 and L3; and, with the time in which no worker was free, for demands of tasks. */
  readonly #compute = new Compute(() => this.#accuser.instants());
  readonly #computeOfTasks = new Compute(() => this.#accuser.instants());
  readonly #workers = new Workers(this.#computeOfTasks);

  #now = Number.NaN;
  /** The line of the record at hand; 0 where there are no lines. */
  #line = 0;
  /** How far each task has been served, for when the clock is set back (B5). */
  readonly #cursors = new Cursors();
  /** What ends the demands that end now. */
  #demandEnd: DemandEnd['by'] = 'other';
  #records = 0;
  readonly #onViolation: ((violation: Violation) => void) | undefined;
  /** Violations that nobody has been told of yet. */
  readonly #untold: Violation[] = [];

  constructor(options: MonitorOptions = {}) {
    const { witnesses, theory, durability, onViolation } = settleMonitorOptions(options);
    this.#witnesses = witnesses;
    this.#axioms = partsOf(theory);
    this.#onViolation = onViolation;
    this.#ofTasks = scoped(this.#axioms, 'task');
    this.#ofCalls = scoped(this.#axioms, 'call');
    this.#ledger = new Ledger(
      this.#witnesses,
      onViolation === undefined ? undefined : (violation) => this.#untold.push(violation),
    );
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
    this.#durability = new Durability(this.#population, this.#ledger, durability);
    this.#wellFormed = new WellFormed(this.#ledger, () => this.#now);
    this.#freezes = new Freezes(this.#ledger);
    this.#explain = new Explainer(this.#population);
    const ports = {
      witnesses: this.#witnesses,
      axioms: this.#axioms,
      ofTasks: this.#ofTasks,
      ofCalls: this.#ofCalls,
      matchers: this.#matchers,
      population: this.#population,
      calls: this.#calls,
      pulses: this.#pulses,
      cursors: this.#cursors,
      delays: this.#delays,
      durability: this.#durability,
      wellFormed: this.#wellFormed,
      freezes: this.#freezes,
      workers: this.#workers,
      compute: this.#compute,
      computeOfTasks: this.#computeOfTasks,
      ledger: this.#ledger,
      explain: this.#explain,
      taskOf: (name: string) => this.#task(name),
    };
    this.#stretches = new ToldStretches(ports);
    this.#takeover = new Takeover(ports);
    this.#lives = new Lives({ ...ports, takeover: this.#takeover });
    this.#accuser = new Accuser(ports);
  }

  #here(): Here {
    return { now: this.#now, line: this.#line };
  }

  /** The next record of the trace. */
  take(record: TraceRecord, line = 0): void {
    this.#step(record, line);
    if (this.#untold.length > 0) this.#tell();
  }

  /**
   * A record is dealt with, so whoever hears of a violation may ask for a verdict, and may throw. All are told, whatever one of them
   * comes to; what the first one threw is thrown on.
   */
  #tell(): void {
    const thrown: unknown[] = [];
    for (const violation of this.#untold.splice(0)) {
      try {
        this.#onViolation?.(violation);
      } catch (error) {
        thrown.push(error);
      }
    }
    if (thrown.length > 0) throw thrown[0];
  }

  #step(record: TraceRecord, line: number): void {
    const { at } = record;
    this.#records++;
    this.#line = line;
    const before = this.#now;
    // Hundreds may share a millisecond: for all but the first of them no time has passed.
    if (at !== before) this.#timeIs(at, record);
    else if (at >= this.#pulses.next) this.#derive(at);
    switch (record.event) {
      case 'RunStart':
        if (!this.#wellFormed.isBy(record.instance))
          this.#wellFormed.startedByAnother(record.task, record.instance, at, line);
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
        this.#takeRare(record, before);
    }
  }

  #takeRare(record: TraceRecord, before: number): void {
    switch (record.event) {
      case 'InitStart':
        this.#lives.initStart(record, this.#here());
        break;
      case 'InitSuccess':
      case 'InitFailure':
        this.#lives.initEnd(record, this.#here());
        this.#accuser.listed();
        break;
      case 'StopStart':
        this.#lives.stopStart(record.call, this.#here());
        break;
      case 'StopEnd':
        this.#lives.stopEnd(record.call, record.error, this.#here());
        break;
      case 'UnexpectedShutdown':
        this.#lives.crash(this.#here());
        break;
      case 'Frozen':
        this.#stretches.frozen(record, this.#line);
        this.#trim();
        break;
      case 'Compute':
      case 'StoreTrouble':
        this.#stretches.taken(record, this.#line);
        this.#trim();
        break;
      case 'ClockStep':
        this.#clockStep(record, before);
        break;
      default:
        this.#wrong(`an event that nobody knows: ${JSON.stringify((record as { event: unknown }).event)}`);
    }
  }

  /** A line that is no record: the recorder's fault, and so the environment's. */
  malformed(malformed: Malformed): void {
    this.#wellFormed.malformed(malformed);
    if (this.#untold.length > 0) this.#tell();
  }

  /** The record at hand does not fit those before it. */
  #wrong(message: string): void {
    this.#wellFormed.malformed({ line: this.#line, message });
  }

  // Time

  #timeIs(at: number, record: TraceRecord): void {
    if (!(at >= this.#now)) this.#notForward(record);
    else if (!this.#wellFormed.isExplained) this.#wellFormed.wentForward();
    if (at > this.#stretches.undecidedUntil) this.#stretches.cameTo(at);
    if (at >= this.#pulses.next) this.#derive(at);
    if (at >= this.#ledger.lookAt) this.#ledger.judge(at);
    if (at > this.#now) this.#now = at;
  }

  #notForward(record: TraceRecord): void {
    if (!Number.isNaN(this.#now)) {
      if (record.event === 'ClockStep') return;
      this.#wellFormed.wentBack(this.#now, record.at, this.#line);
    } else {
      this.#now = record.at;
      this.#pulses.begin(record.at);
      this.#wellFormed.began(record.at);
    }
  }

  #derive(until: number): void {
    this.#pulses.derive(until, (pulse, at) => this.#retryDue(pulse, at));
    if (this.#ledger.isWaiting) this.#ledger.look(until);
  }

  #retryDue({ task, isCertain }: RetryPulse, at: number): void {
    if (at > this.#now) this.#now = at;
    if (!isCertain || this.#takeover.isMaybeForgotten(task))
      this.#population.maybe(task, bits.RetryDue, this.#now);
    else this.#population.own(task, bits.RetryDue, this.#now);
  }

  // One task

  #task(name: string, likeliest?: 'same'): number {
    const known = this.#population.find(name, likeliest);
    if (known !== undefined) return known;
    const task = this.#population.task(name);
    this.#cursors.add(task);
    this.#delays.add(task);
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
    this.#takeover.started(task);
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
    const delayMs = this.#delays.of(task);
    if (delayMs > 0) this.#pulses.retry(task, this.#now + delayMs, delayMs);
    else if (delayMs === 0) this.#retryDue({ task, isCertain: true }, this.#now);
  }

  #runs(change: 1 | -1): void {
    if (this.#workers.runs(change, this.#now)) this.#lives.quiescenceChanged(this.#now);
  }

  // The environment

  #trim(): void {
    this.#compute.trim(this.#now);
    this.#computeOfTasks.trim(this.#now);
  }

  /** What is due is read again from where the clock landed (B5). */
  #clockStep(record: TraceRecord & { event: 'ClockStep' }, before: number): void {
    const { from, to, at } = record;
    const isStep = this.#stretches.step(record, { now: before, line: this.#line });
    this.#trim();
    if (!isStep || to >= from) return;
    this.#wellFormed.explained();
    this.#workers.clockWasSetBack(to);
    this.#compute.clockWasSetBack(to);
    this.#ledger.clockWasSetBack(to);
    // Up to its last look the scheduler went by the old time, and may have taken what had come due (A2).
    if (from >= this.#pulses.next) this.#derive(from);
    this.#now = to;
    this.#population.begin(this.#pulses.minuteStart(to));
    this.#cursors.clockWasSetBack(from);
    if (this.#lives.isActive) this.#judgeStep(to, at);
    else this.#cursors.setBackUnseen(this.#population, to);
    this.#pulses.setClock(to);
    this.#calls.setClock(to);
    this.#freezes.forget();
  }

  /** A scheduler judges a step when it sees it: cursors by where the clock landed, delays from then on. */
  #judgeStep(landedAt: number, seenAt: number): void {
    const { retries } = this.#pulses;
    retries.setClock(landedAt, seenAt, (task) => this.#delays.possible(task));
    this.#cursors.setBack(this.#population, {
      judgedAt: landedAt,
      now: landedAt,
      isRetryAhead: (task) => retries.isAhead(task, landedAt),
      doubt: this.#durability.isTold ? 'taken' : 'none',
    });
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
    const { violations, problems } = this.#wellFormed.atEnd();
    const settled = this.#ledger.settled(open, [...violations, ...this.#freezes.atEnd()]);
    const seen = new Set([
      ...settled.seen,
      ...seenOf(this.#ofTasks, this.#population.slices.seen),
      ...seenOf(this.#ofCalls, this.#calls.seen),
      ...(this.#records > 0 ? ['WF', 'EA3'] : []),
    ]);
    return judge({
      axioms: this.#axioms,
      settled,
      undecided: new Set([
        ...open.map(({ delay }) => delay.axiom.id),
        ...(this.#freezes.isWaiting ? ['EA1'] : []),
      ]),
      seen,
      witnesses: this.#witnesses,
      now: this.#now,
      counts: {
        records: this.#records,
        crashes: this.#lives.crashes,
        problems,
        pulses: this.#pulses.count,
        tasks: this.#population.names.length - 1,
      },
      of: (name) => this.#accuser.statusOf(name, settled.isBrokenBy),
    });
  }
}
