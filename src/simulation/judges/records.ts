/**
 * Checks what the scheduler records about its environment against what the environment did. A delay that the store or the clock
 * explains is not the scheduler's fault. So a scheduler that invents such records, or leaves them out, would pass every other
 * judge.
 *
 * - `StartDurable` and `EndDurable`: what they name is on the disk. Each is recorded once, and before the next batch is sent.
 * - `StoreTrouble`: it begins where a request failed or took too long and ends where one was served, or where a stop gives up. None is left out.
 * - `ClockStep` and the instant of every record: see `clock-records.ts`.
 */
import type { Batch, Refusal } from '../../store/port.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import { ClockRecords } from './clock-records.ts';
import type { AnsweredRequest, Judge, WorldTime } from './judge.ts';
import type { Model } from './model.ts';
import type { Blame } from './violations.ts';

/** A request that takes this long is trouble. */
const PATIENCE_MS = 5000;

/** Under `initialize`: one request, or one wait for the lock, in `passed`. */
interface Wait {
  readonly kind: AnsweredRequest['kind'];
  readonly from: number;
  to: number;
  isRecorded: boolean;
}

export class RecordsJudge implements Judge {
  readonly #time: WorldTime;
  readonly #blame: Blame;
  readonly #model: Pick<Model, 'refusalsOf'>;
  readonly #clock: ClockRecords;
  #phase: 'idle' | 'initializing' | 'living' = 'idle';
  #hasBeenStopped = false;
  /** The last call of `initialize` that is no reload. */
  #call: number | undefined;
  /** When this phase began, in `passed`. An answer to an older request belongs to a life whose stop failed. */
  #begunAt = 0;
  /** The batches of this life, and the records that are missing for what is durable of them. */
  #ours = new WeakSet<Batch>();
  readonly #missing = new Set<string>();
  /** While initializing: every request. */
  #waits: Wait[] = [];
  /** While living: between which two instants the trouble began that is not recorded yet. */
  #trouble: { readonly earliest: number; readonly latest: number } | undefined;
  #lastServedAt = -1;
  /** The last batch is the plan of a list. If that fails, the store is read at once, and what it says decides (I5). */
  #isPlan = false;

  constructor(time: WorldTime, blame: Blame, model: Pick<Model, 'refusalsOf'>) {
    this.#time = time;
    this.#blame = blame;
    this.#model = model;
    this.#clock = new ClockRecords(time, blame);
  }

  clockSet(byMs: number): void {
    this.#clock.set(byMs);
  }

  initializeCalled(): void {
    this.#begin('initializing');
    this.#hasBeenStopped = false;
  }

  processDied(): void {
    this.#begin('idle');
    this.#clock.processDied();
  }

  traceDisordered(because: string): void {
    this.#blame('trace', because);
  }

