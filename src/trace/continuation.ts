/**
 * Opens the file of a trace, new or old. What an earlier process left is continued so that the whole reads as one trace: a line
 * that was cut off is removed, and records are added for the crash and for the time in which no process ran.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, realpathSync } from 'node:fs';
import { readEnding } from './ending.ts';
import { TraceFileError } from './errors.ts';
import { type Lock, takeLock } from './lock.ts';
import type { WrittenRecord } from './record.ts';

export interface Opened {
  readonly fd: number;
  readonly lock: Lock;
  /** What is to be written before anything else. */
  readonly text: string;
  /** The instant of the last record, those in `text` included; undefined if there is none. */
  readonly lastAt: number | undefined;
}

export function openTrace(path: string, lockWaitMs: number, clock: () => number): Opened {
  const fd = openFile(path);
  let lock: Lock | undefined;
  try {
    const status = fstatSync(fd);
    if (!status.isFile()) throw new TraceFileError(path, 'is not a regular file');
    // Look first without the lock: no lock file is made next to a file that is not a trace.
    readEnding(path, fd, status.size);
    lock = takeLock(path, realpathSync(path), lockWaitMs);
    const { size } = fstatSync(fd);
    const { wholeBytes, missing, lastAt, state, instance } = readEnding(path, fd, size);
    if (wholeBytes < size) ftruncateSync(fd, wholeBytes);
    if (lastAt === undefined) return { fd, lock, text: missing, lastAt };
    const records = transition(state, lastAt, clock(), instance);
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    return { fd, lock, text: missing + text, lastAt: records.at(-1)?.at ?? lastAt };
  } catch (error) {
    lock?.release();
    closeSync(fd);
    throw error;
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'a+', 0o600);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TraceFileError(path, `cannot be opened: ${reason}`, error);
  }
}

/**
 * From the last record of one process to the first of the next. The crash is stamped as the last record is, since the process may
 * have died right after it; then no process ran until now. If the clock shows less than it did, that length of time is not known,
 * but a record says that the clock went back, so that time never does so unexplained.
 */
function transition(
  state: 'clean' | 'cut off',
  lastAt: number,
  now: number,
  instance: string | undefined,
): WrittenRecord[] {
  const records: WrittenRecord[] = [];
  if (state === 'cut off') {
    records.push({
      event: 'UnexpectedShutdown',
      at: lastAt,
      ...(instance === undefined ? {} : { instance }),
    });
    if (now >= lastAt) records.push({ event: 'Frozen', at: now, from: lastAt, to: now });
  }
  if (now < lastAt) records.push({ event: 'ClockStep', at: now, from: lastAt, to: now });
  return records;
}
