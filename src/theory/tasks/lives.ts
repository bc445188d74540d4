/**
 * The lives of the scheduler, as its calls and its crashes tell them.
 *
 *     ──initialize──▶ active ──stop called──▶ stopping ──stop ended──▶ at rest ──initialize──▶ active
 *                       └────────crash──────────┴─────────────────────▶ at rest, with what the store knows in doubt (T10, T11)
 */
import type { TraceRecord } from '../../trace/record.ts';
import { excuseOf, invalidity, type Matchers } from '../calendar/valid-list.ts';
import type { Workers } from '../delays/workers.ts';
import { bits } from '../logic/atoms.ts';
import type { Freezes } from '../records/freeze-axioms.ts';
import type { WellFormed } from '../records/well-formed.ts';
import type { Here } from '../verdict/accuser.ts';
import type { Explainer } from '../verdict/explain.ts';
import type { Ledger } from '../verdict/ledger.ts';
import type { Call, Calls } from './calls.ts';
import type { Cursors } from './clock-back.ts';
import type { Pulses } from './derived.ts';
import type { Durability } from './durability.ts';
import type { Population } from './population.ts';
import type { Takeover } from './takeover.ts';

type InitStart = TraceRecord & { event: 'InitStart' };
type InitSuccess = TraceRecord & { event: 'InitSuccess' };
type InitFailure = TraceRecord & { event: 'InitFailure' };
type InitEnd = InitSuccess | InitFailure;

export interface LivesPorts {
  readonly population: Population;
  readonly calls: Calls;
  readonly takeover: Takeover;
  readonly durability: Durability;
  readonly cursors: Cursors;
  readonly pulses: Pulses;
  readonly freezes: Freezes;
  readonly workers: Workers;
  readonly matchers: Matchers;
  readonly explain: Explainer;
  readonly ledger: Ledger;
  readonly wellFormed: WellFormed;
}

export class Lives {
  readonly #ports: LivesPorts;
  #crashes = 0;
  #isActive = false;
  /** A stop was called while the scheduler was active: only such a one makes anything durable. */
  #endsLife = false;
  /** A stop has failed: what was not durable then goes into the next initialization (D7). */
  #isCarried = false;

  constructor(ports: LivesPorts) {
    this.#ports = ports;
  }

  get isActive(): boolean {
    return this.#isActive;
  }

  get crashes(): number {
    return this.#crashes;
  }

