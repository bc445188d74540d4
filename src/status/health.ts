/**
 * Whether a schedule is well, by what its store says. There are four reasons why it may not be:
 *
 *     store     it is not there, or cannot be read, or has damaged records
 *     owner     no scheduler runs on it
 *     late      a task should have started, and has not for longer than the limit: all workers are busy, the store fails, the
 *               scheduler hangs, or its run before does
 *     failing   a task has failed so many times in a row, or for so long
 */
import type { TaskRecord } from '../core/record.ts';
import { ObbligatoError } from '../errors.ts';
import { type Inspection, inspect } from '../store/inspect.ts';
import type { Store } from '../store/port.ts';
import { printable } from '../text/printable.ts';
import { refuseUnknown } from '../text/unknown-name.ts';
import { counted, wholeDuration } from '../text/words.ts';
import { type Duration, hours, lengthOf, minutes } from '../time/duration.ts';
import { hostNow } from '../time/host.ts';
import { taskStatus } from './task-status.ts';
import { zoneOfStore } from './zone-of-store.ts';

/** What can be wrong. */
export type HealthReason = 'store' | 'owner' | 'late' | 'failing';

/** One thing that is wrong. */
export interface HealthTrouble {
  readonly reason: HealthReason;
  /** The task, where it is about one. */
  readonly task?: string;
  /** Since when it has been so, where that is known. */
  readonly since?: number;
  readonly text: string;
}

/** What is too much. */
export interface HealthOptions {
  /** How late a start may be; 5 minutes by default. */
  readonly lateAfter?: Duration;
  /** So many failures in a row are too many; 3 by default. */
  readonly failures?: number;
  /** For how long a task may fail, however often it has; an hour by default. */
  readonly failingFor?: Duration;
  /**
   * The zone of the scheduler; by default the one that the store says, or the host's if it says none. `false` takes no other than the store's: if it says none,
   * nothing is called late but tasks with a zone of their own.
   */
  readonly timeZone?: string | false;
  /** In epoch milliseconds; the host's clock by default. */
  readonly now?: number;
}

/** What `health` has found. */
export interface Health {
  readonly healthy: boolean;
  readonly troubles: readonly HealthTrouble[];
  /** How many tasks there are; undefined if the store cannot be read. */
  readonly tasks: number | undefined;
  /** The zone by which lateness was judged; undefined if it was not. */
  readonly timeZone: string | undefined;
  /** Who says so. If it is the host, the scheduler may read expressions in another one. */
  readonly timeZoneFrom: 'option' | 'store' | 'host';
}

const NAMES = ['lateAfter', 'failures', 'failingFor', 'timeZone', 'now'];
const FOREIGN = [
  ['latems late', 'write lateAfter: minutes(5)'],
  ['failingms failing', 'write failingFor: hours(1)'],
] as const;

/** Says whether a schedule is well, from any process. The store is given as such, or by the path of its file; it is only looked at. */
export async function health(target: string | URL | Store, options: HealthOptions = {}): Promise<Health> {
  refuseUnknown('health', options, NAMES, FOREIGN);
  try {
    const inspection = await inspect(target);
    const zone = zoneOfStore(inspection, options.timeZone || undefined);
    const isKnown = zone.timeZoneFrom !== 'host' || options.timeZone !== false;
    const timeZone = isKnown ? zone.timeZone : undefined;
    const troubles = troublesOf(inspection, options, timeZone);
    return { healthy: troubles.length === 0, troubles, tasks: inspection.records.length, ...zone, timeZone };
  } catch (error) {
    if (!(error instanceof ObbligatoError)) throw error;
    const troubles = [{ reason: 'store', text: printable(error.message) }] as const;
    const zone = zoneOfStore({}, options.timeZone || undefined);
    return { healthy: false, troubles, tasks: undefined, ...zone, timeZone: undefined };
  }
}

function troublesOf(
  inspection: Inspection,
  options: HealthOptions,
  timeZone: string | undefined,
): readonly HealthTrouble[] {
  const { owner, damaged, location, records } = inspection;
  const found: HealthTrouble[] = [];
  if (damaged.length > 0)
    found.push({
      reason: 'store',
      text: `${counted(damaged.length, 'damaged record')}: run "obbligato repair"`,
    });
  if (owner === 'free') found.push({ reason: 'owner', text: `no scheduler runs on ${printable(location)}` });
  const now = options.now ?? hostNow();
  for (const record of records)
    found.push(...late(record, { owner, now, timeZone }, options), ...failing(record, now, options));
  return found;
}

function late(
  record: TaskRecord,
  {
    owner,
    now,
    timeZone,
  }: Pick<Inspection, 'owner'> & { readonly now: number; readonly timeZone: string | undefined },
  { lateAfter = minutes(5) }: HealthOptions,
): readonly HealthTrouble[] {
  if (timeZone === undefined && !record.policy?.includes('"timeZone"')) return [];
  const { lateSince, runningSince } = taskStatus(record, { owner, now, timeZone: timeZone ?? 'UTC' });
  if (lateSince === null || now - lateSince <= lengthOf('lateAfter', lateAfter)) return [];
  const ago = `should have started ${wholeDuration(now - lateSince)} ago`;
  const before = record.lastDurationMs;
  const took = before === null ? '' : `, the run before took ${wholeDuration(before)}`;
  const text =
    runningSince === null ? ago : `${ago}, and still runs, for ${wholeDuration(now - runningSince)}${took}`;
  return [{ reason: 'late', task: record.name, since: lateSince, text }];
}

function failing(
  { name, failures, failingSince, lastError }: TaskRecord,
  now: number,
  { failures: most = 3, failingFor = hours(1) }: HealthOptions,
): readonly HealthTrouble[] {
  if (failures < most && (failingSince === null || now - failingSince <= lengthOf('failingFor', failingFor)))
    return [];
  const since = failingSince ?? now;
  const what = lastError === null ? '' : `: ${printable(lastError.message || lastError.name)}`;
  const text = `has failed ${counted(failures, 'time')} in a row, for ${wholeDuration(Math.max(0, now - since))}${what}`;
  return [{ reason: 'failing', task: name, since, text }];
}
