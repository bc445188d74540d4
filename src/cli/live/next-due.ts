/** When tasks are due. Many tasks share few expressions, and an answer holds until it is reached. */
import { parseCron } from '../../cron/index.ts';
import type { RenderOptions } from './render.ts';

type Dues = Pick<RenderOptions, 'nextDue' | 'dueAfter'>;

/** What is known of one expression. */
interface Known {
  readonly next: (after: number) => number;
  /** The answer to when it is due next, and from when on it was asked. */
  from: number;
  at: number;
  /** The first due after each instant of the past; few, since all tasks that were served in one minute share it. */
  readonly after: Map<number, number>;
}

const MOST_ANSWERS = 1000;

export function createDues(timeZone: string): Dues {
  const known = new Map<string, Known>();
  const of = (cron: string): Known => {
    let entry = known.get(cron);
    if (entry === undefined) {
      const parsed = parseCron(cron, { timeZone });
      entry = { next: (after) => parsed.next(new Date(after)).getTime(), from: 0, at: 0, after: new Map() };
      known.set(cron, entry);
    }
    return entry;
  };
  return {
    nextDue: (cron, now) => {
      const entry = of(cron);
      // Asked again when it is reached, or when the clock was set back behind the question.
      if (now >= entry.at || now < entry.from) {
        entry.from = now;
        entry.at = entry.next(now);
      }
      return entry.at;
    },
    dueAfter: (cron, served) => {
      const { after, next } = of(cron);
      // A due is a whole minute: within a minute the answer is the same.
      const minute = Math.floor(served / 60_000);
      let due = after.get(minute);
      if (due === undefined) {
        due = next(served);
        if (after.size >= MOST_ANSWERS) after.clear();
        after.set(minute, due);
      }
      return due;
    },
  };
}
