/** Traces of instances of a cluster, made by hand. */
import { mergeTraces } from '../../src/trace/merge/merge.ts';
import type { TraceRecord } from '../../src/trace/record.ts';

export const T0 = Date.UTC(2026, 0, 5, 12, 0, 0);

type Loose = { readonly event: TraceRecord['event']; readonly at: number } & Record<string, unknown>;

/** One instance, which writes lines. Instants are milliseconds after 12:00:00. */
export class Traced {
  readonly lines: string[] = [];
  readonly id: string;
  #calls = 0;

  constructor(id: string) {
    this.id = id;
  }

  get text(): string {
    return this.lines.map((line) => `${line}\n`).join('');
  }

  write(record: Loose): this {
    this.lines.push(JSON.stringify({ ...record, at: T0 + record.at }));
    return this;
  }

  join(at: number, names: readonly string[], more: Record<string, unknown> = {}, cron = '* * * * *'): this {
    const call = ++this.#calls;
    const registrations = names.map((name) => ({ name, cron, retryDelayMs: 1000 }));
    const { hostAt = at, success: told = {}, ...flags } = more;
    this.write({ event: 'InitStart', at: Number(hostAt), call, registrations, timeZone: 'UTC', ...flags });
    const success = { call, instance: this.id, hostAt: T0 + Number(hostAt), ...Object(told) };
    return this.write({ event: 'InitSuccess', at, ...success });
  }

  start(at: number, task: string, run: string): this {
    const runId = `${this.id}-${run}`;
    return this.write({ event: 'StartDurable', at, task, runId, instance: this.id }).write({
      event: 'RunStart',
      at: at + 1,
      task,
      runId,
      instance: this.id,
    });
  }

  end(at: number, task: string, run: string, event: 'RunSuccess' | 'RunFailure' = 'RunSuccess'): this {
    const runId = `${this.id}-${run}`;
    return this.write({ event, at, task, runId, instance: this.id }).write({
      event: 'EndDurable',
      at: at + 1,
      task,
      runId,
      instance: this.id,
    });
  }

  /** `run` is one that was cut off, by which the store says so. */
  gone(at: number, instance: string, run: { readonly task?: string; readonly runId?: string } = {}): this {
    return this.write({ event: 'InstanceGone', at, instance, ...run });
  }

  stop(at: number): this {
    const call = ++this.#calls;
    return this.write({ event: 'StopStart', at, call }).write({ event: 'StopEnd', at: at + 1, call });
  }
}

/** The records of the merged trace. */
export async function merged(...traces: readonly Traced[]): Promise<TraceRecord[]> {
  const records: TraceRecord[] = [];
  for await (const { record } of mergeTraces(traces.map(({ text }) => [text])))
    if (record !== undefined) records.push(record);
  return records;
}
