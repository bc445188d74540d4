/** Tells of what the store does: what has become durable, for the trace, and when it is in trouble (E8), for everybody. */
import type { Batch } from '../store/port.ts';
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

export class StoreReport {
  readonly #ports: StoreReportPorts;
  /** The runs whose ends wait to become durable, in the order in which they are written. */
  readonly #endedRuns: string[] = [];
  /** By the clock that is never stepped. */
  #troubleSince = 0;

  constructor(ports: StoreReportPorts) {
    this.#ports = ports;
  }

  runEnded(runId: string): void {
    if (this.#ports.trace !== undefined) this.#endedRuns.push(runId);
  }

  /** What was refused is not durable, and is not told. */
  durable({ starts = [], ends = [] }: Batch, refused: ReadonlySet<string>, at: number): void {
    const { trace, instanceId: instance } = this.#ports;
    if (trace === undefined) return;
    const endedRuns = this.#endedRuns.splice(0, ends.length);
    for (const [index, { name: task }] of ends.entries()) {
      trace({ event: 'EndDurable', at, task, runId: endedRuns[index], instance });
    }
    for (const { name: task, run } of starts) {
      if (!refused.has(task)) trace({ event: 'StartDurable', at, task, runId: run.runId, instance });
    }
  }

  troubleStarted(error: unknown): void {
    const { clock, emit, logger } = this.#ports;
    this.#troubleSince = clock.monotonic();
    emit('StoreTroubleStarted', clock.now(), { error });
    const message = error instanceof Error ? error.message : String(error);
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
