/**
 * Judges the lives of a scheduler by its trace alone: every start must be owed by rule A1, and nothing owed may be lost.
 *
 * What a killed process had made durable is known only as far as the trace tells, so a task is a *set* of possible states. Each
 * record narrows the set or moves it on; a crash widens it by exactly what A10 and T10 allow, and those windows are counted. If
 * the set is empty, a start was not owed; if all that is left says "pending" at the end of a quiet life, a start was lost.
 *
 * A due that is too old for its task (H4) is owed until it is skipped, which the trace shows. Whether the moved cursor is durable is
 * known only when the task has been started and has ended.
 */
import type { WrittenRecord } from '../../src/trace/record.ts';
import { naiveMatcher, utcClock } from '../oracle/brute-force.ts';

interface TaskState {
  readonly cursor: number;
  readonly retryAt: number | undefined;
  readonly orphaned: boolean;
}

interface Run {
  readonly runId: string;
  readonly calledAt: number;
  /** What is durable if the process dies before the end is. */
  readonly before: readonly TaskState[];
  readonly end: TaskState | undefined;
}

export interface Verdict {
  readonly violations: readonly string[];
  readonly starts: number;
  readonly crashes: number;
  /** Crashes in which a run had ended but nobody knows whether durably (A10), or a start may have been durable but not called (T10). */
  readonly windows: { readonly a10: number; readonly t10: number };
  /** Runs that were repeated after a crash: cut off in the middle, or in one of the windows. */
  readonly repeated: number;
  /** Dues that were too old. */
  readonly skipped: number;
}

/** A task, as far as it decides what is owed. */
export interface JudgedTask {
  readonly cron: string;
  readonly startWithinMs?: number;
}

export type JudgedRecord = WrittenRecord | { readonly event: 'Killed'; readonly at: number };

const MINUTE = 60_000;

