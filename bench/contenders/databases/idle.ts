/** A minute in which nothing is due: what the instances ask of the database, and what that costs it. */
import { contend } from '../../runner/contend.ts';
import type { Figures } from '../../runner/scenario.ts';
import { sleep } from '../measuring.ts';
import { openDatabase } from './database.ts';
import { Fleet } from './fleet.ts';
import type { DatabaseMinuteParams } from './minute.ts';

export type DatabaseIdleParams = DatabaseMinuteParams;

const MONTHS_AWAY = 6;
/** What the registrations leave to do is done by then: vacuum, statistics, checkpoints of a small table. */
const SETTLE_MS = 20_000;
const IDLE_MS = 60_000;

await contend<DatabaseIdleParams>(async ({ kind, tasks, instances, isQuick }): Promise<Figures> => {
  const database = await openDatabase(kind);
  const fleet = new Fleet();
  try {
    const farMonth = ((new Date().getUTCMonth() + MONTHS_AWAY) % 12) + 1;
    const never = Date.now() + IDLE_MS * 60;
    await fleet.start(
      { kind, url: database.url, tasks, cron: `0 0 1 ${farMonth} *`, dueAt: never },
      instances,
    );
    await sleep(isQuick ? 0 : SETTLE_MS);
    const before = { statements: await database.statements(), cpuMs: await database.cpuMs() };
    await sleep(isQuick ? 1000 : IDLE_MS);
    const cpuMs = await database.cpuMs();
    return {
      idleStatements: (await database.statements()) - before.statements,
      ...(cpuMs !== undefined && before.cpuMs !== undefined && { idleCpuMs: cpuMs - before.cpuMs }),
      sizeBytes: await database.sizeBytes(),
    };
  } finally {
    await fleet.stop();
    await database.stop();
  }
});
