/**
 * Reports what the store does: what has become durable, in the trace; what it refused, in the log and the events; and when it is
 * in trouble (E8), in all three.
 */
import type { RunRecord, TaskRecord } from '../core/record.ts';
import type { Tasks } from '../core/tasks.ts';
import { visible } from '../errors.ts';
import { StoreRecordMissingError } from '../store/errors.ts';
import type { Batch, Refusal } from '../store/port.ts';
import { describeError } from '../text/describe-error.ts';
import type { EngineOptions } from './engine-options.ts';

/** How many refused changes a line of the log names. */
const NAMED_AT_MOST = 10;

/** The tasks whose changes were refused, by change, and those whose record is missing. */
export type Refused = Readonly<Record<Refusal['change'] | 'missing', ReadonlySet<string>>> & {
  /** What holds now, by task, where the store says it. */
  readonly records: ReadonlyMap<string, TaskRecord>;
};

const NONE: ReadonlySet<string> = new Set();
export const NOTHING_REFUSED: Refused = {
  end: NONE,
  unstart: NONE,
  configure: NONE,
  pause: NONE,
  move: NONE,
  start: NONE,
  missing: NONE,
  records: new Map(),
};

export function refusedBy(refusals: readonly Refusal[]): Refused {
  if (refusals.length === 0) return NOTHING_REFUSED;
  const by = {
    end: new Set<string>(),
    unstart: new Set<string>(),
    configure: new Set<string>(),
    pause: new Set<string>(),
    move: new Set<string>(),
    start: new Set<string>(),
    missing: new Set<string>(),
    records: new Map<string, TaskRecord>(),
  };
  for (const { change, name, missing, record } of refusals) {
    by[change].add(name);
    if (missing) by.missing.add(name);
    if (record) by.records.set(name, record);
  }
  return by;
}

export class StoreReport {
  readonly #options: EngineOptions;
  /** Whether other instances share the store. */
  readonly #isShared: boolean;
  /** The names whose records are gone, as far as that was reported. */
  readonly #gone = new Set<string>();
  /** By the clock that is never stepped. */
  #troubleSince: number | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#isShared = options.session.sharing !== undefined;
  }

  durable({ starts = [], ends = [] }: Batch, refused: Refused, at: number): void {
    const { trace, instanceId: instance } = this.#options;
    if (trace === undefined) return;
    const claimOf = ({ runId, startedAt }: RunRecord): { runId: string; claimedAt?: number } =>
      this.#isShared ? { runId, claimedAt: startedAt } : { runId };
    for (const { name: task, runId } of ends)
      if (!refused.end.has(task)) trace({ event: 'EndDurable', at, task, runId, instance });
    for (const { name: task, run } of starts)
      if (!refused.start.has(task)) trace({ event: 'StartDurable', at, task, instance, ...claimOf(run) });
  }

  /**
   * A refused start is normal where several schedulers share a store, and so is a refused move: another instance has written the record. A refused
   * end or unstart, and a move where there is one owner, means that another scheduler has taken the task over: each is an event, and all of a
   * batch are one line. For a record that is missing see `recordsGone`.
   */
  refused({ ends = [], unstarts = [], moves = [] }: Batch, refused: Refused, at: number): void {
    const { emit, logger } = this.#options;
    const lost: string[] = [];
    const report = (
      change: 'end' | 'unstart' | 'move',
      changes: Iterable<{ readonly name: string; readonly runId?: string }>,
    ): void => {
      for (const { name: task, runId = null } of changes) {
        if (!refused[change].has(task) || refused.missing.has(task)) continue;
        emit('TaskChangeRefused', at, { task, runId, change });
        lost.push(`${change} of ${visible(task, 100)}`);
      }
    };
    report('end', ends);
    report('unstart', unstarts);
    if (!this.#isShared) report('move', moves);
    if (lost.length === 0) return;
    const more = lost.length > NAMED_AT_MOST ? `, and ${lost.length - NAMED_AT_MOST} more` : '';
    const named = lost.slice(0, NAMED_AT_MOST).join(', ');
    logger.warn(`the store refused what does not belong to the current run: ${named}${more}`);
  }

  /** Another program has deleted the records of these names (E7). Each is reported once in a life. */
  recordsGone(names: ReadonlySet<string>, at: number): void {
    const { emit, logger, location, trace } = this.#options;
    for (const name of names) {
      if (this.#gone.has(name)) continue;
      this.#gone.add(name);
      const error = new StoreRecordMissingError({ path: location, taskName: name, change: 'change' });
      if (!this.#isShared) trace?.({ event: 'Removed', at, task: name });
      emit('TaskSetAside', at, { task: name, error });
      const until = 'it stops until the next initialize, which brings it back as a new task';
      logger.error(
        `the record of ${visible(name, 100)} is gone from the store: ${until}; everything else goes on (${error.message})`,
      );
    }
  }

  /** A run has ended whose instance was declared dead: its end counts for nothing (K4). */
  fenced(tasks: Tasks, task: number, at: number): void {
    const { emit, logger } = this.#options;
    const name = tasks.nameOf(task);
    emit('TaskChangeRefused', at, { task: name, runId: tasks.runOf(task)?.runId ?? null, change: 'end' });
    logger.warn(
      `fenced: the run of ${visible(name, 100)} has ended, and another instance has taken the task over`,
    );
  }

  troubleStarted(error: unknown): void {
    const { clock, emit, logger } = this.#options;
    this.#troubleSince = clock.monotonic();
    emit('StoreTroubleStarted', clock.now(), { error });
    const { message } = describeError(error);
    logger.error(`the store is in trouble, starts wait and ends are kept: ${message}`);
  }

  lost(error: Error): void {
    const { clock, emit, logger } = this.#options;
    this.#troubleSince ??= clock.monotonic();
    emit('StoreLost', clock.now(), { error });
    logger.error(`nothing starts any more, and what runs is asked to end: ${describeError(error).message}`);
  }

  troubleEnded(error: unknown): void {
    const { emit, logger } = this.#options;
    this.#traceTrouble(error, (at, sinceMs) => {
      emit('StoreTroubleEnded', at, { sinceMs });
      logger.info(`the store works again, after ${sinceMs} ms`);
    });
  }

  /** The scheduler stops without its store: what was owed since that was lost, or in trouble, could not be started. */
  stoppedWithout(error: unknown): void {
    this.#traceTrouble(error, () => {});
  }

  #traceTrouble(error: unknown, report: (at: number, sinceMs: number) => void): void {
    const { clock, trace } = this.#options;
    const at = clock.now();
    const monotonic = clock.monotonic();
    const sinceMs = Math.round(monotonic - (this.#troubleSince ?? monotonic));
    this.#troubleSince = undefined;
    report(at, sinceMs);
    const name = error instanceof Error ? error.name : 'unknown';
    trace?.({ event: 'StoreTrouble', at, from: at - sinceMs, to: at, error: name });
  }
}
