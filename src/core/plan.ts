/**
 * What `initialize` makes of the stored records and the new registrations (E1–E4): one set of changes, to be made in one
 * transaction. Names are compared, nothing else.
 *
 *     stored?  registered?   it is
 *     no       yes           new: its cursor stands right before the current minute (E2)
 *     yes      yes           preserved, or overridden if expression or delay differ; history is kept either way;
 *                            also orphaned if it has an unfinished run: no other instance is alive (E6)
 *     yes      no            removed: forgotten
 */
import type { Zone } from '../time/zone.ts';
import type { ConfigureChange, MoveChange } from './changes.ts';
import { cursorAfterStep, deadlineAfterStep } from './clock-step.ts';
import type { TaskRecord } from './record.ts';
import type { CheckedRegistration } from './registration.ts';

export interface Plan {
  /** One a registration, in their order: what the task's record is once the changes are made. */
  readonly records: readonly TaskRecord[];
  readonly removes: readonly string[];
  readonly puts: readonly TaskRecord[];
  readonly configures: readonly ConfigureChange[];
  readonly moves: readonly MoveChange[];
  readonly overridden: readonly string[];
  readonly orphaned: readonly string[];
}

export function planInitialization(
  known: ReadonlyMap<string, TaskRecord>,
  registrations: readonly CheckedRegistration[],
  now: number,
  zone: Zone,
): Plan {
  const records: TaskRecord[] = [];
  const puts: TaskRecord[] = [];
  const configures: ConfigureChange[] = [];
  const moves: MoveChange[] = [];
  const orphaned: string[] = [];
  const cursor = cursorOfFirstComing(now, zone);
  for (const registration of registrations) {
    const { name, cron, retryDelayMs } = registration;
    const record = known.get(name);
    if (record === undefined) {
      const fresh = firstComing(registration, now, cursor);
      records.push(fresh);
      puts.push(fresh);
      continue;
    }
    if (record.cron !== cron || record.retryDelayMs !== retryDelayMs)
      configures.push({ name, cron, retryDelayMs });
    if (record.run !== null) orphaned.push(name);
    const stepped = afterStep(record, cron, now);
    if (stepped !== undefined) moves.push({ ...seen(record), ...stepped });
    records.push({ ...record, cron, retryDelayMs, ...stepped });
  }
  const overridden = configures.map(({ name }) => name);
  const removes =
    records.length - puts.length === known.size ? [] : namesWithout(known.keys(), registrations);
  return { records, removes, puts, configures, moves, overridden, orphaned };
}

/** The names that no registration has. Only asked for when there are any: it is a long way round for a hundred thousand. */
function namesWithout(
  names: Iterable<string>,
  registrations: readonly CheckedRegistration[],
): readonly string[] {
  const registered = new Set(registrations.map(({ name }) => name));
  return [...names].filter((name) => !registered.has(name));
}

/** Right before the current civil minute begins: if that minute matches, it is still to be served (A9, E2). */
export function cursorOfFirstComing(now: number, zone: Zone): number {
  const { offset, start } = zone.at(now);
  const minuteStart = Math.floor((now + offset) / 60_000) * 60_000 - offset;
  // A zone is kept in blocks: where one begins the offset may go on, and then so does the minute.
  if (minuteStart < start && zone.at(start - 1).offset === offset) return minuteStart - 1;
  return Math.max(minuteStart, start) - 1;
}

function firstComing(
  { name, cron, retryDelayMs }: CheckedRegistration,
  now: number,
  cursor: number,
): TaskRecord {
  return {
    name,
    cron,
    retryDelayMs,
    firstSeenAt: now,
    servedThrough: cursor,
    lastAttemptAt: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    pendingRetryUntil: null,
    work: null,
    run: null,
  };
}

type Moved = Pick<MoveChange, 'servedThrough' | 'pendingRetryUntil'>;

/** By what a store knows which record is moved. */
const seen = ({ name, run, lastAttemptAt }: TaskRecord): Omit<MoveChange, keyof Moved> => ({
  name,
  runId: run?.runId ?? null,
  lastAttemptAt,
});

/** How a clock that was set back since the record was written moves it, or undefined if not at all. */
function afterStep(record: TaskRecord, cron: string, now: number): Moved | undefined {
  const { lastFailureAt } = record;
  const servedThrough = cursorAfterStep(record.servedThrough, now, cron);
  const pendingRetryUntil =
    record.pendingRetryUntil === null || lastFailureAt === null
      ? record.pendingRetryUntil
      : deadlineAfterStep(record.pendingRetryUntil, lastFailureAt, record.retryDelayMs, now);
  const moved = servedThrough !== record.servedThrough || pendingRetryUntil !== record.pendingRetryUntil;
  return moved ? { servedThrough, pendingRetryUntil } : undefined;
}
