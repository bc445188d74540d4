/**
 * The lives of the scheduler, as its calls and its crashes show them.
 *
 *     ──initialize──▶ active ──stop called──▶ stopping ──stop ended──▶ at rest ──initialize──▶ active
 *                       └────────crash──────────┴─────────────────────▶ at rest, with tasks in doubt (T10, T11)
 */
import type { TraceRecord } from '../../trace/record.ts';
import { type Matchers, readList } from '../calendar/valid-list.ts';
import type { Workers } from '../delays/workers.ts';
import { bits } from '../logic/atoms.ts';
import type { WellFormed } from '../records/well-formed.ts';
import type { Ledger } from '../verdict/ledger.ts';
import { evidence, sentence } from '../verdict/verdict.ts';
import type { Call, Calls } from './calls.ts';
import type { Derived } from './derived.ts';
import type { Here, Runs } from './runs.ts';
import type { Tasks } from './tasks.ts';

type Of<Event extends TraceRecord['event']> = TraceRecord & { event: Event };

/** What a call or a crash concerns. */
export interface LifeParts {
  readonly tasks: Tasks;
  readonly calls: Calls;
  readonly derived: Derived;
  readonly runs: Runs;
  readonly matchers: Matchers;
  readonly ledger: Ledger;
  readonly wellFormed: WellFormed;
  readonly workers: Workers;
}

export class Lives {
  readonly #parts: LifeParts;
  crashes = 0;
  #isActive = false;
  /** A stop was called while the scheduler was active: only such a stop makes anything durable. */
  #isStopping = false;
  /** A stop has failed: what was not durable then goes into the next initialization (D7). */
  #isCarried = false;

  constructor(parts: LifeParts) {
    this.#parts = parts;
  }

