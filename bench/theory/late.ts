/** Traces in which tasks wait: for one of a few workers, or for a scheduler that is slow. */
import type { TraceRecord } from '../../src/trace/index.ts';

const T0 = Date.UTC(2026, 0, 5, 0, 0);
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const RUN_MS = 100;
/** Between one run and the next the worker is free for a moment, so that no two waits are one. */
const FREE_MS = 1;

interface Tasks {
  readonly names: readonly string[];
  readonly workers?: number;
}

function* initialized({ names, workers }: Tasks, cron: string): Generator<TraceRecord> {
  const registrations = names.map((name) => ({ name, cron, retryDelayMs: 5000 }));
  const bound = workers === undefined ? {} : { workers };
  yield { event: 'InitStart', at: T0 - 500, call: 1, registrations, timeZone: 'UTC', ...bound };
  yield { event: 'InitSuccess', at: T0 - 400, call: 1, instance: 'bench' };
}

/** Every task, every minute, as many at a time as there are workers. Nobody waits for longer than the lag. */
export function* bounded({
  names,
  minutes,
  workers,
}: Required<Tasks> & { minutes: number }): Generator<TraceRecord> {
  yield* initialized({ names, workers }, '* * * * *');
  for (let minute = 0; minute < minutes; minute++) {
    let at = T0 + minute * MINUTE_MS + 2;
    for (let first = 0; first < names.length; first += workers) {
      const some = names.slice(first, first + workers);
      for (const task of some)
        yield { event: 'RunStart', at, task, runId: `${minute}-${task}`, instance: 'bench' };
      at += 40 - FREE_MS;
      for (const task of some)
        yield { event: 'RunSuccess', at, task, runId: `${minute}-${task}`, instance: 'bench' };
      at += FREE_MS;
    }
  }
}

/** All are due at midnight and run one after another: with one worker that explains it, and without a bound nothing does. */
export function* late({ names, days, workers }: Tasks & { days: number }): Generator<TraceRecord> {
  yield* initialized(workers === undefined ? { names } : { names, workers }, '0 0 * * *');
  for (let day = 0; day < days; day++) {
    let at = T0 + day * DAY_MS;
    for (const task of names) {
      const runId = `${day}-${task}`;
      yield { event: 'RunStart', at, task, runId, instance: 'bench' };
      at += RUN_MS;
      yield { event: 'RunSuccess', at, task, runId, instance: 'bench' };
      at += FREE_MS;
    }
  }
}

/** How many of so many tasks are started more than a minute late, in a day. */
export const unexcused = (tasks: number): number => tasks - 1 - Math.floor(MINUTE_MS / (RUN_MS + FREE_MS));
