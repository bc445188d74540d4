/** What the programs of a task have written, as `command` keeps it on disk: of its newest runs, cut to what a page can show. */
import { fileURLToPath } from 'node:url';
import { type KeptLog, type LogEntry, logFolderOf, readLogs, wrapCallbacks } from '../config.ts';

const MOST_RUNS = 3;
const MOST_ENTRIES = 300;
const LONGEST_LINE = 1000;

/** Where the output of a task is kept; undefined if that is not known. */
export type LogFolders = (task: string) => string | undefined;

/** A folder for all, a function that knows it, or what the callbacks of the tasks say; undefined if nothing is known of any. */
export function logFoldersOf(
  logs: string | URL | LogFolders | undefined,
  tasks: unknown,
): LogFolders | undefined {
  if (typeof logs === 'function') return logs;
  if (logs !== undefined) {
    const folder = logs instanceof URL ? fileURLToPath(logs) : logs;
    return () => folder;
  }
  const folders = new Map<string, string | undefined>();
  if (Array.isArray(tasks))
    wrapCallbacks(tasks, (run, name) => {
      folders.set(name, logFolderOf(run));
      return run;
    });
  return [...folders.values()].some((folder) => folder !== undefined)
    ? (task) => folders.get(task)
    : undefined;
}

/** The newest runs that have kept something, the newest first. */
export function outputOf(folders: LogFolders | undefined, task: string): object {
  const folder = folders?.(task);
  return { runs: folder === undefined ? [] : readLogs(folder, task, MOST_RUNS).map(shown) };
}

function shown({ run, entries }: KeptLog): object {
  const { runId, attempt, reason, startedAt } = run;
  const end = entries.find((entry) => 'ended' in entry);
  const written = entries.filter((entry) => !('ended' in entry));
  const cut = Math.max(0, written.length - MOST_ENTRIES);
  const lines = written.slice(cut).map((entry) => lineOf(entry));
  return {
    ...{ runId, attempt, reason, startedAt },
    endedAt: end?.at ?? null,
    message: end !== undefined && 'message' in end ? (end.message ?? null) : null,
    lines: cut === 0 ? lines : [{ leftOut: cut }, ...lines],
  };
}

const lineOf = (entry: LogEntry): object =>
  'line' in entry
    ? { at: entry.at, stream: entry.stream, line: entry.line.slice(0, LONGEST_LINE) }
    : { leftOut: 'leftOut' in entry ? entry.leftOut : 0 };