  initStart(record: InitStart, here: Here): void {
    const { population, calls, freezes, matchers, explain } = this.#ports;
    const { call: id, registrations, timeZone } = record;
    const { now, line } = here;
    if (this.#isTwice('initialize', id, here)) return;
    freezes.action(now, line);
    const isBusy = this.#isActive || calls.open.length > 0;
    for (const call of calls.open) call.isBusy = true;
    const zone = timeZone === '' ? 'UTC' : timeZone;
    const invalid = matchers.refusal('* * * * *', zone) ?? invalidity(registrations, zone, matchers);
    population.everyone(bits.IS, now);
    calls.begin(
      {
        kind: 'initialize',
        id,
        at: now,
        line: line,
        registrations,
        timeZone: zone,
        workers: this.#limitOf(record, here),
        invalid,
        isBusy,
      },
      bits.IS | this.#quiescence(),
    );
    explain.happened('InitStart', now, line);
  }

  initEnd(record: InitEnd, here: Here): void {
    const { calls, freezes } = this.#ports;
    freezes.action(here.now, here.line);
    const call = calls.find('initialize', record.call);
    if (call === undefined) this.#wrong('an initialization ends that never began', here);
    else if (record.event === 'InitSuccess') this.#initSuccess(call, record, here);
    else this.#initFailure(call, record, here);
  }

  #initSuccess(call: Call, { instance, plannedAt }: InitSuccess, { now, line }: Here): void {
    const { calls, takeover, durability, workers, explain, wellFormed } = this.#ports;
    wellFormed.initializedBy(instance);
    const valid = call.invalid === undefined ? bits.Valid : 0;
    calls.end(call, bits.In | valid | this.#quiescence(), now);
    for (const other of calls.open) other.isBusy = true;
    durability.settle();
    this.#isCarried = false;
    if (call.invalid === undefined) takeover.succeeds(call, plannedAt, now);
    this.#isActive = !call.isStopped;
    this.#endsLife = false;
    workers.setLimit(call.workers);
    explain.happened('InitSuccess', now, line);
  }

  #initFailure(call: Call, { error, valid: isValid }: InitFailure, { now, line }: Here): void {
    const { population, calls, takeover, explain, ledger } = this.#ports;
    // A list that could not be written down is empty in the trace, and only its scheduler knows that it was not valid.
    const isUnreadable = !isValid && call.registrations.length === 0;
    if (isUnreadable)
      ledger.note('S5', 'a list that the trace does not show was rejected, and is taken for not valid');
    const valid = call.invalid === undefined && !isUnreadable ? bits.Valid : 0;
    const excuse = excuseOf(error);
    const excused = call.isBusy || excuse !== undefined ? bits.Excused : 0;
    population.everyone(bits.IEf, now);
    calls.end(call, bits.IEf | valid | excused | this.#quiescence(), now);
    if (valid !== 0 && excuse === 'store') {
      // The store said no, and may have taken it all the same (E9).
      const doubtful = new Map<number, number[]>();
      takeover.maybe(call, 'failed', doubtful, now);
      for (const [task, states] of doubtful) population.doubt(task, states);
    }
    if (valid !== 0 && excuse !== undefined && !call.isBusy)
      ledger.blameEnvironment(
        'S5',
        `a valid list could not be taken over, because of the ${excuse}: ${error}`,
      );
    explain.happened('InitFailure', now, line);
  }

  stopStart(id: number | undefined, here: Here): void {
    const { population, calls, freezes, explain } = this.#ports;
    const { now, line } = here;
    if (this.#isTwice('stop', id, here)) return;
    freezes.action(now, line);
    this.#endsLife ||= this.#isActive;
    this.#isActive = false;
    for (const call of calls.open) {
      call.isStopped = true;
      call.isBusy = true;
    }
    population.everyone(bits.SS, now);
    calls.begin({ kind: 'stop', id, at: now, line: line }, bits.SS | this.#quiescence());
    explain.happened('StopStart', now, line);
  }

  stopEnd(id: number | undefined, error: string | undefined, here: Here): void {
    const { population, calls, durability, cursors, pulses, freezes, explain } = this.#ports;
    const { now, line } = here;
    freezes.action(now, line);
    const call = calls.find('stop', id);
    population.everyone(bits.SE, now);
    if (call === undefined) this.#wrong('a stop ends that never began', here);
    else calls.end(call, bits.SE | this.#quiescence(), now);
    // A stop that resolves has made everything durable, and taken back what was not called (D7).
    // After one that failed the next stop has nothing to do, and makes nothing durable.
    if (error !== undefined) this.#isCarried = true;
    if (!this.#isCarried) {
      durability.settle();
      if (this.#endsLife) {
        cursors.settle();
        pulses.retries.settle();
      }
      // The next stop is one of nobody, unless something is begun before.
      this.#endsLife = false;
    }
    explain.happened('StopEnd', now, line);
  }

  crash({ now, line }: Here): void {
    const { population, calls, takeover, durability, freezes, workers, explain, ledger } = this.#ports;
    this.#crashes++;
    takeover.crash();
    const doubtful = durability.doubtful();
    if (doubtful.size > 0)
      ledger.note('S1', 'what a crash may have undone is accepted either way (T10)', doubtful.size);
    for (const call of calls.open)
      if (call.kind === 'initialize' && call.invalid === undefined)
        takeover.maybe(call, 'a crash cut off', doubtful, now);
    population.crash(doubtful, now);
    this.#isActive = false;
    this.#endsLife = false;
    workers.crash(now);
    calls.all(bits.Crash | bits.Quiescent, now);
    calls.open.length = 0;
    freezes.crash(now);
    explain.happened('UnexpectedShutdown', now, line);
  }

  /** How many workers there are. With none nothing could ever be owed, so a number that cannot be is as good as none. */
  #limitOf({ workers }: InitStart, here: Here): number {
    if (workers === undefined) return Number.POSITIVE_INFINITY;
    if (Number.isInteger(workers) && workers >= 1) return workers;
    this.#wrong(`InitStart: "workers" must be a whole number of at least 1, and it is ${workers}`, here);
    return Number.POSITIVE_INFINITY;
  }

  /** Whether the call is open already: then its start was recorded twice, and is still one (EA3). */
  #isTwice(kind: Call['kind'], id: number | undefined, { now, line }: Here): boolean {
    const { calls, ledger } = this.#ports;
    if (id === undefined || calls.find(kind, id) === undefined) return false;
    const event = kind === 'initialize' ? 'InitStart' : 'StopStart';
    ledger.violate({
      axiom: 'EA3',
      at: now,
      blame: 'environment',
      because: `${event} of one and the same call, number ${id}, was recorded twice`,
      events: [{ event, at: now, ...(line > 0 ? { line } : {}) }],
    });
    return true;
  }

  /** What every call sees at any position. */
  #quiescence(): number {
    return this.#ports.workers.isQuiescent ? bits.Quiescent : 0;
  }

  /** A run has begun or ended, and with it quiescence. */
  quiescenceChanged(now: number): void {
    const { calls } = this.#ports;
    if (calls.open.length > 0) calls.all(this.#quiescence(), now);
  }

  #wrong(message: string, { line }: Here): void {
    this.#ports.wellFormed.malformed({ line, message });
  }
}
