/**
 * Reports what the store does: what has become durable, in the trace; what it refused, in the log and the events; and when it is
 * in trouble (E8), in all three.
 */
import { visible } from '../errors.ts';
import type { Batch, Refusal } from '../store/port.ts';
import { describeError } from '../text/describe-error.ts';
import type { Clock } from '../time/clock.ts';
import type { TraceSink } from '../trace/record.ts';
import type { Emit } from './events.ts';
import type { Logger } from './options.ts';

export interface StoreReportPorts {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly logger: Logger;
  readonly trace: TraceSink | undefined;
  readonly instanceId: string;
}

/** How many refused changes a line of the log names. */
const NAMED_AT_MOST = 10;

/** The tasks whose changes were refused, by change. */
export type Refused = Readonly<Record<Refusal['change'], ReadonlySet<string>>>;

const NONE: ReadonlySet<string> = new Set();
export const NOTHING_REFUSED: Refused = { end: NONE, unstart: NONE, move: NONE, start: NONE };

export function refusedBy(refusals: readonly Refusal[]): Refused {
  if (refusals.length === 0) return NOTHING_REFUSED;
  const by = {
    end: new Set<string>(),
    unstart: new Set<string>(),
    move: new Set<string>(),
    start: new Set<string>(),
  };
  for (const { change, name } of refusals) by[change].add(name);
  return by;
}

export class StoreReport {
  readonly #ports: StoreReportPorts;
  /** By the clock that is never stepped. */
  #troubleSince = 0;

  constructor(ports: StoreReportPorts) {
    this.#ports = ports;
  }

  durable({ starts = [], ends = [] }: Batch, refused: Refused, at: number): void {
    const { trace, instanceId: instance } = this.#ports;
    if (trace === undefined) return;
    for (const { name: task, runId } of ends)
      if (!refused.end.has(task)) trace({ event: 'EndDurable', at, task, runId, instance });
    for (const { name: task, run } of starts)
      if (!refused.start.has(task)) trace({ event: 'StartDurable', at, task, runId: run.runId, instance });
  }

  /**
   * A refused start is normal where several schedulers share a store. A refused end, unstart or move means that another scheduler has
   * taken the task over: each is an event, and all of a batch are one line.
   */
  refused({ ends = [], unstarts = [], moves = [] }: Batch, refused: Refused, at: number): void {
    const { emit, logger } = this.#ports;
    const lost: string[] = [];
    const report = (
      change: 'end' | 'unstart' | 'move',
      changes: Iterable<{ readonly name: string; readonly runId: string | null }>,
    ): void => {
      for (const { name: task, runId } of changes) {
        if (!refused[change].has(task)) continue;
        emit('TaskChangeRefused', at, { task, runId, change });
        lost.push(`${change} of ${visible(task, 100)}`);
      }
    };
    report('end', ends);
    report('unstart', unstarts);
    report('move', moves);
    if (lost.length === 0) return;
    const more = lost.length > NAMED_AT_MOST ? `, and ${lost.length - NAMED_AT_MOST} more` : '';
    const named = lost.slice(0, NAMED_AT_MOST).join(', ');
    logger.warn(`the store refused what does not belong to the current run: ${named}${more}`);
  }

  troubleStarted(error: unknown): void {
    const { clock, emit, logger } = this.#ports;
    this.#troubleSince = clock.monotonic();
    emit('StoreTroubleStarted', clock.now(), { error });
    const { message } = describeError(error);
    logger.warn(`the store is in trouble, starts wait and ends are kept: ${message}`);
  }

  troubleEnded(error: unknown): void {
    const { clock, emit, logger, trace } = this.#ports;
    const at = clock.now();
    const sinceMs = Math.round(clock.monotonic() - this.#troubleSince);
    emit('StoreTroubleEnded', at, { sinceMs });
    logger.info(`the store works again, after ${sinceMs} ms`);
    trace?.({
      event: 'StoreTrouble',
      at,
      from: at - sinceMs,
      to: at,
      error: error instanceof Error ? error.name : 'unknown',
    });
  }
}
