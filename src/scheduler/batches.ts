/**
 * What goes to the store, a batch at a time, and who hears of it when it is durable (A4). `writer.ts` brings a batch there, whatever the
 * store does.
 *
 *     ends, moves, answers … (outbox) ───────┬──collect──▶ on its way ──durable──▶ starts: called, unless the store refused them
 *     who the executor may start (claims) ───┘                             └─────▶ ends: released to the next list (I5)
 *
 * Why nothing is called that is not durable: only `durable` gives starts to the caller. Why no start overtakes the end before it: starts
 * wait while the outbox has more ends than one batch takes.
 */
import { Ends, Starts } from '../core/rows.ts';
import { hasReady } from '../executor/state.ts';
import type { Batch, CommitResult } from '../store/port.ts';
import type { Caller } from './caller.ts';
import type { Claims } from './claims.ts';
import type { ClockSteps } from './clock-steps.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Handover } from './handover.ts';
import type { Operator } from './operator.ts';
import { Refusals, type RefusalsPorts } from './refusals.ts';
import { NOTHING_REFUSED, type Refused, refusedBy } from './store-report.ts';
import type { Turns } from './turns.ts';
import { Writer, type WriterPorts } from './writer.ts';

/** The engine, as far as its batches need it. */
export interface BatchesPorts extends RefusalsPorts {
  readonly claims: Claims;
  readonly caller: Caller;
  readonly steps: ClockSteps;
  readonly turns: Turns;
  operator(): Operator | undefined;
  handover(): Handover | undefined;
  /** Another scheduler owns the store. */
  lost(error: Error): void;
}

export class Batches implements WriterPorts {
  readonly #options: EngineOptions;
  readonly #ports: BatchesPorts;
  readonly writer: Writer;
  /** Made when something is refused. */
  #refused: Refusals | undefined;

  constructor(options: EngineOptions, ports: BatchesPorts) {
    this.#options = options;
    this.#ports = ports;
    this.writer = new Writer(options, this);
  }

  get #refusals(): Refusals {
    this.#refused ??= new Refusals(this.#options, this.#ports);
    return this.#refused;
  }

  /** Whether everything but what runs is durable. */
  get isAllDurable(): boolean {
    const { claims, caller, outbox } = this.#ports;
    return claims.isEmpty && !caller.hasCalls && outbox.isEmpty && this.writer.isIdle;
  }

  /** The next batch: what has ended, what a clock step moved, what is taken back, and who may start now. */
  collect(): Batch | undefined {
    const { executor, clock } = this.#options;
    const { outbox, claims, turns } = this.#ports;
    const handover = this.#ports.handover();
    const now = clock.now();
    const starts = handover === undefined ? claims.take(now) : [];
    if (starts instanceof Starts) this.#ports.operator()?.claimed(starts, now);
    if (!executor.stopped && hasReady(executor) && handover === undefined) turns.plan();
    const changes = outbox.take();
    const isEmpty = starts.length === 0 && Object.values(changes).every(({ length }) => length === 0);
    if (isEmpty) return undefined;
    // After a reload the numbers of its tasks are not those of the list that the store knows.
    const ends = handover?.isRetired ? [...changes.ends] : changes.ends;
    return { ...changes, ends, starts };
  }

  durable(batch: Batch, result: CommitResult): void {
    const { report, claims, caller, steps, dues, turns } = this.#ports;
    const refused = refusedBy(result.refused);
    const handover = this.#ports.handover();
    const operator = this.#ports.operator();
    const now = steps.readClock();
    if (dues.cluster !== undefined) this.#decided(batch, refused, now);
    report.durable(batch, refused, now);
    if (refused !== NOTHING_REFUSED) report.refused(batch, refused, now);
    if (refused.missing.size > 0) this.#refusals.recordsGone(refused.missing, now);
    operator?.answered(batch.answers ?? [], refused.start, now);
    if (handover !== undefined) for (const { name } of batch.ends ?? []) handover.ended(name);
    const granted = claims.durable(refused.start, (task) =>
      this.#refusals.goOnBy(task, refused.records.get(this.#options.tasks.nameOf(task))),
    );
    caller.add({ ...granted, durableAt: now });
    if (refused.records.size > 0) this.#refusals.goOn(batch, refused);
    if (batch.ends instanceof Ends) {
      if (dues.cluster !== undefined) dues.endsDurable(batch.ends.tasks);
      batch.ends.release();
    }
    this.writer.pump();
    caller.callSome();
    turns.plan();
  }

  /** The store has decided between the instances, and what operators have asked for begins with the starts that it grants. */
  #decided({ moves = [] }: Batch, refused: Refused, now: number): void {
    const { claims, moves: cursors } = this.#ports;
    const operator = this.#ports.operator();
    cursors.decided(moves, refused.move);
    if (operator === undefined || this.#options.executor.stopped) return;
    for (const task of claims.granted(refused.start)) operator.granted(task, now);
  }

  troubleStarted(error: unknown): void {
    this.#ports.steps.readClock();
    this.#ports.report.troubleStarted(error);
  }

  troubleEnded(): void {
    this.#ports.steps.readClock();
    this.#ports.report.troubleEnded(this.writer.trouble);
  }

  lost(error: Error): void {
    this.#ports.lost(error);
  }
}
