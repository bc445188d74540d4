/**
 * How the trace in a file ends, which shows how its process ended. It is read from the end, so that opening a file of any size
 * takes no time: in a process that died, the last record says so; after a clean end, the few before its `StopEnd` do.
 */
import { closeSync, openSync } from 'node:fs';
import { visible } from '../errors.ts';
import { type LineFromBehind, linesBackwards } from './backwards.ts';
import { checkRecord } from './check.ts';
import { TraceForeignFileError } from './errors.ts';
import type { TraceRecord } from './record.ts';
import { rotatedNumbers, rotatedPath } from './segments.ts';

export interface Ending {
  /** The instant of the last record; undefined if there is none. */
  readonly lastAt: number | undefined;
  /** `cut off`: something was active when the process died. If in doubt it is this, which is never held against the scheduler. */
  readonly state: 'clean' | 'cut off';
  readonly instance: string | undefined;
  /** How much of the current file is whole, and what is still missing after it. */
  readonly wholeBytes: number;
  readonly missing: '' | '\n';
}

/** How far back the instance of a process that died is looked for. */
const FAR = 1000;

/** `fd` is the current file, `path`; the rotated ones before it are opened only if it does not say enough. */
export function readEnding(path: string, fd: number, size: number): Ending {
  const torn = new Torn(path, size);
  let lastAt: number | undefined;
  let state: Ending['state'] | undefined;
  let instance: string | undefined;
  let seen = 0;
  const judge = createJudge();
  for (const record of recordsBackwards(path, fd, torn)) {
    lastAt ??= record.at;
    state ??= judge(record);
    if ('instance' in record) instance ??= record.instance;
    if (state === 'clean') break;
    // An initialization that was cut off has no instance yet, and the one before it was another.
    if (state === 'cut off' && (instance !== undefined || isBeginning(record) || ++seen === FAR)) break;
  }
  const { wholeBytes, missing } = torn;
  if (lastAt === undefined) torn.mustLookLikeOurs();
  return { lastAt, state: state ?? 'clean', instance, wholeBytes, missing };
}

/** Whether nothing before this record is of the same instance. A reload goes on with the instance that there is. */
const isBeginning = (record: TraceRecord): boolean =>
  record.event === 'InitStart' ? record.reload !== true : record.event === 'UnexpectedShutdown';

/**
 * Gets the records from the last one backwards, until it knows.
 *
 * Nothing is active at the beginning, after an `UnexpectedShutdown`, and after a `StopEnd`; but for that the stop must have begun
 * after the last initialization: one that began while nothing was active ends even if `initialize` is called right after it. An
 * initialization that failed is as if it had not been. What the environment does says nothing.
 */
function createJudge(): (record: TraceRecord) => Ending['state'] | undefined {
  const failed = new Set<number | undefined>();
  let stop: { readonly call: number | undefined } | undefined;
  return (record) => {
    switch (record.event) {
      case 'Frozen':
      case 'Compute':
      case 'ClockStep':
      case 'StoreTrouble':
        return undefined;
      case 'UnexpectedShutdown':
        return 'clean';
      case 'InitFailure':
        failed.add(record.call);
        return undefined;
      case 'InitStart':
        if (failed.delete(record.call)) return undefined;
        return stop !== undefined && (record.call ?? 0) <= (stop.call ?? 0) ? 'clean' : 'cut off';
      case 'StopEnd':
        stop ??= { call: record.call };
        return undefined;
      case 'StopStart':
        if (stop === undefined) return 'cut off';
        return record.call === stop.call ? 'clean' : undefined;
      default:
        return stop === undefined ? 'cut off' : undefined;
    }
  };
}

/** What is known of a last line without a newline. It is cut off only once the rest of the file has shown whose it is. */
class Torn {
  readonly #path: string;
  #text = '';
  wholeBytes: number;
  missing: '' | '\n' = '';

  constructor(path: string, size: number) {
    this.#path = path;
    this.wholeBytes = size;
  }

  is({ text, start }: LineFromBehind): void {
    this.#text = text;
    this.wholeBytes = start;
  }

  mustLookLikeOurs(): void {
    const isBegun = ['{"event":"', '{"at":'].some(
      (begin) => begin.startsWith(this.#text) || this.#text.startsWith(begin),
    );
    if (!isBegun) throw new TraceForeignFileError(this.#path, `it begins with ${quoted(this.#text)}`);
  }
}

function* recordsBackwards(path: string, fd: number, torn: Torn): Generator<TraceRecord, void> {
  if (yield* recordsOf(path, fd, 'current', torn)) return;
  for (const number of rotatedNumbers(path).reverse()) {
    const file = rotatedPath(path, number);
    const rotated = openSync(file, 'r');
    try {
      if (yield* recordsOf(file, rotated, 'rotated', torn)) return;
    } finally {
      closeSync(rotated);
    }
  }
}

/** Answers true if the file says no more, although there is more of it: what lies before a line that is no record is not ours. */
function* recordsOf(
  path: string,
  fd: number,
  which: 'current' | 'rotated',
  torn: Torn,
): Generator<TraceRecord, boolean> {
  let isLast = true;
  for (const line of linesBackwards(fd)) {
    const record = recordIn(line.text);
    if (typeof record !== 'string') {
      if (line.end === 'open' && which === 'current') torn.missing = '\n';
      yield record;
    } else if (line.end === 'open') {
      if (which === 'current') torn.is(line);
      continue;
    } else if (isLast) throw new TraceForeignFileError(path, `its last line is ${record}`);
    else return true;
    isLast = false;
  }
  return false;
}

/** The record in a line, or what the line is. */
function recordIn(text: string): TraceRecord | string {
  try {
    const checked = checkRecord(JSON.parse(text));
    return 'event' in checked ? checked : `no record: ${checked.message}`;
  } catch {
    return quoted(text);
  }
}

const quoted = (text: string): string => `"${visible(text, 60)}"`;
