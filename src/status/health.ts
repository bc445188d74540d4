/**
 * Whether a schedule is well, by what its store says. There are four reasons why it may not be:
 *
 *     store     it is not there, or cannot be read, or has damaged records
 *     owner     no scheduler runs on it
 *     late      a task should have started, and has not for longer than the limit: all workers are busy, the store fails, or the
 *               scheduler hangs
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
import { hostNow, hostZoneName } from '../time/host.ts';
import { taskStatus } from './task-status.ts';

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
  /** The zone of the scheduler; the host's by default. `false` if it is not known: then nothing is called late but tasks with a zone of their own. */
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
    const troubles = troublesOf(inspection, options);
    return { healthy: troubles.length === 0, troubles, tasks: inspection.records.length };
  } catch (error) {
    if (!(error instanceof ObbligatoError)) throw error;
    const troubles = [{ reason: 'store', text: printable(error.message) }] as const;
    return { healthy: false, troubles, tasks: undefined };
  }
}

function troublesOf(inspection: Inspection, options: HealthOptions): readonly HealthTrouble[] {
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
    found.push(...late(record, owner, now, options), ...failing(record, now, options));
  return found;
}

function late(
  record: TaskRecord,
  owner: Inspection['owner'],
  now: number,
  { timeZone = hostZoneName(), lateAfter = minutes(5) }: HealthOptions,
): readonly HealthTrouble[] {
  if (timeZone === false && !record.policy?.includes('"timeZone"')) return [];
  const { lateSince } = taskStatus(record, { owner, now, timeZone: timeZone || 'UTC' });
  if (lateSince === null || now - lateSince <= lengthOf('lateAfter', lateAfter)) return [];
  const text = `should have started ${wholeDuration(now - lateSince)} ago`;
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
