/**
 * The clock was set back (B5): for each task, from how far it had been served, whether what was served repeats.
 *
 * - At most a minute: nothing moves, and no instant that was served repeats.
 * - At most three hours: a task whose hour field is `*` goes on from now; another does not repeat.
 * - Farther: it was a correction, and everybody goes on from now.
 */
import type { Population } from './population.ts';

const MINUTE_MS = 60_000;
const FEW_HOURS_MS = 3 * 60 * MINUTE_MS;

/** A cursor that was moved, and where it was. */
export interface Moved {
  readonly task: number;
  readonly cursor: number;
}

/** `cursors` says how far each task has been served, and is moved. Tells of those that were. */
export function setBack(population: Population, cursors: number[], now: number): readonly Moved[] {
  const all: Moved[] = [];
  for (const { name, schedule } of population.registered) {
    const task = population.task(name);
    const cursor = moved(cursors[task], schedule, now);
    if (cursor !== cursors[task]) all.push({ task, cursor: cursors[task] });
    cursors[task] = cursor;
    population.setClock(task, population.group(groupKey(schedule, cursor, now)), cursor, now);
  }
  return all;
}

/** What is not to repeat is kept from pulsing again: its group is one that begins later. */
export const groupKey = (schedule: string, cursor: number, now: number): string =>
  cursor > now ? `${schedule}\n${cursor}` : schedule;

/** How far a task counts as served, by a clock that may have been set back. */
export function moved(cursor: number, schedule: string, now: number): number {
  const ahead = cursor - now;
  if (ahead <= MINUTE_MS) return cursor;
  if (ahead <= FEW_HOURS_MS && hourField(schedule) !== '*') return cursor;
  return now;
}

const hourField = (schedule: string): string | undefined =>
  schedule
    .split('\n')[1]
    .trim()
    .split(/[ \t]+/)[1];
