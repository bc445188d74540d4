/**
 * The monitor: takes the records of a trace one by one, and keeps what the theory says of them so far. It never looks back at the
 * trace, and its memory grows with the tasks, not with the records. It is one pipeline:
 *
 *     record ─▶ well-formed? ─▶ derived pulses ─▶ tasks and calls ─▶ findings ─▶ ledger ─▶ verdict
 *               (records/)      (tasks/derived)   (tasks/)           (verdict/)   (verdict/, delays/)
 *
 * For each record it first derives the pulses that lie before it (T13). Then the record itself is a position: of one task, of one
 * call, or of all tasks. Records that are no events of the theory (durability, freezes, trouble) change what others mean.
 */
import type { TraceRecord } from '../trace/record.ts';
import type { Axiom } from './axioms/axiom.ts';
import { Matchers } from './calendar/valid-list.ts';
import { Compute } from './delays/compute.ts';
import { Workers } from './delays/workers.ts';
import { bits } from './logic/atoms.ts';
import { compileTheory, partsOf, probes, scoped, seenOf } from './logic/compiled.ts';
import { type MonitorOptions, type SettledMonitorOptions, settleMonitorOptions } from './options.ts';
import { EnvironmentClaims } from './records/environment-claims.ts';
import { FreezeAxioms } from './records/freeze-axioms.ts';
import { type Malformed, WellFormed } from './records/well-formed.ts';
import { Calls } from './tasks/calls.ts';
import { Derived } from './tasks/derived.ts';
import { Durability } from './tasks/durability.ts';
import { type Here, Lives } from './tasks/lives.ts';
import { Tasks } from './tasks/tasks.ts';
import { Explainer } from './verdict/explain.ts';
import { Findings, type Scope } from './verdict/findings.ts';
import { Ledger } from './verdict/ledger.ts';
import { judge, type Status, type Verdict, type Violation } from './verdict/verdict.ts';

/** Live, `Frozen` and `StoreTrouble` may excuse a delay until this long after it ended. */
export const LIVE_HINDSIGHT_MS = 10_000;

export class Monitor {
  readonly #options: SettledMonitorOptions;
  readonly #axioms: readonly Axiom[];
  readonly #matchers = new Matchers();
  readonly #ofTasks: Scope;
  readonly #ofCalls: Scope;
  readonly #ledger: Ledger;
  readonly #workers: Workers;
  readonly #findings: Findings;
  readonly #tasks: Tasks;
  readonly #explain: Explainer;
  readonly #calls: Calls;
  readonly #derived: Derived;
  readonly #durability: Durability;
  readonly #wellFormed: WellFormed;
  readonly #freezes: FreezeAxioms;
  readonly #claims: EnvironmentClaims;
  readonly #lives: Lives;
  #now = Number.NaN;
  /** The line of the record at hand; 0 where there are no lines. */
  #line = 0;
  #records = 0;
  /** Violations that `onViolation` has not heard of yet. */
  readonly #unheard: Violation[] = [];

