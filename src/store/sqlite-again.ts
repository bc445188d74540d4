/**
 * All records of a file for somebody who looks again and again. Usually the thread knows which rows have changed since the former look, and only
 * those are read (`sqlite-row-mark.ts`). Where it does not know, every row is read on the thread, page by page, and compared by its print; only rows that have changed cross
 * from there. Records that have not changed are taken over as the same objects either way.
 *
 * Every row is read at least once per `WHOLE_EVERY_MS`: another program may have written to the file.
 */
import { unpackPage } from './page-records.ts';
import type { InspectOptions, StoreSnapshot } from './port.ts';
import type { ChangedRows, NumberedRows } from './sqlite-changed-rows.ts';
import type { Channel } from './sqlite-channel.ts';
import type { LookMark } from './sqlite-messages.ts';

const ROWS_PER_PAGE = 2500;
const WHOLE_EVERY_MS = 30_000;
const NO_PRINTS = new Float64Array(0);

/** A page as it was seen: which rows it has, and what they were. */
interface SeenPage {
  readonly after: number;
  readonly next: number | null;
  readonly ids: Float64Array;
  readonly prints: Float64Array;
  readonly records: unknown[];
}

/** What an answer was made of. */
export interface Seen {
  readonly pages: readonly SeenPage[];
  readonly mark: LookMark | undefined;
  /** When every row was read, by a clock that is never set. */
  readonly wholeAt: number;
}

/** It lives as long as the answer. */
const seen = new WeakMap<StoreSnapshot, Seen>();

/** Remembers of what a snapshot is made. */
export const remember = (snapshot: StoreSnapshot, made: Seen): void => void seen.set(snapshot, made);

interface Again {
  readonly since: InspectOptions['since'] | undefined;
  /** Called with the first records, if there are more. */
  readonly onRecords: ((records: readonly unknown[]) => void) | undefined;
}

export function readAgain(channel: Channel, { since, onRecords }: Again): Promise<Seen> {
  const before = typeof since === 'object' ? seen.get(since) : undefined;
  return channel.using(async () => {
    const now = performance.now();
    const recent = before !== undefined && now - before.wholeAt < WHOLE_EVERY_MS ? before : undefined;
    const asked = await channel.ask({ kind: 'changes', since: recent?.mark }, 'changes');
    const { mark, rows } = asked.answer;
    if (recent && rows) return { pages: patched(recent.pages, rows), mark, wholeAt: recent.wholeAt };
    return { pages: await readPages(channel, before?.pages ?? [], onRecords), mark, wholeAt: now };
  });
}

async function readPages(
  channel: Channel,
  before: readonly SeenPage[],
  onRecords: Again['onRecords'],
): Promise<readonly SeenPage[]> {
  const former = new Map(before.map((page) => [page.after, page]));
  const ask = (after: number) => {
    const known = former.get(after)?.prints ?? NO_PRINTS;
    const answer = channel.ask({ kind: 'look', after, limit: ROWS_PER_PAGE, known }, 'look');
    answer.catch(() => {}); // It is awaited below, unless the walk ends before.
    return answer;
  };
  const pages: SeenPage[] = [];
  let after: number | null = Number.MIN_SAFE_INTEGER;
  let coming = ask(after);
  while (after !== null) {
    const { answer }: { answer: ChangedRows } = await coming;
    // While a page is looked at, the thread reads the next one.
    if (answer.next !== null) coming = ask(answer.next);
    pages.push(pageOf(after, answer, former.get(after)));
    if (pages.length === 1 && answer.next !== null) onRecords?.(pages[0].records);
    after = answer.next;
  }
  return pages;
}

/** The former page with what has changed in it. If all rows have come, nothing of the former one is left. */
function pageOf(
  after: number,
  { page, places, ids, prints, next }: ChangedRows,
  former: SeenPage | undefined,
): SeenPage {
  if (former !== undefined && places.length === 0 && prints.length === former.prints.length) return former;
  const changed: unknown[] = [];
  unpackPage(page, changed);
  const records = former === undefined ? [] : former.records.slice(0, prints.length);
  for (const [index, place] of places.entries()) records[place] = changed[index];
  return { after, next, ids, prints, records };
}

/** The pages with some rows replaced. What was handed out before stays as it was. */
function patched(before: readonly SeenPage[], { page, ids, prints }: NumberedRows): readonly SeenPage[] {
  const changed: unknown[] = [];
  unpackPage(page, changed);
  const pages = [...before];
  for (const [index, id] of ids.entries()) {
    const at = before.findLastIndex(({ after }) => after < id);
    const place = before[at].ids.indexOf(id);
    if (place < 0) continue; // Another program has made it: the next whole read finds it.
    if (pages[at] === before[at])
      pages[at] = { ...before[at], records: before[at].records.slice(), prints: before[at].prints.slice() };
    pages[at].records[place] = changed[index];
    pages[at].prints[place] = prints[index];
  }
  return pages;
}
