/**
 * What a program has written, kept on disk with its run: one file per run, in a folder per task, next to the memos of running programs.
 *
 *     open ──line──▶ writing ──MOST_BYTES──▶ full: the last lines stay in memory ──end──▶ closed
 *
 * The first lines are in the file at once, so that they are there after a crash. A program that writes without end costs a bounded file and a
 * bounded memory; what lies between the first and the last lines is counted. Old files go when a new run begins: the newest KEPT_RUNS of a task
 * stay, as long as the history keeps its runs by default. Nothing that happens here can harm a run: a log that cannot be written is left out.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { stem } from './memo.ts';
import type { OutputLine } from './output.ts';

const MOST_BYTES = 256 * 1024;
const MOST_LAST_BYTES = 64 * 1024;
const KEPT_RUNS = 20;
/** As long as the history keeps its runs by default (J2). */
const KEPT_MS = 30 * 86_400_000;

/** The run that a log is of. */
export interface LoggedRun {
  readonly task: string;
  readonly runId: string;
  readonly key: string;
  readonly attempt: number;
  readonly reason: string;
  /** In epoch milliseconds, as all instants here. */
  readonly startedAt: number;
}

/** A line of a log: what the program wrote, how many lines are left out there, or how it ended. */
export type LogEntry =
  | { readonly at: number; readonly stream: OutputLine['stream']; readonly line: string }
  | { readonly at: number; readonly leftOut: number }
  | { readonly at: number; readonly ended: LogEnd; readonly message?: string };

/** How a program ended, by what was asked of it. */
export type LogEnd = 'success' | FailedEnd;
export type FailedEnd = 'failure' | 'cancelled' | 'timed out' | 'interrupted';

const folderOf = (folder: string, task: string): string => join(folder, 'output', stem(task));

export class RunLog {
  /** The descriptor of the file; undefined if there is none to write to. */
  #file: number | undefined;
  #bytes = 0;
  #leftOut = 0;
  #lastBytes = 0;
  readonly #last: string[] = [];

  constructor(folder: string, run: LoggedRun) {
    try {
      const own = folderOf(folder, run.task);
      makeFolder(dirname(own));
      makeFolder(own);
      prune(own, run.startedAt);
      const name = `${String(run.startedAt).padStart(15, '0')}-${run.runId.replace(/[^\w-]/g, '_')}.jsonl`;
      this.#file = openSync(join(own, name), 'w', 0o600);
    } catch {
      // There is no place for it.
    }
    this.#write(lineOf(run));
  }

  line({ stream, line }: OutputLine): void {
    const text = lineOf({ at: Date.now(), stream, line });
    if (this.#bytes + text.length <= MOST_BYTES && this.#last.length === 0) {
      this.#bytes += text.length;
      this.#write(text);
      return;
    }
    this.#last.push(text);
    this.#lastBytes += text.length;
    while (this.#lastBytes > MOST_LAST_BYTES && this.#last.length > 1) {
      this.#lastBytes -= this.#last.shift()?.length ?? 0;
      this.#leftOut++;
    }
  }

  /** `message` says why it failed, or what came of it after it was asked to end; undefined for a success. */
  end(message: string | undefined, how: FailedEnd = 'failure'): void {
    const at = Date.now();
    if (this.#leftOut > 0) this.#write(lineOf({ at, leftOut: this.#leftOut }));
    this.#write(this.#last.join(''));
    this.#write(lineOf(message === undefined ? { at, ended: 'success' } : { at, ended: how, message }));
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** At once, so that it is there after a crash. It is bounded, and goes to the cache of the system. */
  #write(text: string): void {
    if (this.#file === undefined || text === '') return;
    try {
      writeSync(this.#file, text);
    } catch {
      closeSync(this.#file); // the disk is full, say
      this.#file = undefined;
    }
  }
}

const lineOf = (entry: LoggedRun | LogEntry): string => `${JSON.stringify(entry)}\n`;

/** Not the folders above it: the memo of the program has made the first one. */
function makeFolder(path: string): void {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
}

/** Names begin with the instant, so their order is that of the runs. */
function prune(folder: string, now: number): void {
  const names = readdirSync(folder).sort();
  const old = names.filter((name, index) => {
    const isBeyond = index < names.length - (KEPT_RUNS - 1);
    return isBeyond || Number.parseInt(name, 10) < now - KEPT_MS;
  });
  for (const name of old) rmSync(join(folder, name), { force: true });
}

/** A log as it is on disk; of a run that goes on, or was cut off, the entries so far. */
export interface KeptLog {
  readonly run: LoggedRun;
  readonly entries: readonly LogEntry[];
}

/** The logs of a task, the newest first, at most so many. Lines that make no sense are left out: a crash may cut the last one. */
export function readLogs(folder: string, task: string, limit: number): KeptLog[] {
  const own = folderOf(folder, task);
  let names: string[];
  try {
    names = readdirSync(own).sort().reverse().slice(0, limit);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const [run, ...entries] = readFileSync(join(own, name), 'utf8').split('\n').flatMap(parsed);
    return run !== undefined && 'runId' in run ? [{ run, entries: entries.filter(isEntry) }] : [];
  });
}

const isEntry = (value: LoggedRun | LogEntry): value is LogEntry => 'at' in value;

function parsed(line: string): (LoggedRun | LogEntry)[] {
  try {
    const value: unknown = JSON.parse(line);
    const isKnown = typeof value === 'object' && value !== null && ('at' in value || 'runId' in value);
    return isKnown ? [value as LoggedRun | LogEntry] : [];
  } catch {
    return [];
  }
}
