/** Judges whole traces, and traces as they are made. */
import type { TraceEntry } from '../trace/lines.ts';
import type { TraceRecord } from '../trace/record.ts';
import { Monitor, type MonitorOptions } from './monitor.ts';
import type { Verdict } from './verdict.ts';

/** Records, or lines as `readTrace` gives them, with their numbers and with what is wrong with them. */
export type TraceEvents = Iterable<TraceRecord | TraceEntry> | AsyncIterable<TraceRecord | TraceEntry>;

/** The verdict on a whole trace. It is read once, and not kept. */
export async function checkTrace(events: TraceEvents, options: MonitorOptions = {}): Promise<Verdict> {
  const monitor = new Monitor(options);
  if (Symbol.asyncIterator in events) for await (const event of events) take(monitor, event);
  else for (const event of events) take(monitor, event);
  return monitor.verdict();
}

function take(monitor: Monitor, event: TraceRecord | TraceEntry): void {
  if (!('line' in event)) monitor.take(event);
  else if (event.problem === undefined) monitor.take(event.record, event.line);
  else monitor.malformed(event.problem);
}

/** An oracle beside a scheduler that runs. */
export interface LiveMonitor {
  /** Give this to the scheduler as its `trace`. */
  readonly sink: (record: TraceRecord) => void;
  /** What can be said so far. */
  verdict(): Verdict;
}

/** Judges a scheduler as it runs. */
export function createMonitor(options: MonitorOptions = {}): LiveMonitor {
  const monitor = new Monitor(options);
  return { sink: (record) => monitor.take(record), verdict: () => monitor.verdict() };
}
