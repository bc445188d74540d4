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
 * `abandon` ends it from any state; what was on its way stays unknown.
 */
import { StoreSlowError } from '../store/errors.ts';
import type { Batch, CommitResult, StoreSession } from '../store/port.ts';
import type { Clock, Timer } from '../time/clock.ts';
import { isApplied, namesOf } from './read-back.ts';
import { PATIENCE_MS } from './slow-store.ts';

const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 10_000;

export interface WriterPorts {
  /** Where the store is, for what is said of it. */
  readonly location: string;
  /** The next batch, or undefined if there is nothing to write. */
  collect(): Batch | undefined;
  durable(batch: Batch, result: CommitResult): void;
  troubleStarted(error: unknown): void;
  troubleEnded(): void;
}

export class Writer {
  readonly #session: StoreSession;
  readonly #clock: Clock;
  readonly #ports: WriterPorts;
  #batch: Batch | undefined;
  #backoffMs = 0;
  #timer: Timer | undefined;
  #abandoned = false;
  #inTrouble = false;
  #lastError: unknown;

  constructor(session: StoreSession, clock: Clock, ports: WriterPorts) {
    this.#session = session;
    this.#clock = clock;
    this.#ports = ports;
  }

  get isIdle(): boolean {
    return this.#batch === undefined;
  }

  /** What the store said last, while it is in trouble. */
  get trouble(): unknown {
    return this.#inTrouble ? this.#lastError : undefined;
  }

  /** Sends the next batch, if there is one and none is on its way. */
  pump(): void {
    if (this.#batch !== undefined || this.#abandoned) return;
    this.#batch = this.#ports.collect();
    if (this.#batch !== undefined) this.#send(this.#batch);
  }

  /** Stops trying; answers the batch whose fate is unknown, if there is one. */
  abandon(): Batch | undefined {
    this.#abandoned = true;
    this.#timer?.cancel();
    return this.#batch;
  }

  #send(batch: Batch): void {
    this.#ask(
      async () => this.#session.commit(batch),
      (result) => this.#succeeded(batch, result),
      batch,
    );
  }

  /** Asks the store something. No answer for a while is trouble too, but only an answer ends the question: it may have worked. */
  #ask<T>(question: () => Promise<T>, answered: (answer: T) => void, batch: Batch): void {
    const patience = this.#clock.setTimer(() => {
      if (!this.#abandoned)
        this.#trouble(new StoreSlowError({ path: this.#ports.location, waitedMs: PATIENCE_MS }));
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

  #succeeded(batch: Batch, result: CommitResult): void {
    this.#batch = undefined;
    if (this.#inTrouble) this.#ports.troubleEnded();
    this.#inTrouble = false;
    this.#backoffMs = 0;
    this.#ports.durable(batch, result);
  }

  #failed(batch: Batch, error: unknown): void {
    this.#trouble(error);
    this.#backoffMs = Math.min(Math.max(FIRST_BACKOFF_MS, this.#backoffMs * 2), LONGEST_BACKOFF_MS);
    this.#timer = this.#clock.setTimer(() => this.#lookThenSend(batch), this.#backoffMs);
  }

  #lookThenSend(batch: Batch): void {
    this.#ask(
      async () => this.#session.read(namesOf(batch)),
      (records) => {
        if (isApplied(batch, records)) this.#succeeded(batch, { refused: [] });
        else this.#send(batch);
      },
      batch,
    );
  }
}
