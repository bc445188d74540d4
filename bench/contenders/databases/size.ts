/** Minute after minute in which all tasks are due: how large the database becomes. */
import { contend } from '../../runner/contend.ts';
import type { Figures } from '../../runner/scenario.ts';
import { sleep } from '../measuring.ts';
import { openDatabase } from './database.ts';
import { Fleet } from './fleet.ts';
import type { DatabaseMinuteParams } from './minute.ts';

export interface DatabaseSizeParams extends DatabaseMinuteParams {
  readonly minutes: number;
}

const MINUTE_MS = 60_000;
/** After so much of a minute its runs are over, and the size is read. */
const READ_AFTER_MS = 50_000;

await contend<DatabaseSizeParams>(async ({ kind, tasks, instances, minutes }): Promise<Figures> => {
  const database = await openDatabase(kind);
  const fleet = new Fleet();
  try {
    await fleet.start({ kind, url: database.url, tasks, cron: '* * * * *', dueAt: Date.now() }, instances);
    const firstMinute = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
    const readIn = async (minute: number): Promise<{ bytes: number; calls: number }> => {
      await sleep(firstMinute + minute * MINUTE_MS + READ_AFTER_MS - Date.now());
      return { bytes: await database.sizeBytes(), calls: fleet.calls };
    };
    const first = await readIn(0);
    const tenth = await readIn(9);
    const last = await readIn(minutes - 1);
    return {
      firstBytes: first.bytes,
      tenthBytes: tenth.bytes,
      lastBytes: last.bytes,
      bytesPerRun: (last.bytes - tenth.bytes) / (last.calls - tenth.calls),
      runs: last.calls,
    };
  } finally {
    await fleet.stop();
    await database.stop();
  }
});
