/**
 * What the scheduler tells of its environment, held against what the environment did. A delay that the store or the clock explains is
 * not the scheduler's fault, so a scheduler that made up its excuses, or kept quiet about trouble, would pass every other judge.
 *
 * - `StartDurable` and `EndDurable` are told of what is on the disk, once each, and of everything before the next batch is sent.
 * - `StoreTrouble` begins where a request failed or went unanswered for too long, ends where one was answered, and is told of whenever
 *   that was so.
 * - `ClockStep` is by as much as the clock was set since the look before, to the millisecond.
 * - Every record carries what the clock shows, and none goes back without a step between.
 */
import type { Batch } from '../../store/port.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { Timeline } from '../machine/timeline.ts';
import { ClockEvidence } from './clock-records.ts';

/** How long a request may go unanswered before it must be called trouble. */
const PATIENCE_MS = 5000;

/** A request to the disk that has been answered. Times are those of the clock that does not step. */
export interface Answered {
  readonly kind: 'open' | 'read' | 'commit' | 'close';
  readonly askedAt: number;
  /** When the answer was to come; a process that was held gets it later. */
  readonly dueAt: number;
  readonly how: 'served' | 'failed';
}

interface Span {
  readonly from: number;
  to: number;
  readonly kind: Answered['kind'];
  told: boolean;
}

export class Evidence {
  readonly #timeline: Timeline;
  readonly #blame: (rule: string, because: string) => void;
  readonly #clock: ClockEvidence;
  #phase: 'nobody' | 'initializing' | 'living' = 'nobody';
  /** The batches of this life, and what is durable of them and has not been told. */
  #ours = new WeakSet<Batch>();
  readonly #untold = new Set<string>();
  /** While initializing: every request, and how long it took. */
  #spans: Span[] = [];
  /** While living: between which instants the trouble began that has not been told. */
  #troubleFrom: { readonly earliest: number; readonly latest: number } | undefined;
  #lastServedAt = -1;
  /** From when on requests are of this phase. */
  #begunAt = 0;
  #hasBeenStopped = false;
  /** When the scheduler last held its clock against one that does not step. */
  lookedAt = 0;

  constructor(timeline: Timeline, blame: (rule: string, because: string) => void) {
    this.#timeline = timeline;
    this.#blame = blame;
    this.#clock = new ClockEvidence(timeline, blame);
  }

  clockSet(byMs: number): void {
    this.#clock.set(byMs);
  }

  initCalled(): void {
    this.#begin('initializing');
    this.#hasBeenStopped = false;
  }

  died(): void {
    this.#begin('nobody');
    this.#clock.died();
  }

  #begin(phase: 'nobody' | 'initializing' | 'living'): void {
    this.#phase = phase;
    this.#begunAt = this.#timeline.passed;
    this.#ours = new WeakSet();
    this.#untold.clear();
    this.#spans = [];
    this.#troubleFrom = undefined;
  }

  /** A batch is handed to the disk. One that was not before shows that the last one is known to be durable. */
  commitCalled(batch: Batch): void {
    if (this.#phase !== 'living' || this.#ours.has(batch)) return;
    this.#settle('the next batch was sent');
    this.#ours.add(batch);
  }

  /** A batch is on the platter, but for what was refused; `runOf` tells the run that was there before it. */
  durable(batch: Batch, refused: readonly string[], runOf: (name: string) => string | undefined): void {
    if (!this.#ours.has(batch)) return;
    for (const { name } of batch.ends ?? []) {
      const runId = runOf(name);
      if (runId !== undefined) this.#untold.add(`EndDurable ${runId}`);
    }
    for (const { name, run } of batch.starts ?? [])
      if (!refused.includes(name)) this.#untold.add(`StartDurable ${run.runId}`);
  }

  answered({ kind, askedAt, dueAt, how }: Answered): void {
    const { passed } = this.#timeline;
    if (askedAt < this.#begunAt) return; // of a life whose stop failed
    if (this.#phase === 'initializing') return void this.#spent(kind, askedAt);
    if (this.#phase !== 'living' || kind === 'open' || kind === 'close') return;
    if (dueAt - askedAt >= PATIENCE_MS)
      this.#troubleFrom ??= { earliest: askedAt + PATIENCE_MS, latest: passed };
    else if (how === 'failed') this.#troubleFrom ??= { earliest: passed, latest: passed };
    if (how === 'served') this.#lastServedAt = passed;
  }

  /** Waiting for a lock is done in several requests, which count as one. */
  #spent(kind: Answered['kind'], from: number): void {
    const { passed: to } = this.#timeline;
    const last = this.#spans.at(-1);
    if (kind === 'open' && last?.kind === 'open') last.to = to;
    else this.#spans.push({ kind, from, to, told: false });
  }

  told(record: WrittenRecord): void {
    const isActive = this.#phase === 'living' && !this.#hasBeenStopped;
    this.#clock.told(record, isActive ? 'active' : 'not active');
    switch (record.event) {
      case 'StartDurable':
      case 'EndDurable':
        if (!this.#untold.delete(`${record.event} ${record.runId}`))
          this.#blame('A4', `${record.event} of ${record.task} was told, and is not so, or was told before`);
        break;
      case 'StoreTrouble':
        this.#troubleTold(record.to - record.from);
        break;
      case 'InitSuccess':
      case 'InitFailure':
        if (this.#phase === 'initializing') {
          this.#initEnded();
          this.#begin(record.event === 'InitSuccess' ? 'living' : 'nobody');
        }
        break;
      case 'StopStart':
        this.#hasBeenStopped = true;
        break;
      case 'StopEnd':
        if (this.#phase !== 'living') break;
        if (record.error === undefined) this.#settle('stop has ended');
        this.#begin('nobody');
    }
  }

  #troubleTold(forMs: number): void {
    const { passed } = this.#timeline;
    const from = passed - forMs;
    if (this.#phase !== 'living') {
      const span = this.#spans.find((each) => each.from === from && each.to === passed && !each.told);
      if (span === undefined) this.#blame('E8', `the store was in no trouble for ${forMs} ms`);
      else span.told = true;
      return;
    }
    const began = this.#troubleFrom;
    this.#troubleFrom = undefined;
    const isSo = began !== undefined && began.earliest <= from && from <= began.latest;
    if (!isSo || this.#lastServedAt !== passed)
      this.#blame('E8', `trouble was told of for ${forMs} ms, but the disk says ${JSON.stringify(began)}`);
  }

  #initEnded(): void {
    for (const { kind, from, to, told } of this.#spans) {
      if (to - from >= PATIENCE_MS && !told && kind !== 'close')
        this.#blame('E8', `the store took ${to - from} ms to ${kind} under initialize, and nobody was told`);
    }
  }

  #settle(when: string): void {
    const [untold] = this.#untold;
    if (untold !== undefined) this.#blame('A4', `${untold} had not been told when ${when}`);
    this.#untold.clear();
    if (this.#troubleFrom !== undefined)
      this.#blame('E8', `the store had been in trouble, and nobody had been told when ${when}`);
    this.#troubleFrom = undefined;
  }
}
