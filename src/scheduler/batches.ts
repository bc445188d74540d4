/**
 * What goes to the store, a batch at a time, and who hears of it when it is durable (A4). `writer.ts` brings a batch there, whatever the
 * store does.
 *
 *     ends, moves, answers … (outbox) ───────┐
 *     records that come back (aside) ────────┼──collect──▶ on its way ──durable──▶ starts: called, unless the store refused them
 *     who the executor may start (claims) ───┘                             └─────▶ ends: released to the next list (I5)
 *
 * Why nothing is called that is not durable: only `durable` gives starts to the caller. Why no start overtakes the end before it: starts
 * wait while the outbox has more ends than one batch takes.
 */
import type { MoveChange } from '../core/changes.ts';
import { Ends, Starts } from '../core/rows.ts';
import { hasReady } from '../executor/state.ts';
import type { Batch, ClusterView, CommitResult } from '../store/port.ts';
import { Aside } from './aside.ts';
import type { Caller } from './caller.ts';
import type { Claims } from './claims.ts';
import type { ClockSteps } from './clock-steps.ts';
import type { Dues } from './dues.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Handover } from './handover.ts';
import type { Operator } from './operator.ts';
import type { Outbox } from './outbox.ts';
import { NOTHING_REFUSED, type Refused, refusedBy, type StoreReport } from './store-report.ts';
import type { Turns } from './turns.ts';
import { type UnwrittenChanges, unwrittenOf } from './unwritten.ts';
import { Writer, type WriterPorts } from './writer.ts';

/** The engine, as far as its batches need it. */
export interface BatchesPorts {
  readonly outbox: Outbox;
  readonly claims: Claims;
  readonly caller: Caller;
  readonly steps: ClockSteps;
  readonly dues: Dues;
  readonly turns: Turns;
  readonly report: StoreReport;
  operator(): Operator | undefined;
  handover(): Handover | undefined;
  /** Another scheduler owns the store. */
  lost(error: Error): void;
}

export class Batches implements WriterPorts {
  readonly #options: EngineOptions;
  readonly #ports: BatchesPorts;
  readonly writer: Writer;
  /** Made when the first record is missing. */
  #aside: Aside | undefined;

  constructor(options: EngineOptions, ports: BatchesPorts) {
    this.#options = options;
    this.#ports = ports;
    this.writer = new Writer(options, this);
  }

  /** Whether everything but what runs is durable. */
  get isAllDurable(): boolean {
    const { claims, caller, outbox } = this.#ports;
    return claims.isEmpty && !caller.hasCalls && outbox.isEmpty && this.writer.isIdle;
  }

  /** Nothing starts any more. */
  stop(): void {
    this.#aside?.stop();
  }

  /** Gives up on the store: answers what may not be durable, to be kept by the scheduler (D7). */
  abandon(): UnwrittenChanges {
    const { claims, outbox, dues } = this.#ports;
    const batch = this.writer.abandon() ?? {};
    const unstarts = claims.abandon();
    // Another instance may bring another list before that is written. The next initialize decides anew what this one has decided (K5).
    const keeps = ({ isByList }: MoveChange): boolean => !isByList || dues.cluster === undefined;
    return unwrittenOf(batch, unstarts, outbox.takeAll(), keeps);
  }

  /** The next batch: what has ended, what a clock step moved, what is taken back, and who may start now. */
  collect(): Batch | undefined {
    const { executor, clock } = this.#options;
    const { outbox, claims, turns } = this.#ports;
    const handover = this.#ports.handover();
    const returning = this.#aside?.take() ?? [];
    const now = clock.now();
    const starts = handover === undefined ? claims.take(now) : [];
    if (starts instanceof Starts) this.#ports.operator()?.claimed(starts, now);
    if (!executor.stopped && hasReady(executor) && handover === undefined) turns.plan();
    const changes = outbox.take();
    const puts = [...changes.puts, ...returning];
    const isEmpty =
      puts.length + starts.length === 0 && Object.values(changes).every(({ length }) => length === 0);
    if (isEmpty) return undefined;
    // After a reload the numbers of its tasks are not those of the list that the store knows.
    const ends = handover?.isRetired ? [...changes.ends] : changes.ends;
    return { ...changes, ends, puts, starts };
  }

  durable(batch: Batch, result: CommitResult): void {
    const { report, claims, caller, steps, dues, turns } = this.#ports;
    const refused = refusedBy(result.refused);
    const handover = this.#ports.handover();
    const operator = this.#ports.operator();
    const now = steps.readClock();
    if (dues.cluster !== undefined) this.#decided(dues.cluster, batch, refused, now);
    report.durable(batch, refused, now);
    if (refused !== NOTHING_REFUSED) report.refused(batch, refused, now);
    if (refused.missing.size > 0) {
      this.#aside ??= new Aside(this.#options, () => turns.plan());
      this.#aside.add(refused.missing);
    }
    if (this.#aside?.written(batch.puts ?? [])) dues.lookAtAll();
    operator?.answered(batch.answers ?? [], refused.start, now);
    if (handover !== undefined) for (const { name } of batch.ends ?? []) handover.ended(name);
    const granted = claims.durable(refused.start, (task) =>
      dues.cluster?.refused(task, refused.records.get(this.#options.tasks.nameOf(task))),
    );
    caller.add({ ...granted, durableAt: now });
    if (batch.ends instanceof Ends) {
      if (dues.cluster !== undefined) dues.endsDurable(batch.ends.tasks);
      batch.ends.release();
    }
    this.writer.pump();
    caller.callSome();
    turns.plan();
  }

  /** The store has decided between the instances, and what operators have asked for begins with the starts that it grants. */
  #decided(cluster: ClusterView, { moves = [] }: Batch, refused: Refused, now: number): void {
    const { claims } = this.#ports;
    const operator = this.#ports.operator();
    cluster.movesRefused(
      Array.from(moves).filter(({ name }) => refused.move.has(name)),
      refused.records,
    );
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