  /** `hindsightMs` is how long after its end a delay may still be excused; for ever by default. */
  constructor(options: MonitorOptions = {}, hindsightMs = Number.POSITIVE_INFINITY) {
    this.#options = settleMonitorOptions(options);
    const { witnesses, theory, durability, onViolation } = this.#options;
    const hear = onViolation === undefined ? undefined : (one: Violation) => this.#unheard.push(one);
    const computeWith = () => new Compute(() => this.#findings.instants(this.#calls.open));
    this.#axioms = partsOf(theory);
    this.#ofTasks = { ...scoped(this.#axioms, 'task'), compute: computeWith() };
    this.#ofCalls = { ...scoped(this.#axioms, 'call'), compute: computeWith() };
    this.#ledger = new Ledger(witnesses, hindsightMs, hear);
    this.#workers = new Workers(this.#ofTasks.compute);
    const scopes = { ofTasks: this.#ofTasks, ofCalls: this.#ofCalls };
    const later = { tasks: () => this.#tasks, explain: () => this.#explain };
    this.#findings = new Findings(this.#ledger, witnesses, scopes, this.#workers, later);
    const minuteStart = (at: number): number => this.#derived.minuteStart(at);
    const matcherOf = (schedule: string) => this.#matchers.of(schedule);
    this.#tasks = new Tasks(
      compileTheory(scoped(this.#axioms, 'task').parts),
      matcherOf,
      minuteStart,
      this.#findings,
    );
    this.#explain = new Explainer(this.#tasks);
    this.#calls = new Calls(scoped(this.#axioms, 'call').parts, this.#findings);
    this.#derived = new Derived(this.#tasks, this.#matchers);
    this.#durability = new Durability(this.#tasks.table, this.#ledger, durability !== undefined);
    this.#wellFormed = new WellFormed(this.#ledger, () => this.#now);
    this.#freezes = new FreezeAxioms(this.#ledger);
    const computes = [this.#ofCalls.compute, this.#ofTasks.compute] as const;
    this.#claims = new EnvironmentClaims(computes, this.#freezes, this.#wellFormed);
    this.#lives = new Lives({
      tasks: this.#tasks,
      calls: this.#calls,
      derived: this.#derived,
      durability: this.#durability,
      matchers: this.#matchers,
      ledger: this.#ledger,
      wellFormed: this.#wellFormed,
      quiescence: () => (this.#workers.isQuiescent ? bits.Quiescent : 0),
    });
  }

  /** The next record of the trace. */
  take(record: TraceRecord, line = 0): void {
    const { at } = record;
    this.#records++;
    this.#line = line;
    this.#findings.line = line;
    const before = this.#now;
    // Hundreds of records may share a millisecond: for all but the first of them no time has passed.
    if (at !== before) this.#timeIs(at, record);
    else if (at >= this.#derived.next) this.#derive(at);
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
        this.#durability.startDurable(this.#tasks.task(record.task), record.runId);
        break;
      case 'EndDurable':
        this.#durability.endDurable(this.#tasks.task(record.task), record.runId);
        break;
      default:
        this.#takeRare(record, before);
    }
    if (this.#unheard.length > 0) this.#report();
  }

  #takeRare(record: TraceRecord, before: number): void {
    const here: Here = { now: this.#now, line: this.#line };
    switch (record.event) {
      case 'InitStart':
        this.#freezes.action(here.now, here.line);
        this.#lives.initStart(record, here);
        break;
      case 'InitSuccess':
      case 'InitFailure':
        this.#freezes.action(here.now, here.line);
        this.#initEnd(record, here);
        break;
      case 'StopStart':
        this.#freezes.action(here.now, here.line);
        this.#lives.stopStart(record.call, here);
        break;
      case 'StopEnd':
        this.#freezes.action(here.now, here.line);
        this.#lives.stopEnd(record, here);
        break;
      case 'UnexpectedShutdown':
        this.#lives.crash(here.now);
        this.#workers.crash(here.now);
        this.#freezes.crash(here.now);
        break;
      case 'Frozen':
        this.#claims.frozen(record, here.line);
        this.#trim();
        return;
      case 'Compute':
      case 'StoreTrouble':
        this.#claims.taken(record, here.line);
        this.#trim();
        return;
      case 'ClockStep':
        this.#clockStep(record, before);
        return;
      default: {
        const { event } = record as { readonly event: unknown };
        this.#wellFormed.malformed({
          line: here.line,
          message: `an unknown event: ${JSON.stringify(event)}`,
        });
      }
    }
    this.#explain.happened(record.event, here.now, here.line);
  }

  /** A line that is no record: the recorder's fault, and so the environment's. */
  malformed(malformed: Malformed): void {
    this.#wellFormed.malformed(malformed);
    if (this.#unheard.length > 0) this.#report();
  }

  /** No record comes any more: no delay can be excused any more either. */
  end(): void {
    this.#ledger.judge(Number.POSITIVE_INFINITY);
    if (this.#unheard.length > 0) this.#report();
  }

  /**
   * The record is dealt with, so a listener may ask for a verdict, and may throw. Every violation is reported, whatever comes of the
   * others; the first thing thrown is thrown on.
   */
  #report(): void {
    const thrown: unknown[] = [];
    for (const violation of this.#unheard.splice(0)) {
      try {
        this.#options.onViolation?.(violation);
      } catch (error) {
        thrown.push(error);
      }
    }
    if (thrown.length > 0) throw thrown[0];
  }

  // Time

  #timeIs(at: number, record: TraceRecord): void {
    if (!(at >= this.#now)) this.#notForward(record);
    else if (!this.#wellFormed.isExplained) this.#wellFormed.wentForward();
    if (at >= this.#derived.next) this.#derive(at);
    if (at >= this.#ledger.lookAt) this.#ledger.judge(at);
    if (at > this.#now) this.#now = at;
  }

  #notForward({ event, at }: TraceRecord): void {
    if (!Number.isNaN(this.#now)) {
      if (event !== 'ClockStep') this.#wellFormed.wentBack(this.#now, at, this.#line);
      return;
    }
    this.#now = at;
    this.#derived.begin(at);
    this.#wellFormed.began(at);
  }

  #derive(until: number): void {
    this.#derived.derive(until);
    this.#ledger.look(until);
  }

  /** The clock was set. If it was set back, what is due is read again from where it landed (B5). */
  #clockStep(record: TraceRecord & { event: 'ClockStep' }, before: number): void {
    const { from, to, at } = record;
    const isStep = this.#claims.step(record, before, this.#line);
    this.#trim();
    if (!isStep || to >= from) return;
    this.#wellFormed.explained();
    this.#workers.clockSetBack(to);
    this.#ofTasks.compute.clockSetBack(to);
    this.#ofCalls.compute.clockSetBack(to);
    this.#ledger.clockSetBack(to);
    // Up to its last look the scheduler went by the old time, and may have taken what had come due (A2).
    if (from >= this.#derived.next) this.#derive(from);
    this.#now = to;
    this.#tasks.begin(this.#derived.minuteStart(to));
    const mayHaveClaimed = this.#durability.isRecorded;
    this.#tasks.clockSetBack({ from, to, seenAt: this.#lives.isActive ? at : undefined, mayHaveClaimed });
    this.#derived.lineUp(to, true);
    this.#calls.clockSetBack(to);
    this.#freezes.forget();
  }

  #trim(): void {
    this.#ofTasks.compute.trim(this.#now);
    this.#ofCalls.compute.trim(this.#now);
  }

  // One task

  #runStart(name: string, runId = ''): void {
    const task = this.#tasks.task(name);
    this.#freezes.action(this.#now, this.#line);
    const lastRun = this.#durability.lastOf(task);
    if (!this.#durability.calling(task, runId, this.#now, this.#line)) return;
    const seen = this.#tasks.started(task, this.#now);
    const { startedAt, startLine } = this.#tasks.table;
    startedAt[task] = this.#now;
    startLine[task] = this.#line;
    if (seen & probes.wasRunning) this.#durability.overlapping(task, lastRun);
    else if (seen & probes.running) this.#runs(1);
  }

  #runEnd(name: string, bit: number, runId = ''): void {
    const task = this.#tasks.task(name);
    this.#freezes.action(this.#now, this.#line);
    if (this.#durability.goesOn(task, runId)) return;
    const { state } = this.#tasks.classes.of(task);
    const seen = this.#tasks.own(task, bit, this.#now);
    if ((seen & (probes.running | probes.wasRunning)) === probes.wasRunning) {
      this.#runs(-1);
      if (!this.#durability.isOf(task, runId)) {
        const message = `run ${runId} of "${name}" ends, but another one runs`;
        this.#wellFormed.malformed({ line: this.#line, message });
      }
      this.#durability.ended(task, state);
    }
    const { endedAt, endLine, hasFailed } = this.#tasks.table;
    endedAt[task] = this.#now;
    endLine[task] = this.#line;
    hasFailed[task] = bit === bits.REf;
    // What did not run did not fail: a stray record leaves no retry.
    if (bit !== bits.REf || !(seen & probes.wasRunning)) return;
    this.#tasks.failed(task, this.#now);
    this.#derived.expect();
  }

  #runs(change: 1 | -1): void {
    if (this.#workers.runs(change, this.#now)) this.#lives.quiescenceChanged(this.#now);
  }

  #initEnd(record: TraceRecord & { event: 'InitSuccess' | 'InitFailure' }, here: Here): void {
    if (record.event === 'InitSuccess') this.#wellFormed.initializedBy(record.instance);
    const call = this.#lives.initEnd(record, here);
    if (call !== undefined) this.#workers.setLimit(call.workers);
    this.#findings.listed(this.#calls.open);
  }

  // The verdict

  /** Everything that can be said of the trace as if it ended here. What comes later may change it. */
  verdict(): Verdict {
    const { open, ended } = this.#findings.owedAtEnd(this.#calls.open, this.#now);
    const { violations, problems } = this.#wellFormed.atEnd();
    const settled = this.#ledger.settled([...open, ...ended], [...violations, ...this.#freezes.atEnd()]);
    const undecided = open.map(({ axiom }) => axiom.id);
    return judge({
      axioms: this.#axioms,
      settled,
      undecided: new Set(this.#freezes.isWaiting ? [...undecided, 'EA1'] : undecided),
      seen: new Set([
        ...seenOf(this.#ofTasks, this.#tasks.classes.seen),
        ...seenOf(this.#ofCalls, this.#calls.seen),
        ...(this.#records > 0 ? ['WF', 'EA3'] : []),
      ]),
      witnesses: this.#options.witnesses,
      now: this.#now,
      counts: {
        records: this.#records,
        crashes: this.#lives.crashes,
        problems,
        pulses: this.#derived.count,
        tasks: this.#tasks.table.tasks,
      },
      of: (name) => this.#statusOf(name, (axiom) => settled.of(axiom)),
    });
  }

  #statusOf(
    name: string,
    entryOf: (axiom: string) => Pick<ReturnType<Ledger['entry']>, 'violations' | 'unkept'>,
  ) {
    const { table } = this.#tasks;
    const task = table.find(name);
    if (task === undefined)
      throw new RangeError(`The trace does not speak of a task ${JSON.stringify(name)}`);
    const isBroken = (axiom: string): boolean => {
      const { violations, unkept } = entryOf(axiom);
      return violations.some((violation) => violation.task === name) || unkept.has(name);
    };
    const statuses = this.#findings.statusOf(task, isBroken);
    const byHand = (axiom: string, wasTested: boolean): Status =>
      isBroken(axiom) ? 'violated' : wasTested ? 'holds' : 'vacuous';
    const hasActed = !(Number.isNaN(table.startedAt[task]) && Number.isNaN(table.endedAt[task]));
    return Object.fromEntries(
      this.#axioms.flatMap(({ id }): [string, Status][] => {
        if (id === 'WA') return [[id, byHand(id, table.wasAsked[task])]];
        if (id === 'EA3') return [[id, byHand(id, hasActed)]];
        const status = statuses.get(id);
        return status === undefined ? [] : [[id, status]];
      }),
    );
  }
}
