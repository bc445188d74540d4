/** The list of tasks that our contenders register, and the minute in which some of them are due. */
import type { Registration } from 'obbligato';
import { sleep, wallClock } from './measuring.ts';

const MINUTE_MS = 60_000;
/** What initialize is allowed to take before the minute begins: far more than it does, for a busy machine. */
const leadMs = (tasks: number): number => 5000 + tasks * 0.06;

export interface ListParams {
  readonly tasks: number;
  /** Each of how many tasks is due in the minute: 1 for all, 10 for every tenth, 0 for none. */
  readonly dueEvery: number;
}

/**
 * The minute in which the tasks are due: the next one that leaves time for an initialize before it. If nothing may wait for a
 * minute, the current one: a new task whose schedule has the current minute is pending at once. Such a minute must last until
 * the initialize is over.
 */
export async function dueMinute({ tasks }: ListParams, isQuick: boolean): Promise<number> {
  const next = (after: number): number => Math.ceil(after / MINUTE_MS) * MINUTE_MS;
  if (!isQuick) return next(Date.now() + leadMs(tasks));
  const isOverSoon = next(Date.now()) - Date.now() < Math.min(leadMs(tasks), MINUTE_MS / 2);
  if (isOverSoon) await sleep(next(Date.now()) - Date.now() + 10);
  return next(Date.now()) - MINUTE_MS;
}

/** Every call is the same function. The others are due in half a year, at 1,440 different times of one day. */
export function taskList({ tasks, dueEvery }: ListParams, dueAt: number, call: () => void): Registration[] {
  const due = new Date(dueAt);
  const dueCron = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
  const farMonth = ((due.getUTCMonth() + 6) % 12) + 1;
  // Texts that were put together from parts take up less memory until they are first used. A round through JSON makes them whole.
  const names: string[] = JSON.parse(
    JSON.stringify(Array.from({ length: tasks }, (_, index) => `customer-${index}/nightly report`)),
  );
  return names.map((name, index): Registration => {
    const isDue = dueEvery > 0 && index % dueEvery === 0;
    const cron = isDue ? dueCron : `${index % 60} ${Math.floor(index / 60) % 24} 1 ${farMonth} *`;
    return [name, cron, call, MINUTE_MS];
  });
}

/** Counts calls, and notes when the last one was made. */
export function createTally(expected: number): {
  readonly call: () => void;
  readonly all: Promise<number>;
} {
  const { promise, resolve } = Promise.withResolvers<number>();
  let called = 0;
  return {
    call: () => {
      if (++called === expected) resolve(wallClock());
    },
    all: promise,
  };
}
