/** All about one task: its expression in words, its policy, its next starts with the clock changes between them, and its runs. */
import { clockChanges, describeClockChange, parseCron, zoneOf } from '../cron/index.ts';
import { history, type PastRun, type Store, type StoredPolicy } from '../index.ts';
import { clockTime, join } from '../text/words.ts';
import type { TaskEntry } from './task-entry.ts';

const STARTS = 20;
/** Minutes that are named; of more, their number. */
const MOST_MINUTES = 6;
const LONGEST_META = 2000;

/** What a clock change does to the task. */
interface Change {
  readonly at: number;
  readonly text: string;
}

export function detailsOf(entry: TaskEntry, at: number): object {
  const { record, policy, timeZone } = entry;
  return {
    firstSeenAt: record.firstSeenAt,
    servedThrough: record.servedThrough,
    lastSuccessAt: record.lastSuccessAt,
    lastFailureAt: record.lastFailureAt,
    runId: record.run?.runId ?? null,
    attempt: record.work?.attempt ?? null,
    sentence: sentenceOf(entry, at),
    policy: policyRows(record.retryDelayMs, policy),
    ...startsOf(entry, at),
    timeZone,
  };
}

function sentenceOf({ record, timeZone }: TaskEntry, at: number): string {
  try {
    return parseCron(record.cron, { timeZone }).describe({ from: new Date(at) });
  } catch {
    return 'This is no expression that can be read.';
  }
}

function startsOf(
  { record, calendar, policy, timeZone }: TaskEntry,
  at: number,
): { readonly starts: readonly number[]; readonly changes: readonly Change[] } {
  const starts: number[] = [];
  let due = calendar?.next(at) ?? Number.POSITIVE_INFINITY;
  for (; Number.isFinite(due) && starts.length < STARTS; due = calendar?.next(due) ?? due) starts.push(due);
  const last = starts.at(-1);
  if (last === undefined) return { starts, changes: [] };
  const expression = parseCron(record.cron, { timeZone });
  const changes = [...clockChanges(zoneOf(timeZone), at, last)].map((change) => {
    const { effect, minutes } = expression.effectOf(change);
    const said = policy.clockChanges === 'once' ? effectOnce(effect) : effectText(effect, minutes);
    return { at: change.at, text: `${describeClockChange(change)}${said}.` };
  });
  return { starts, changes };
}

const effectOnce = (effect: string): string => (effect === 'none' ? '' : ': it still starts once');

function effectText(effect: 'skipped' | 'doubled' | 'none', minutes: readonly number[]): string {
  if (effect === 'none') return ', which changes nothing here';
  const which =
    minutes.length > MOST_MINUTES ? `${minutes.length} starts` : join(minutes.map((each) => clockTime(each)));
  const one = minutes.length === 1;
  return effect === 'skipped'
    ? `: ${which} ${one ? 'is' : 'are'} skipped`
    : `: ${which} ${one ? 'happens' : 'happen'} twice`;
}

/** What holds for the task beyond its expression, in words; also where it is the default, since a reader may not know that. */
function policyRows(retryDelayMs: number, policy: StoredPolicy): Array<readonly [string, string]> {
  const { retry, days, startWithinMs, jitterMs, timeoutMs, abandonAfterMs, meta } = policy;
  return [
    ['Retry', retryText(retryDelayMs, retry)],
    ['While it runs', WHILE_RUNNING[policy.whileRunning ?? 'remember']],
    ['Clock changes', policy.clockChanges === 'once' ? 'each local time is served once' : 'as POSIX says'],
    ...(days === undefined ? [] : [['Days', JSON.stringify(days)] as const]),
    ...(startWithinMs === undefined ? [] : [['Starts within', milliseconds(startWithinMs)] as const]),
    ...(jitterMs === undefined ? [] : [['Moved by up to', milliseconds(jitterMs)] as const]),
    ...(timeoutMs === undefined ? [] : [['Time limit', milliseconds(timeoutMs)] as const]),
    ...(abandonAfterMs === undefined ? [] : [['Abandoned after', milliseconds(abandonAfterMs)] as const]),
    ...(meta === undefined ? [] : [['Meta', JSON.stringify(meta).slice(0, LONGEST_META)] as const]),
  ];
}

const WHILE_RUNNING = {
  remember: 'a due start follows right after the end',
  skip: 'a due start is skipped',
  replace: 'a due start replaces the run',
} as const;

function retryText(delayMs: number, retry: StoredPolicy['retry']): string {
  if (retry?.max === 1) return 'never';
  const growth = retry?.backoff === undefined ? '' : `, then ${retry.backoff} times as long each time`;
  const bound = retry?.maxDelayMs === undefined ? '' : `, at most ${milliseconds(retry.maxDelayMs)}`;
  const end = retry?.max === undefined ? '' : `, given up after ${retry.max} attempts`;
  return `after ${milliseconds(delayMs)}${growth}${bound}${end}`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

function milliseconds(ms: number): string {
  const [unit, size] = UNITS.find((each) => ms >= each[1] && ms % each[1] === 0) ?? ['ms', 1];
  const count = ms / size;
  return unit === 'ms' ? `${count} ms` : `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Runs of the past, the newest first, with what they threw. One more than asked for is looked at, to know whether there are more. */
export async function runsOf(
  store: Store,
  query: { readonly task: string; readonly outcome: PastRun['outcome'] | 'all' },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<object> {
  if (store.history === undefined) return { isKept: false, runs: [], hasMore: false };
  const { task, outcome } = query;
  const runs: PastRun[] = [];
  let place = 0;
  const asked = { task, limit: offset + limit + 1, ...(outcome === 'all' ? {} : { outcome }) };
  for await (const run of history(store, asked)) if (place++ >= offset) runs.push(run);
  return { isKept: true, runs: runs.slice(0, limit), hasMore: runs.length > limit };
}