  /** What every call sees at any position: whether nothing runs. */
  #quiescence(): number {
    return this.#parts.workers.isQuiescent ? bits.Quiescent : 0;
  }

  initStart(record: Of<'InitStart'>, here: Here): void {
    const { call: id, registrations, timeZone: zone } = record;
    const { now, line } = here;
    if (this.#isRecordedTwice('initialize', id, here)) return;
    const beganBusy = this.#isActive || this.#parts.calls.open.length > 0;
    for (const call of this.#parts.calls.open) call.isBusy = true;
    const timeZone = zone === '' ? 'UTC' : zone;
    const read = readList(registrations, timeZone, this.#parts.matchers);
    const workers = this.#limitOf(record, here);
    this.#parts.tasks.everyone(bits.IS, now);
    const call = { kind: 'initialize', id, at: now, line, ...read, timeZone, workers, beganBusy } as const;
    this.#parts.calls.begin(call, bits.IS | this.#quiescence());
  }

  initEnd(record: Of<'InitSuccess' | 'InitFailure'>, { now, line }: Here): void {
    const call = this.#parts.calls.find('initialize', record.call, (open) => isEndOf(record, open));
    if (record.event === 'InitSuccess') this.#parts.wellFormed.instance = record.instance;
    if (call === undefined)
      this.#parts.wellFormed.malformed({ line, message: 'an initialization ends that never began' });
    else if (record.event === 'InitFailure') this.#initFailure(call, record, now);
    else this.#initSuccess(call, record.plannedAt ?? now, now);
  }

  /** A list that is accepted is in force, valid or not: S5 says what is wrong with it. */
  #initSuccess(call: Call, plannedAt: number, now: number): void {
    const { list, timeZone, invalid, isStopped } = call;
    this.#parts.calls.end(call, bits.In | (invalid === undefined ? bits.Valid : 0) | this.#quiescence(), now);
    for (const other of this.#parts.calls.open) other.isBusy = true;
    this.#allDurable(now);
    this.#isCarried = false;
    this.#parts.derived.setZone(timeZone);
    this.#parts.tasks.initialize({ list, isLive: !isStopped, plannedAt }, now);
    this.#parts.derived.lineUp(now);
    this.#isActive = !isStopped;
    this.#isStopping = false;
    this.#parts.workers.setLimit(call.workers);
  }

  #initFailure(call: Call, { error, fault, valid: isValid }: Of<'InitFailure'>, now: number): void {
    // A list that could not be written down is empty in the trace, and only its scheduler knows that it was not valid.
    const isUnreadable = !isValid && call.list.length === 0;
    if (isUnreadable)
      this.#parts.ledger.note(
        'S5',
        'a list that the trace does not show was rejected, and is taken for not valid',
      );
    const valid = call.invalid === undefined && !isUnreadable ? bits.Valid : 0;
    const isEnvironment = fault === 'store' || fault === 'host';
    const excused = call.isBusy || isEnvironment ? bits.Excused : 0;
    this.#parts.tasks.everyone(bits.IEf, now);
    this.#parts.calls.end(call, bits.IEf | valid | excused | this.#quiescence(), now);
    if (valid === 0 || !isEnvironment) return;
    // The store said no, and may have taken it all the same (E9).
    if (fault === 'store' && !call.beganBusy) {
      this.#parts.tasks.maybeInitialized({ list: call.list, at: instantsOf(call, now) }, now);
      this.#parts.derived.lineUp(now);
      this.#parts.ledger.note('S1', 'an initialization that failed is accepted as committed or not (T11)');
    }
    if (!call.isBusy)
      this.#parts.ledger.blameEnvironment(
        'S5',
        `a valid list could not be taken over, because of the ${fault}: ${error}`,
      );
  }

  stopStart(id: number | undefined, here: Here): void {
    const { now, line } = here;
    if (this.#isRecordedTwice('stop', id, here)) return;
    this.#isStopping ||= this.#isActive;
    this.#isActive = false;
    for (const call of this.#parts.calls.open) {
      call.isStopped = true;
      call.isBusy = true;
    }
    this.#parts.tasks.everyone(bits.SS, now);
    this.#parts.calls.begin({ kind: 'stop', id, at: now, line }, bits.SS | this.#quiescence());
  }

  stopEnd({ call: id, error }: Of<'StopEnd'>, { now, line }: Here): void {
    const call = this.#parts.calls.find('stop', id);
    this.#parts.tasks.everyone(bits.SE, now);
    if (call === undefined)
      this.#parts.wellFormed.malformed({ line, message: 'a stop ends that never began' });
    else this.#parts.calls.end(call, bits.SE | this.#quiescence(), now);
    // A stop that resolves has made everything durable (D7). After one that failed the next stop has nothing to do.
    if (error !== undefined) this.#isCarried = true;
    if (this.#isCarried) return;
    this.#allDurable(now);
    if (this.#isStopping) this.#parts.tasks.pasts.allStored();
    this.#isStopping = false;
  }

  /** A stop, or the initialization after a stop that failed, has made ends durable and taken starts back. */
  #allDurable(now: number): void {
    const takenBack = this.#parts.runs.allDurable();
    if (!this.#isStopping) return;
    this.#parts.tasks.maybeTakenOver(takenBack, now);
    const either = 'a start that a stop took back may have been taken over by another scheduler (E9)';
    this.#parts.ledger.note('S1', either, takenBack.length);
  }

  crash(now: number): void {
    this.crashes++;
    const { tasks, calls, derived, runs, ledger, workers } = this.#parts;
    const wasAlive = this.#isActive || this.#isStopping;
    const cutOff = calls.open.filter(({ kind, invalid }) => kind === 'initialize' && invalid === undefined);
    const inFlight = runs.crash();
    const crash = {
      mayHaveClaimed: wasAlive && runs.isRecorded,
      isStopping: this.#isStopping,
      ...inFlight,
      initializations: cutOff.map((call) => ({ list: call.list, at: instantsOf(call, now) })),
    };
    const inDoubt = tasks.crash(crash, now);
    derived.lineUp(now);
    ledger.note('S1', 'a start that was durable and not called is cut off (T10)', inFlight.claimed.length);
    ledger.note('S1', 'what a crash may have undone is accepted either way (T10)', inDoubt);
    const committed = 'an initialization that a crash cut off is accepted as committed or not (T11)';
    ledger.note('S1', committed, cutOff.length);
    this.#isActive = false;
    this.#isStopping = false;
    workers.crash(now);
    calls.all(bits.Crash | bits.Quiescent, now);
    calls.open.length = 0;
  }

  /** The clock was set back. An active scheduler judges that when it sees it, and without one the next initialization does (B5). */
  clockSetBack({ from, to, at }: Of<'ClockStep'>): void {
    this.#parts.workers.clockSetBack(to);
    this.#parts.tasks.begin(this.#parts.derived.minuteStart(to));
    const seenAt = this.#isActive ? at : undefined;
    this.#parts.tasks.clockSetBack({ from, to, seenAt, mayHaveClaimed: this.#parts.runs.isRecorded });
    this.#parts.derived.lineUp(to, true);
    this.#parts.calls.clockSetBack(to);
  }

  /** How many workers there are. With none nothing could ever be owed, so a number that cannot be counts as no bound. */
  #limitOf({ workers }: Of<'InitStart'>, { line }: Here): number {
    if (workers === undefined) return Number.POSITIVE_INFINITY;
    if (Number.isInteger(workers) && workers >= 1) return workers;
    const message = `InitStart: "workers" must be a whole number of at least 1, and it is ${workers}`;
    this.#parts.wellFormed.malformed({ line, message });
    return Number.POSITIVE_INFINITY;
  }

  /** Whether the call is open already: then its start was recorded twice, and counts once (EA3). */
  #isRecordedTwice(kind: Call['kind'], id: number | undefined, { now, line }: Here): boolean {
    if (id === undefined || this.#parts.calls.find(kind, id) === undefined) return false;
    const event = kind === 'initialize' ? 'InitStart' : 'StopStart';
    this.#parts.ledger.violate({
      axiom: 'EA3',
      at: now,
      blame: 'environment',
      ...sentence`${event} of one and the same call, number ${id}, was recorded twice`,
      events: [evidence(event, now, line)],
    });
    return true;
  }

  /** A run has begun or ended, and with it quiescence. */
  quiescenceChanged(now: number): void {
    if (this.#parts.calls.open.length > 0) this.#parts.calls.all(this.#quiescence(), now);
  }
}

/** Whether an end without a number is one that a call can have: a valid list is refused only if something else was going on. */
function isEndOf(record: Of<'InitSuccess' | 'InitFailure'>, { invalid, beganBusy }: Call): boolean {
  if (record.event === 'InitSuccess') return invalid === undefined;
  return record.valid ? beganBusy || record.fault !== 'active' : invalid !== undefined;
}

/** When an initialization may have been committed: at the first and the last instant of its life, or where the clock was set back to. */
const instantsOf = ({ readings }: Call, now: number): readonly number[] => [...new Set([...readings, now])];
