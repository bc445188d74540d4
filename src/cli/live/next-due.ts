/** When tasks are due. Many tasks share few calendars, and an answer holds until it is reached. */
import { calendarFor, calendarKey, type Scheduled } from '../../config.ts';
import type { RenderOptions } from './render.ts';

type Dues = Pick<RenderOptions, 'nextDue' | 'dueAfter'>;

/** What is known of one calendar. */
interface Known {
  readonly next: (after: number) => number;
  /** The answer to when it is due next, and from when on it was asked. */
  from: number;
  at: number;
  /** The first due after each instant of the past; few, since tasks that were served in one second share it. */
  readonly after: Map<number, number>;
}

const MOST_ANSWERS = 1000;

export function createDues(timeZone: string): Dues {
  const known = new Map<string, Known>();
  const of = (task: Scheduled): Known => {
    const key = calendarKey(task);
    let entry = known.get(key);
    if (entry === undefined) {
      const calendar = calendarFor(task, timeZone);
      const next = (after: number): number => calendar?.next(after) ?? Number.POSITIVE_INFINITY;
      entry = { next, from: 0, at: 0, after: new Map() };
      known.set(key, entry);
    }
    return entry;
  };
  return {
    nextDue: (task, now) => {
      const entry = of(task);
      // Asked again when it is reached, or when the clock was set back behind the question.
      if (now >= entry.at || now < entry.from) {
        entry.from = now;
        entry.at = entry.next(now);
      }
      return entry.at === Number.POSITIVE_INFINITY ? undefined : entry.at;
    },
    dueAfter: (task, served) => {
      const { after, next } = of(task);
      // A due is a whole second: within a second the answer is the same.
      const second = Math.floor(served / 1000);
      let due = after.get(second);
      if (due === undefined) {
        due = next(served);
        if (after.size >= MOST_ANSWERS) after.clear();
        after.set(second, due);
      }
      return due === Number.POSITIVE_INFINITY ? undefined : due;
    },
  };
}
