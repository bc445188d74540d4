/** When tasks are due next. Many tasks share few expressions, and an answer holds until it is reached. */
import { parseCron } from '../../cron/index.ts';

type Next = (cron: string, now: number) => number | undefined;

export function createNextDue(timeZone: string): Next {
  const known = new Map<string, { readonly next: (after: Date) => Date; from: number; at: number }>();
  return (cron, now) => {
    let entry = known.get(cron);
    if (entry === undefined) {
      const parsed = parseCron(cron, { timeZone });
      entry = { next: (after) => parsed.next(after), from: 0, at: 0 };
      known.set(cron, entry);
    }
    // Asked again when it is reached, or when the clock was set back behind the question.
    if (now >= entry.at || now < entry.from) {
      entry.from = now;
      entry.at = entry.next(new Date(now)).getTime();
    }
    return entry.at;
  };
}
