/**
 * What goes to the store, a batch at a time, and who hears of it when it is durable (A4). `writer.ts` brings a batch there, whatever the
 * store does.
 *
 *     ends, moves, answers … (outbox) ───────┬──collect──▶ on its way ──durable──▶ starts: called, unless the store refused them
 *     who the executor may start (claims) ───┘
 *     the plan of another list (edits) ──────collect──▶ on its way, alone ──durable──▶ in force (I5)
 *
 * Why nothing is called that is not durable: only `durable` gives starts to the caller. Why no start overtakes the end before it: starts
 * wait while the outbox has more ends than one batch takes.
 */
import { Ends } from '../core/rows.ts';
import { hasReady } from '../executor/state.ts';
import type { Batch, CommitResult } from '../store/port.ts';
import type { Caller } from './caller.ts';
import type { Claims } from './claims.ts';
import type { EditsPorts } from './edit-effects.ts';
import type { Edits } from './edits.ts';
import type { EngineOptions } from './engine-options.ts';
import type { PlanResult } from './read-back.ts';
import { Refusals, type RefusalsPorts } from './refusals.ts';
import { NOTHING_REFUSED, type Refused, refusedBy } from './store-report.ts';
import { Writer, type WriterPorts } from './writer.ts';

/** The engine, as far as its batches need it. */
export interface BatchesPorts extends RefusalsPorts, EditsPorts {
  readonly claims: Claims;
  edits(): Edits | undefined;
  readonly caller: Caller;
  /** Another scheduler owns the store. */
  lost(error: Error): void;
}

export class Batches implements WriterPorts {
  readonly #options: EngineOptions;
  readonly #ports: BatchesPorts;
  readonly writer: Writer;
  /** Made when something is refused. */
  #refused: Refusals | undefined;
  /** The rest of a plan, to be sent at once. */
  #left: Batch | undefined;

  constructor(options: EngineOptions, ports: BatchesPorts) {
    this.#options = options;
    this.#ports = ports;
    this.writer = new Writer(options, this);
  }

  get #refusals(): Refusals {
    this.#refused ??= new Refusals(this.#options, this.#ports);
    return this.#refused;
  }

  /** The next batch: what has ended, what a clock step moved, what is taken back, and who may start now. */
  collect(): Batch | undefined {
    const { executor, clock } = this.#options;
    const { outbox, claims, turns } = this.#ports;
    const plan = this.#left ?? this.#ports.edits()?.take();
    this.#left = undefined;
    if (plan !== undefined) return plan;
    const now = clock.now();
    const starts = claims.take(now);
    this.#ports.operator()?.claimed(starts, now);
    if (!executor.stopped && hasReady(executor)) turns.plan();
    const changes = outbox.take();
    const isEmpty = starts.length === 0 && Object.values(changes).every(({ length }) => length === 0);
    return isEmpty ? undefined : { ...changes, starts };
  }

  sendPlan(batch: Batch): Promise<CommitResult | 'stale'> | undefined {
    return this.#ports.edits()?.send(batch);
  }

  isPlan(batch: Batch): boolean {
    return this.#ports.edits()?.has(batch) ?? false;
  }

  planFailed(error: unknown): void {
    this.#ports.edits()?.failed(error);
    this.#ports.turns.plan();
  }

  durable(batch: Batch, result: PlanResult | 'stale'): void {
    const { turns } = this.#ports;
    const edits = this.#ports.edits();
    if (edits?.has(batch)) this.#left = edits.answered(batch, result);
    else if (result !== 'stale') this.#durable(batch, result);
    this.writer.pump();
    turns.plan();
  }

  #durable(batch: Batch, result: CommitResult): void {
    const { report, claims, caller, steps, dues } = this.#ports;
    const refused = refusedBy(result.refused);
    const operator = this.#ports.operator();
    const now = steps.readClock();
    if (dues.cluster !== undefined) this.#decided(batch, refused, now);
    report.durable(batch, refused, now);
    if (refused !== NOTHING_REFUSED) report.refused(batch, refused, now);
    if (refused.missing.size > 0) this.#refusals.recordsGone(refused.missing, now);
    operator?.answered(batch.answers ?? [], refused.start, now);
    const granted = claims.durable(refused.start, (task) =>
      this.#refusals.goOnBy(task, refused.records.get(this.#options.tasks.nameOf(task))),
    );
    caller.add({ ...granted, durableAt: now });
    if (refused.records.size > 0) this.#refusals.goOn(refused);
    if (batch.ends instanceof Ends) {
      if (dues.cluster !== undefined) dues.endsDurable(batch.ends.tasks);
      batch.ends.release();
    }
    this.#ports.edits()?.durable(batch.removes ?? []);
    this.writer.pump();
    caller.callSome();
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
