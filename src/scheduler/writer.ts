/**
 * Brings changes into the store, one batch at a time, whatever the store does (A4, E8, E9).
 *
 *                 collect gives a batch             durable
 *     idle ──────────────────────────────▶ writing ────────▶ idle
 *                                           │   ▲
 *                                   failed  ▼   │ backed off, read back: not all of it shows
 *                                          troubled ──▶ idle   (read back: all of it shows)
 *
 * Only one batch is ever on its way, so a later change to a task can never overtake an earlier one. While a batch is on its
 * way everything else gathers for the next: under load batches grow by themselves (group commit). After a failure nothing is
 * known of the batch but that all of it is durable that the store does not refuse, or none: the store is asked which, and only then
 * is it sent again. A refusal is an answer like any other: what was refused is never sent again.
 * The plan of an edit (I5) goes the same way but for this: after a failure the store is read at once, and a plan that it does not have is not sent again.
 * `abandon` ends it from any state, and the fate of the batch that was on its way stays unknown. The loss of the store to another scheduler does the same.
 *
 * A store may find trouble when nothing is asked of it (`hear`). Then an empty batch takes the place of the one on its way: it goes
 * the way of any batch that failed, and is over when the store takes it: a store that can be read and not written is in trouble still.
 */
import { StoreClosedError, StoreLostError, StoreSlowError } from '../store/errors.ts';
import type { Batch, CommitResult, StoreSession } from '../store/port.ts';
import { Backoff } from '../time/backoff.ts';
import type { Clock, Timer } from '../time/clock.ts';
import { publishCommit } from './channels.ts';
import type { EngineOptions } from './engine-options.ts';
import { isApplied, namesOf, type PlanResult, planResultOf } from './read-back.ts';
import { PATIENCE_MS } from './slow-store.ts';

const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 10_000;

export interface WriterPorts {
  /** The next batch, or undefined if there is nothing to write. */
  collect(): Batch | undefined;
  /** Sends a plan. `undefined` for any other batch. */
  sendPlan(batch: Batch): Promise<CommitResult | 'stale'> | undefined;
  isPlan(batch: Batch): boolean;
  durable(batch: Batch, result: PlanResult | 'stale'): void;
  /** A plan has failed, and the store was read: it does not have it. */
  planFailed(error: unknown): void;
  troubleStarted(error: unknown): void;
  troubleEnded(): void;
  /** Another scheduler owns the store: nothing will be written any more. */
  lost(error: Error): void;
}

export class Writer {
  readonly #session: StoreSession;
  readonly #clock: Clock;
  readonly #location: string;
  readonly #ports: WriterPorts;
  readonly #backoff: Backoff;
  #batch: Batch | undefined;
  #timer: Timer | undefined;
  #abandoned = false;
  #inTrouble = false;
  #isLost = false;
  #lastError: unknown;
  /** Why the plan that is on its way has failed, until it is known whether it is stored. */
  #planError: { readonly error: unknown } | undefined;

  constructor({ session, clock, location, sizes }: EngineOptions, ports: WriterPorts) {
    this.#session = session;
    this.#clock = clock;
    this.#location = location;
    this.#ports = ports;
    this.#backoff = new Backoff({
      firstMs: FIRST_BACKOFF_MS,
      longestMs: LONGEST_BACKOFF_MS,
      // Where there is one instance, waits are exact.
      spread: session.sharing === undefined ? () => 0 : sizes.spread,
    });
  }

  get isIdle(): boolean {
    return this.#batch === undefined;
  }

  /** Whether another scheduler has taken the store over. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Throws if nothing is written any more: a store that is lost, or was given up, never answers. */
  mustBeOpen(): void {
    if (this.#abandoned) throw this.#lastError ?? new StoreClosedError({ path: this.#location });
  }

  /** What the store said last, while it is in trouble. */
  get trouble(): unknown {
    return this.#inTrouble ? this.#lastError : undefined;
  }

  /** The store has found trouble by itself. */
  hear(error: Error): void {
    if (this.#abandoned) return;
    if (error instanceof StoreLostError || this.#batch === undefined) {
      this.#batch ??= {};
      this.#failed(this.#batch, error);
    } else this.#trouble(error); // and what is on its way will be answered
  }

  /** Sends the next batch, if there is one and none is on its way. */
  pump(): void {
    if (this.#batch !== undefined || this.#abandoned) return;
    this.#batch = this.#ports.collect();
    if (this.#batch !== undefined) this.#send(this.#batch);
  }

  /** Stops trying. */
  abandon(): void {
    this.#abandoned = true;
    this.#timer?.cancel();
  }

  #send(batch: Batch): void {
    const sentAt = this.#clock.monotonic();
    this.#ask(
      async () => this.#ports.sendPlan(batch) ?? this.#session.commit(batch),
      (result) => {
        publishCommit(this.#location, batch, () => this.#clock.monotonic() - sentAt);
        this.#succeeded(batch, result);
      },
      batch,
    );
  }

  /** Asks the store something. No answer for a while is trouble too, but only an answer ends the question: it may have worked. */
  #ask<T>(question: () => Promise<T>, answered: (answer: T) => void, batch: Batch): void {
    const patience = this.#clock.setTimer(() => {
      if (!this.#abandoned)
        this.#trouble(new StoreSlowError({ path: this.#location, waitedMs: PATIENCE_MS }));
    }, PATIENCE_MS);
    this.#timer = patience;
    question().then(
      (answer) => {
        patience.cancel();
        if (!this.#abandoned) answered(answer);
      },
      (error: unknown) => {
        patience.cancel();
        if (!this.#abandoned) this.#failed(batch, error);
      },
    );
  }

  #trouble(error: unknown): void {
    this.#lastError = error;
    if (!this.#inTrouble) this.#ports.troubleStarted(error);
    this.#inTrouble = true;
  }

  #succeeded(batch: Batch, result: PlanResult | 'stale'): void {
    this.#answered();
    this.#ports.durable(batch, result);
  }

  #answered(): void {
    this.#batch = undefined;
    this.#planError = undefined;
    if (this.#inTrouble) this.#ports.troubleEnded();
    this.#inTrouble = false;
    this.#backoff.reset();
  }

  #failed(batch: Batch, error: unknown): void {
    if (error instanceof StoreLostError) {
      this.#lose(error);
      return;
    }
    if (this.#ports.isPlan(batch) && this.#planError === undefined) {
      this.#planError = { error };
      this.#lookThenSend(batch);
      return;
    }
    this.#trouble(error);
    this.#timer = this.#clock.setTimer(() => this.#lookThenSend(batch), this.#backoff.next());
  }

  #lose(error: StoreLostError): void {
    this.abandon();
    this.#isLost = true;
    this.#inTrouble = true;
    this.#lastError = error;
    this.#ports.lost(error);
  }

  #lookThenSend(batch: Batch): void {
    this.#ask(
      async () => this.#session.read(namesOf(batch)),
      (records) => {
        const isPlan = this.#planError !== undefined;
        const result = isPlan ? planResultOf(batch, records) : { refused: [] };
        if (result !== undefined && (isPlan || (!isEmpty(batch) && isApplied(batch, records))))
          this.#succeeded(batch, result);
        else if (this.#planError !== undefined) {
          const { error } = this.#planError;
          this.#answered();
          this.#ports.planFailed(error);
        } else this.#send(batch);
      },
      batch,
    );
  }
}

/** Nothing of it could show. */
const isEmpty = (batch: Batch): boolean => Object.keys(batch).length === 0;
