/** One trace, read and judged piece by piece, so that it can be watched, and left, on the way. */

import { Monitor } from '../../theory/monitor.ts';
import type { MonitorOptions } from '../../theory/options.ts';
import type { Verdict } from '../../theory/verdict/verdict.ts';
import { type Zone, zoneOf } from '../../time/zone.ts';
import { readTrace } from '../../trace/index.ts';
import type { TraceEntry } from '../../trace/lines.ts';
import { printable } from '../text.ts';
import { Places } from './places.ts';

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
  'EndDurable',
]);

/** There is nothing to judge: not a single record. */
export class NotATraceError extends Error {
  constructor(name: string, problem: string | undefined) {
    const why = problem === undefined ? 'holds no record' : `is not a trace: ${printable(problem)}`;
    super(`${printable(name)} ${why}. Traces are written by "obbligato run --trace", or by traceFile()`);
    this.name = 'NotATraceError';
  }
}

export interface Journey {
  /** So much has been read, of so much if that is known. */
  read(bytesRead: number, bytesTotal: number | undefined): void;
  /** Aborted when somebody wants to leave. */
  readonly leaving: AbortSignal;
}

/** The verdict on a file with its rotated ones, or on a stream; undefined if it was left before the end. */
export async function judgeTrace(
  name: string,
  source: string | AsyncIterable<Uint8Array>,
  options: MonitorOptions,
  journey: Journey,
): Promise<Judged | undefined> {
  const monitor = new Monitor(options);
  const reading = readTrace(source);
  const { bytesTotal } = reading;
  const places = new Places(name);
  let firstProblem: string | undefined;
  let zone = 'UTC';
  let first: string | undefined;
  const take = ({ record, problem, ...place }: TraceEntry): void => {
    const line = places.count(place.file, place.line);
    if (problem !== undefined) {
      firstProblem ??= `${places.text(line)}: ${problem.message}`;
      monitor.malformed({ line, message: problem.message });
      return;
    }
    first ??= record.event;
    if (record.event === 'InitStart') zone = record.timeZone;
    monitor.take(record, line);
  };
  const batches = reading.batches();
  const left = leftBy(journey.leaving);
  for (;;) {
    // A terminal or a pipe may say nothing for long, and whoever wants to leave does not wait for it.
    const next = await Promise.race([batches.next(), left]);
    if (next === 'left') return undefined;
    if (next.done === true) break;
    for (const entry of next.value) take(entry);
    journey.read(reading.bytesRead, bytesTotal);
  }
  const verdict = places.placed(monitor.verdict());
  if (verdict.counts.records === 0) throw new NotATraceError(name, firstProblem);
  const beginsWith = first !== undefined && LATER.has(first) ? first : undefined;
  return { verdict, zone: knownZone(zone), beginsWith };
}

const leftBy = (leaving: AbortSignal): Promise<'left'> =>
  new Promise((resolve) => {
    if (leaving.aborted) resolve('left');
    else leaving.addEventListener('abort', () => resolve('left'), { once: true });
  });

/** A trace may name a zone that this machine has never heard of; then everything is told in UTC. */
function knownZone(name: string): Zone {
  try {
    return zoneOf(name);
  } catch {
    return zoneOf('UTC');
  }
}
