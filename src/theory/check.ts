/**
 * Judges whole traces, and traces as they are made. Whatever is given as a record is looked at first: it may come from another
 * scheduler's recorder, or from a program without types. What is no record is named, as a malformed line of a file is.
 */
import { checkRecord } from '../trace/check.ts';
import type { TraceEntry } from '../trace/lines.ts';
import type { TraceRecord } from '../trace/record.ts';
import { Monitor } from './monitor.ts';
import type { MonitorOptions } from './options.ts';
import type { Verdict } from './verdict/verdict.ts';

/** Records, or lines as `readTrace` gives them, with their numbers and with what is wrong with them. */
export type TraceEvents = Iterable<TraceRecord | TraceEntry> | AsyncIterable<TraceRecord | TraceEntry>;

/**
 * The verdict on a whole trace. It is read once, and not kept. What is no record is a violation of WF, and the environment's; it
 * rejects only if an option is wrong, if the events cannot be read, or with what `onViolation` throws.
 */
export async function checkTrace(events: TraceEvents, options: MonitorOptions = {}): Promise<Verdict> {
  const monitor = new Monitor(options);
  const take = intake(monitor);
  const given: unknown = events;
  if (typeof given !== 'object' || given === null)
    throw new TypeError(
      `events must be an iterable of records; got ${given === null ? 'null' : typeof given}. A file is read by readTrace()`,
    );
  if (Symbol.asyncIterator in events) for await (const event of events) take(event);
  else for (const event of events) take(event);
  monitor.end();
  return monitor.verdict();
}

/** An oracle that watches a running scheduler. */
export interface LiveMonitor {
  /** Give this to the scheduler as its `trace`. It takes lines, as `readTrace` gives them, too. */
  readonly sink: (event: TraceRecord | TraceEntry) => void;
  /** What can be said so far. */
  verdict(): Verdict;
}

/** Live, `Frozen` and `StoreTrouble` may excuse a delay until this long after it ended. */
const LIVE_HINDSIGHT_MS = 10_000;

/** Judges a scheduler as it runs. */
export function createMonitor(options: MonitorOptions = {}): LiveMonitor {
  const monitor = new Monitor(options, LIVE_HINDSIGHT_MS);
  return { sink: intake(monitor), verdict: () => monitor.verdict() };
}

/** Any object, as far as it has been looked at. */
type Unchecked = { readonly [Field in 'event' | 'record' | 'problem' | 'line' | 'message']?: unknown };

/** Gives a monitor the records among the entries, and reports the rest as malformed. Without lines, a record is named by its place. */
function intake(monitor: Monitor): (event: unknown) => void {
  let count = 0;
  return (event) => {
    count++;
    const entry: Unchecked = isEntry(event) ? event : { record: event };
    const line = typeof entry.line === 'number' && entry.line > 0 ? entry.line : 0;
    const checked = entry.problem === undefined ? checkRecord(entry.record) : wordsOf(entry.problem);
    if ('event' in checked) monitor.take(checked, line);
    else monitor.malformed(line > 0 ? checked.message : `record ${count}: ${checked.message}`, line);
  };
}

/** A line of a file says what is in it; a record says what happened. */
function isEntry(value: unknown): value is Unchecked {
  if (typeof value !== 'object' || value === null) return false;
  const entry: Unchecked = value;
  return entry.event === undefined && (entry.record !== undefined || entry.problem !== undefined);
}

function wordsOf(problem: unknown): { readonly message: string } {
  const { message }: Unchecked = Object(problem);
  return { message: typeof message === 'string' ? message : 'the line is no record' };
}
