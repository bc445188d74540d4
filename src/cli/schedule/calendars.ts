/** The next due instants of a task. */
import type { Scheduled } from '../../config.ts';
import type { Calendar } from '../../index.ts';

/** Whether clock changes do to a task what they do to its expression: it is due on all its days, and at no other times. */
export function isPlain({ policy }: Scheduled): boolean {
  if (policy === undefined || policy === null || typeof policy === 'string') return true;
  const { clockChanges, days, jitterMs } = policy;
  return clockChanges === undefined && days === undefined && jitterMs === undefined;
}

/** The first due instant after another; undefined if there is none. */
export function dueAfter(calendar: Calendar | undefined, instant: number): number | undefined {
  const due = calendar?.next(instant) ?? Number.POSITIVE_INFINITY;
  return due === Number.POSITIVE_INFINITY ? undefined : due;
}

/** The next due instants after another, at most `count`. */
export function duesAfter(calendar: Calendar | undefined, instant: number, count: number): number[] {
  const dues: number[] = [];
  for (let due = dueAfter(calendar, instant); due !== undefined && dues.length < count; ) {
    dues.push(due);
    due = dueAfter(calendar, due);
  }
  return dues;
}