export function judge(
  records: readonly JudgedRecord[],
  tasks: ReadonlyMap<string, JudgedTask>,
  retryDelayMs: number,
): Verdict {
  const matchers = new Map([...tasks].map(([name, { cron }]) => [name, naiveMatcher(cron)]));
  const states = new Map<string, readonly TaskState[]>();
  const runs = new Map<string, Run>();
  const durableStarts = new Set<string>();
  /** What is durable of tasks whose dues were skipped, if the moved cursor is not. */
  const unmoved = new Map<string, readonly TaskState[]>();
  const violations: string[] = [];
  const counts = { starts: 0, crashes: 0, a10: 0, t10: 0, repeated: 0, skipped: 0 };
  /** When this life began. */
  let bornAt = 0;

  /** The last due up to an instant and after a cursor; `undefined` if there is none. */
  const lastDue = (name: string, cursor: number, now: number): number | undefined => {
    const matches = matchers.get(name);
    for (let at = Math.floor(now / MINUTE) * MINUTE; at > cursor; at -= MINUTE)
      if (matches?.(utcClock(at))) return at;
    return undefined;
  };
  /** A due that was too old when this life began cannot have been fresh at its turn. */
  const isDue = (name: string, cursor: number, now: number): boolean => {
    const dueAt = lastDue(name, cursor, now);
    return dueAt !== undefined && bornAt - dueAt <= (tasks.get(name)?.startWithinMs ?? Infinity);
  };
  const isPending = (name: string, { cursor, retryAt, orphaned }: TaskState, now: number): boolean =>
    orphaned || (retryAt !== undefined && retryAt <= now) || isDue(name, cursor, now);

  const started = (name: string, runId: string, at: number): void => {
    const before = states.get(name) ?? [];
    const owed = before.filter((state) => isPending(name, state, at));
    if (owed.length === 0)
      violations.push(
        `${name} was started at ${iso(at)} (${runId}), but nothing was owed: ${JSON.stringify(before)}`,
      );
    if (owed.some(({ orphaned }) => orphaned)) counts.repeated++;
    if (runs.has(name)) violations.push(`${name} was started at ${iso(at)} while it was running`);
    counts.starts++;
    runs.set(name, {
      runId,
      calledAt: at,
      before: owed.map((state) => ({ ...state, orphaned: true })),
      end: undefined,
    });
  };

  /** The cursor moves past a due that is too old. A process that dies may not have stored that. */
  const skipped = (name: string, dueAt: number, at: number): void => {
    counts.skipped++;
    const before = states.get(name) ?? [];
    const passed = before.filter(({ cursor }) => lastDue(name, cursor, at) === dueAt);
    const isTooOld = at - dueAt > (tasks.get(name)?.startWithinMs ?? Infinity);
    if (passed.length === 0 || !isTooOld)
      violations.push(`${name}: ${iso(dueAt)} was skipped at ${iso(at)} (H4): ${JSON.stringify(before)}`);
    unmoved.set(name, [...(unmoved.get(name) ?? []), ...before]);
    states.set(
      name,
      passed.map((state) => ({ ...state, cursor: dueAt })),
    );
  };

  const ended = (name: string, runId: string, at: number, failed: boolean): void => {
    const run = runs.get(name);
    if (run?.runId !== runId) return void violations.push(`${name} ended ${runId}, which was not running`);
    const end = { cursor: run.calledAt, retryAt: failed ? at + retryDelayMs : undefined, orphaned: false };
    runs.set(name, { ...run, end });
  };

  /** The end is durable, or the task is started again, which proves the same. */
  const settle = (name: string): void => {
    const run = runs.get(name);
    if (run?.end === undefined) return;
    unmoved.delete(name);
    states.set(name, [run.end]);
    runs.delete(name);
  };

  const killed = (at: number): void => {
    counts.crashes++;
    for (const [name, run] of runs) {
      if (run.end !== undefined) counts.a10++;
      states.set(name, run.end === undefined ? run.before : [...run.before, run.end]);
    }
    for (const [name, possible] of states) {
      if (runs.has(name) || !possible.some((state) => isPending(name, state, at))) continue;
      // Its start may have been on its way to the disk, or there, and not called yet.
      counts.t10 += durableStarts.has(name) ? 1 : 0;
      states.set(name, [...possible, ...possible.map((state) => ({ ...state, orphaned: true }))]);
    }
    for (const [name, possible] of unmoved) states.set(name, [...(states.get(name) ?? []), ...possible]);
    unmoved.clear();
    runs.clear();
    durableStarts.clear();
  };

  for (const record of records) {
    switch (record.event) {
      case 'InitSuccess':
        bornAt = record.at;
        for (const name of tasks.keys()) {
          const fresh = {
            cursor: Math.floor(record.at / MINUTE) * MINUTE - 1,
            retryAt: undefined,
            orphaned: false,
          };
          if (!states.has(name)) states.set(name, [fresh]);
        }
        break;
      case 'StartDurable':
        durableStarts.add(record.task);
        break;
      case 'RunStart':
        durableStarts.delete(record.task);
        settle(record.task);
        started(record.task, record.runId, record.at);
        break;
      case 'RunSuccess':
      case 'RunFailure':
        ended(record.task, record.runId, record.at, record.event === 'RunFailure');
        break;
      case 'DueSkipped':
        settle(record.task);
        skipped(record.task, record.dueAt, record.at);
        break;
      case 'EndDurable':
        settle(record.task);
        break;
      case 'StopEnd':
        for (const name of [...runs.keys()]) settle(name);
        unmoved.clear();
        break;
      case 'Killed':
        killed(record.at);
        break;
    }
  }
  // The last life was quiet, on a clock that stood still: whatever was owed when it stopped was lost.
  const last = records.at(-1);
  for (const [name, possible] of states) {
    if (
      last !== undefined &&
      possible.length > 0 &&
      possible.every((state) => isPending(name, state, last.at))
    ) {
      violations.push(`${name} was owed a start and did not get it`);
    }
  }
  const { a10, t10, ...rest } = counts;
  return { violations, ...rest, windows: { a10, t10 } };
}

const iso = (at: number): string => new Date(at).toISOString();