  #begin(phase: 'idle' | 'initializing' | 'living'): void {
    this.#phase = phase;
    this.#begunAt = this.#time.passed;
    this.#ours = new WeakSet();
    this.#missing.clear();
    this.#waits = [];
    this.#trouble = undefined;
  }

  /** A scheduler that sends a new batch knows that the last one is durable. */
  batchSent(batch: Batch): void {
    this.#isPlan = batch.starts === undefined;
    if (this.#phase !== 'living' || this.#ours.has(batch)) return;
    this.#nothingIsMissing('the next batch was sent');
    this.#ours.add(batch);
  }

  batchDurable(batch: Batch, ungranted: ReadonlySet<string>): void {
    if (!this.#ours.has(batch)) return;
    const refusals = this.#model.refusalsOf(batch, ungranted);
    const isRefused = (change: Refusal['change'], name: string): boolean =>
      refusals.some((refusal) => refusal.change === change && refusal.name === name);
    for (const { name, runId } of batch.ends ?? [])
      if (!isRefused('end', name)) this.#missing.add(`EndDurable ${runId}`);
    for (const { name, run } of batch.starts ?? [])
      if (!isRefused('start', name)) this.#missing.add(`StartDurable ${run.runId}`);
  }

  requestAnswered({ kind, askedAt, dueAt, how }: AnsweredRequest): void {
    const { passed } = this.#time;
    if (askedAt < this.#begunAt) return;
    if (this.#phase === 'initializing') return void this.#waited(kind, askedAt);
    if (this.#phase !== 'living' || kind === 'open' || kind === 'close') return;
    if (dueAt - askedAt >= PATIENCE_MS) this.#trouble ??= { earliest: askedAt + PATIENCE_MS, latest: passed };
    else if (how === 'failed' && !(this.#isPlan && kind === 'commit'))
      this.#trouble ??= { earliest: passed, latest: passed };
    if (how === 'served') this.#lastServedAt = passed;
  }

  /** The scheduler waits for a lock in several requests, which count as one. */
  #waited(kind: AnsweredRequest['kind'], from: number): void {
    const { passed: to } = this.#time;
    const last = this.#waits.at(-1);
    if (kind === 'open' && last?.kind === 'open') last.to = to;
    else this.#waits.push({ kind, from, to, isRecorded: false });
  }

  recorded(record: WrittenRecord): void {
    const isActive = this.#phase === 'living' && !this.#hasBeenStopped;
    this.#clock.recorded(record, isActive ? 'active' : 'not active');
    switch (record.event) {
      case 'StartDurable':
      case 'EndDurable':
        if (!this.#missing.delete(`${record.event} ${record.runId}`))
          this.#blame(
            'A4',
            `${record.event} of ${record.task} was recorded; it is not on the disk, or was recorded before`,
          );
        break;
      case 'StoreTrouble':
        this.#troubleRecorded(record.to - record.from);
        break;
      case 'InitStart':
        if (record.reload !== true) this.#call = record.call;
        break;
      case 'InitSuccess':
      case 'InitFailure':
        // A list may be refused while the one before it is on its way.
        if (this.#phase === 'initializing' && record.call === this.#call) {
          this.#longWaitsAreRecorded();
          this.#begin(record.event === 'InitSuccess' ? 'living' : 'idle');
        }
        break;
      case 'StopStart':
        this.#hasBeenStopped = true;
        break;
      case 'StopEnd':
        if (this.#phase !== 'living') break;
        if (record.error === undefined) this.#nothingIsMissing('stop ended');
        this.#begin('idle');
    }
  }

  #troubleRecorded(forMs: number): void {
    const { passed } = this.#time;
    const from = passed - forMs;
    if (this.#phase !== 'living') {
      const wait = this.#waits.find((each) => each.from === from && each.to === passed && !each.isRecorded);
      if (wait === undefined) this.#blame('E8', `the store was in no trouble for ${forMs} ms`);
      else wait.isRecorded = true;
      return;
    }
    const began = this.#trouble;
    this.#trouble = undefined;
    const isSo = began !== undefined && began.earliest <= from && from <= began.latest;
    // A stop that gives up waits for no answer.
    if (!this.#hasBeenStopped && (!isSo || this.#lastServedAt !== passed))
      this.#blame('E8', `trouble was recorded for ${forMs} ms, but the disk says ${JSON.stringify(began)}`);
  }

  #longWaitsAreRecorded(): void {
    for (const { kind, from, to, isRecorded } of this.#waits) {
      if (to - from >= PATIENCE_MS && !isRecorded && kind !== 'close')
        this.#blame('E8', `${kind} took the store ${to - from} ms under initialize, without a record`);
    }
  }

  #nothingIsMissing(when: string): void {
    const [missing] = this.#missing;
    if (missing !== undefined) this.#blame('A4', `${missing} was not recorded when ${when}`);
    this.#missing.clear();
    if (this.#trouble !== undefined) this.#blame('E8', `trouble of the store was not recorded when ${when}`);
    this.#trouble = undefined;
  }
}
