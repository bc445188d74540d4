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
import type { RecordOf, TraceRecord } from '../trace/record.ts';
import { axioms } from './axioms/index.ts';
import { type MonitorOptions, settleMonitorOptions } from './options.ts';
import { EnvironmentClaims } from './records/environment-claims.ts';
import { FreezeAxioms } from './records/freeze-axioms.ts';
import { WellFormed } from './records/well-formed.ts';
import { Derived } from './tasks/derived.ts';
import { Lives } from './tasks/lives.ts';
import { applyPolicy } from './tasks/policies.ts';
import { Runs } from './tasks/runs.ts';
import { Findings } from './verdict/findings.ts';
import { Ledger } from './verdict/ledger.ts';
import type { Verdict } from './verdict/verdict.ts';

export class Monitor {
  readonly #ledger: Ledger;
  readonly #findings: Findings;
  readonly #derived: Derived;
  readonly #runs: Runs;
  readonly #wellFormed: WellFormed;
  readonly #freezes: FreezeAxioms;
  readonly #claims: EnvironmentClaims;
  readonly #lives: Lives;
  #records = 0;
  #crashes = 0;

  /** `hindsightMs` is how long after its end a delay may still be excused; for ever by default. */
  constructor(options: MonitorOptions = {}, hindsightMs = Number.POSITIVE_INFINITY) {
    const { witnesses, theory, durability, onViolation } = settleMonitorOptions(options);
    const ledger = new Ledger(witnesses, hindsightMs, onViolation);
    const wellFormed = new WellFormed(ledger);
    this.#ledger = ledger;
    this.#wellFormed = wellFormed;
    const asked = axioms.filter(({ part }) => theory.includes(part));
    this.#findings = new Findings(ledger, asked);
    const { tasks, calls, workers, computeOfCalls, computeOfTasks } = this.#findings;
    const derived = new Derived(tasks);
    const runs = new Runs({ tasks, ledger, wellFormed, workers }, durability !== undefined);
    this.#derived = derived;
    this.#runs = runs;
    this.#freezes = new FreezeAxioms(ledger);
    this.#claims = new EnvironmentClaims([computeOfCalls, computeOfTasks], this.#freezes, wellFormed);
    this.#lives = new Lives({ tasks, calls, derived, runs, ledger, wellFormed, workers });
  }

  /** The next record of the trace. */
  take(record: TraceRecord, line = 0): void {
    const { at } = record;
    const before = this.#ledger.now;
    this.#records++;
    this.#ledger.line = line;
    // Hundreds of records may share a millisecond: for all but the first of them no time has passed.
    if (at !== before) this.#timeIs(record);
    else this.#derived.derive(at);
    switch (record.event) {
      case 'RunStart':
        this.#freezes.action();
        if (this.#runs.start(record)) this.#lives.quiescenceChanged();
        break;
      case 'RunSuccess':
      case 'RunFailure':
      case 'RunInterrupted':
        this.#freezes.action();
        if (this.#runs.end(record)) this.#lives.quiescenceChanged();
        if (record.event === 'RunInterrupted') this.#lives.interrupted(record);
        break;
      case 'StartDurable':
      case 'EndDurable':
        this.#runs.durable(record);
        break;
      case 'Frozen':
      case 'Compute':
      case 'StoreTrouble':
        this.#claims.take(record);
        break;
      case 'ClockStep':
        this.#clockStep(record, before);
        break;
      // What one instance knows of another. Merged with the other's trace it says what died (K9).
      case 'InstanceGone':
        break;
      default:
        if (!applyPolicy(this.#findings.tasks, record, this.#ledger.now)) this.#ofLife(record);
    }
    this.#ledger.report();
  }

  /** A record of a life of the scheduler: a call, its end, or a crash. */
  #ofLife(record: TraceRecord): void {
    if (record.event !== 'UnexpectedShutdown') this.#freezes.action();
    switch (record.event) {
      case 'InitStart':
        this.#lives.initStart(record);
        break;
      case 'InitSuccess':
      case 'InitFailure':
        this.#lives.initEnd(record);
        break;
      case 'StopStart':
        this.#lives.stopStart(record);
        break;
      case 'StopEnd':
        this.#lives.stopEnd(record);
        break;
      case 'Removed':
        this.#lives.removed(record);
        break;
      case 'UnexpectedShutdown':
        if (record.tasks !== undefined) this.#lives.instanceDied(record.tasks);
        else {
          this.#crashes++;
          this.#lives.crash();
          this.#freezes.crash();
        }
        break;
      default:
        this.#wellFormed.malformed(`an unknown event: ${JSON.stringify(record.event)}`);
    }
    this.#findings.explain.happened(this.#ledger.atHand(record.event));
  }

  /** A line that is no record: the recorder's fault, and so the environment's. */
  malformed(problem: string, line: number): void {
    this.#wellFormed.malformed(problem, line);
    this.#ledger.report();
  }

  /** No record comes any more: no delay can be excused any more either. */
  end(): void {
    this.#ledger.end();
  }

  #timeIs({ event, at }: TraceRecord): void {
    const { now } = this.#ledger;
    if (Number.isNaN(now)) {
      this.#derived.begin(at);
      this.#wellFormed.began(at);
    } else if (at > now) {
      this.#wellFormed.wentForward();
    } else if (event !== 'ClockStep') this.#wellFormed.wentBack(at);
    this.#derived.derive(at);
    if (at >= this.#ledger.lookAt) this.#ledger.judge(at);
    if (!(at <= now)) this.#ledger.now = at;
  }

  /** The clock was set. If it was set back, what is due is read again from where it landed (B5). */
  #clockStep(record: RecordOf<'ClockStep'>, before: number): void {
    const { from, to } = record;
    if (!this.#claims.step(record, before) || to >= from) return;
    this.#wellFormed.explained();
    this.#ledger.clockSetBack(to);
    // Up to its last look the scheduler went by the old time, and may have taken what had come due (A2).
    this.#derived.derive(from);
    this.#ledger.now = to;
    this.#lives.clockSetBack(record);
    this.#freezes.forget();
  }

  /** Everything that can be said of the trace as if it ended here. What comes later may change it. */
  verdict(): Verdict {
    const { violations, problems } = this.#wellFormed.atEnd();
    const [{ count: pulses }, { size: tasks }] = [this.#derived, this.#findings.tasks.table];
    const counts = { records: this.#records, crashes: this.#crashes, problems, pulses, tasks };
    const unexplained = [...violations, ...this.#freezes.atEnd()];
    return this.#findings.verdict(counts, unexplained, this.#freezes.isWaiting ? ['EA1'] : []);
  }
}
