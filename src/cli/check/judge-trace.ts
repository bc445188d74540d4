/** One trace, read and judged piece by piece, so that it can be watched, and left, on the way. */

import { type Zone, zoneOf } from '../../cron/index.ts';
import type { TraceEntry } from '../../index.ts';
import { mergeTraces, readTrace } from '../../index.ts';
import { checkTrace, type MonitorOptions, type Verdict } from '../../theory/index.ts';
import { CliError } from '../errors.ts';
import { printable } from '../terminal/text.ts';
import { type Places, PlacesInMany, PlacesInOne } from './places.ts';

export interface Judged {
  readonly verdict: Verdict;
  /** Where its tasks were due; UTC if nothing says so. */
  readonly zone: Zone;
  /** Its first record, where that is none to begin with: what was before is missing, as when the oldest files of a trace are gone. */
  readonly beginsWith: string | undefined;
}

/** These come after something. */
const LATER: ReadonlySet<string> = new Set([
  'InitSuccess',
  'InitFailure',
  'StopEnd',
  'StartDurable',
  'RunStart',
  'RunSuccess',
  'RunFailure',
  'RunInterrupted',
  'EndDurable',
]);

/** There is nothing to judge: not a single record. */
function notATrace(name: string, problem: string | undefined): CliError {
  const why = problem === undefined ? 'holds no record' : `is not a trace: ${printable(problem)}`;
  return new CliError(
    'no trace',
    `${printable(name)} ${why}. Traces are written by "obbligato run --trace", or by traceFile()`,
  );
}

export interface Journey {
  /** So much has been read, of so much if that is known. */
  read(bytesRead: number, bytesTotal: number | undefined): void;
  /** Aborted when the user wants to leave. */
  readonly leaving: AbortSignal;
}

/** A trace, or several that are merged, and where their lines are. */
export interface Judgeable {
  readonly name: string;
  readonly bytesRead: () => number;
  readonly bytesTotal: number | undefined;
  readonly batches: AsyncGenerator<readonly TraceEntry[], void>;
  readonly places: Places;
}

/** A file with its rotated ones, or a stream. */
export function oneTrace(name: string, source: string | AsyncIterable<Uint8Array>): Judgeable {
  const reading = readTrace(source);
  const { bytesTotal } = reading;
  const places = new PlacesInOne(name);
  return { name, bytesRead: () => reading.bytesRead, bytesTotal, batches: reading.batches(), places };
}

/** How many records of a merged trace are judged between two looks at the user. */
const MERGED_AT_ONCE = 1000;

/** The traces of the instances of a cluster (K9). */
export function mergedTrace(name: string, files: readonly string[], cwd: string): Judgeable {
  const reading = mergeTraces(files);
  const { bytesTotal } = reading;
  const batches = async function* (): AsyncGenerator<readonly TraceEntry[], void> {
    let batch: TraceEntry[] = [];
    for await (const entry of reading) {
      if (batch.push(entry) < MERGED_AT_ONCE) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  };
  const places = new PlacesInMany(cwd);
  return { name, bytesRead: () => reading.bytesRead, bytesTotal, batches: batches(), places };
}

/** Whether a trace is of an instance that shares its store: its first `InitSuccess` says so. */
export async function isOfCluster(file: string): Promise<boolean> {
  for await (const { record } of readTrace(file))
    if (record?.event === 'InitSuccess') return record.hostAt !== undefined;
  return false;
}

/** The verdict; undefined if it was left before the end. */
export async function judgeTrace(
  { name, bytesRead, bytesTotal, batches, places }: Judgeable,
  options: MonitorOptions,
  journey: Journey,
): Promise<Judged | undefined> {
  let firstProblem: string | undefined;
  let zone = 'UTC';
  let first: string | undefined;
  const take = (entry: TraceEntry): TraceEntry => {
    const line = places.count(entry.file, entry.line);
    if (entry.problem !== undefined) firstProblem ??= `${places.text(line)}: ${entry.problem.message}`;
    else {
      first ??= entry.record.event;
      if (entry.record.event === 'InitStart') zone = entry.record.timeZone;
    }
    return line === entry.line ? entry : { ...entry, line };
  };
  const left = leftBy(journey.leaving);
  let isLeft = false;
  const nextBatch = async (): Promise<readonly TraceEntry[] | undefined> => {
    if (bytesRead() > 0) journey.read(bytesRead(), bytesTotal);
    // A terminal or a pipe may be silent for long, and a user who wants to leave does not wait for it.
    const next = await Promise.race([batches.next(), left]);
    isLeft = next === 'left';
    return next === 'left' || next.done === true ? undefined : next.value.map(take);
  };
  const verdict = places.placed(await checkTrace(inBatches(nextBatch), options));
  if (isLeft) return undefined;
  if (verdict.counts.records === 0) throw notATrace(name, firstProblem);
  const beginsWith = first !== undefined && LATER.has(first) ? first : undefined;
  return { verdict, zone: knownZone(zone), beginsWith };
}

/** One after the other, what comes in batches. Written out, since the `yield` of a generator would cost as much as reading does. */
function inBatches<T>(nextBatch: () => Promise<readonly T[] | undefined>): AsyncIterable<T> {
  let batch: readonly T[] = [];
  let index = 0;
  const refilled = async (): Promise<IteratorResult<T, undefined>> => {
    while (index >= batch.length) {
      const next = await nextBatch();
      if (next === undefined) return { done: true, value: undefined };
      batch = next;
      index = 0;
    }
    return { done: false, value: batch[index++] };
  };
  const next = (): Promise<IteratorResult<T, undefined>> =>
    index < batch.length ? Promise.resolve({ done: false, value: batch[index++] }) : refilled();
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

const leftBy = (leaving: AbortSignal): Promise<'left'> =>
  new Promise((resolve) => {
    if (leaving.aborted) resolve('left');
    else leaving.addEventListener('abort', () => resolve('left'), { once: true });
  });

/** A trace may name a zone that this machine does not know; then all times are in UTC. */
function knownZone(name: string): Zone {
  try {
    return zoneOf(name);
  } catch {
    return zoneOf('UTC');
  }
}
