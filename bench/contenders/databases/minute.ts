/**
 * The minute in which all tasks of a scheduler over a database are due. The instances are processes of their own, next to this one, which
 * starts them and the database, and reads off both.
 */
import { contend } from '../../runner/contend.ts';
import type { Figures } from '../../runner/scenario.ts';
import { sleep, wallClock } from '../measuring.ts';
import { type Database, openDatabase } from './database.ts';
import type { Kind } from './driver.ts';
import { Fleet } from './fleet.ts';

export interface DatabaseMinuteParams {
  readonly kind: Kind;
  readonly tasks: number;
  readonly instances: number;
}

const MINUTE_MS = 60_000;
/** How long the registration of a task may take, with a margin for a busy machine. */
const LEAD_MS: Readonly<Record<Kind, number>> = {
  obbligato: 0.3,
  statements: 0.1,
  'graphile-worker': 0.3,
  'pg-boss': 4,
  bullmq: 2,
};
const LEAD_ALWAYS_MS = 8000;
/** What has not been called so long after the minute began is counted as not called. */
const LONGEST_MS = 110_000;
const LOOK_EVERY_MS = 20;

interface Due {
  readonly at: number;
  readonly cron: string;
}

/**
 * A minute that leaves time for the registrations. If nothing may wait for one, the tasks are due in every minute: ours has a new task of the
 * current minute pending at once, and a minute that begins meanwhile only means more calls.
 */
function dueOf({ kind, tasks }: DatabaseMinuteParams, isQuick: boolean): Due {
  const next = (after: number): number => Math.ceil(after / MINUTE_MS) * MINUTE_MS;
  if (isQuick) return { at: next(Date.now()) - MINUTE_MS, cron: '* * * * *' };
  const at = next(Date.now() + LEAD_ALWAYS_MS + tasks * LEAD_MS[kind]);
  const date = new Date(at);
  return { at, cron: `${date.getUTCMinutes()} ${date.getUTCHours()} * * *` };
}

interface Seen {
  readonly statements: number;
  readonly logBytes: number;
}

const look = async (database: Database): Promise<Seen> => ({
  statements: await database.statements(),
  logBytes: await database.logBytes(),
});

/** When all ends of the calls were durable. */
async function endsDurableAt(
  database: Database,
  calls: number,
  since: number,
  until: number,
): Promise<number> {
  while ((await database.ends(since)) < calls) {
    if (Date.now() > until) throw new Error(`the ends of ${calls} calls were not durable in time`);
    await sleep(LOOK_EVERY_MS);
  }
  return wallClock();
}

async function measure(
  params: DatabaseMinuteParams,
  database: Database,
  fleet: Fleet,
  isQuick: boolean,
): Promise<Figures> {
  const { kind, tasks, instances } = params;
  const { at: dueAt, cron } = dueOf(params, isQuick);
  const before = isQuick ? await look(database) : undefined;
  await fleet.start({ kind, url: database.url, tasks, cron, dueAt }, instances);
  if (!isQuick && Date.now() > dueAt - 500)
    throw new Error('the registrations took longer than the time that was left before the minute');
  if (!isQuick) await sleep(dueAt - 300 - Date.now());
  const first = before ?? (await look(database));
  const from = isQuick ? Math.min(fleet.readyAt, fleet.lastAt || fleet.readyAt) : dueAt;
  const until = Date.now() + LONGEST_MS;
  await fleet.called(tasks, () => Date.now() > until);
  const { calls, lastAt } = fleet;
  if (calls > tasks && !isQuick) throw new Error(`${calls} calls of ${tasks} tasks`);
  if (calls < tasks) return { missed: tasks - calls, pairsPerSecond: (calls * 1000) / LONGEST_MS };
  const endedAt = await endsDurableAt(database, tasks, dueAt, until + LONGEST_MS);
  const last = await look(database);
  return {
    lastStartMs: Math.max(0, lastAt - from),
    endsDurableMs: endedAt - from,
    pairsPerSecond: (tasks * 1000) / (endedAt - from),
    statements: last.statements - first.statements,
    logBytesPerRun: (last.logBytes - first.logBytes) / tasks,
    missed: 0,
  };
}

await contend<DatabaseMinuteParams>(async (params) => {
  const database = await openDatabase(params.kind);
  const fleet = new Fleet();
  try {
    return await measure(params, database, fleet, params.isQuick);
  } finally {
    await fleet.stop();
    await database.stop();
  }
});
