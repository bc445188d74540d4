/** Our scheduler in a new process, on the file that an earlier process has left: initialize of the same list, then an idle minute. */
import { createScheduler } from 'obbligato';
import { contend } from '../runner/contend.ts';
import type { Figures } from '../runner/scenario.ts';
import { countedStore } from './counted-store.ts';
import { idleMinute } from './idle.ts';
import { folderBytes, liveBytes, wallClock, watchLoop } from './measuring.ts';
import { type ListParams, taskList } from './task-list.ts';

export interface RestartParams extends ListParams {
  /** For which minute the earlier process has made its list. */
  readonly dueAt: number;
  readonly isIdleMeasured: boolean;
}

await contend<RestartParams>(async (params): Promise<Figures> => {
  const { folder, isQuick, dueAt, isIdleMeasured } = params;
  const list = taskList(params, dueAt, () => {});
  const storeBytes = await folderBytes(folder);
  await liveBytes();
  const scheduler = createScheduler({ store: countedStore(folder).store, timeZone: 'UTC' });
  const startedAt = wallClock();
  const initialized = scheduler.initialize(list);
  const loop = watchLoop();
  await initialized;
  const restartMs = wallClock() - startedAt;
  const restartHeldMs = loop.longestMs();
  loop.end();
  const idle = isIdleMeasured && !isQuick ? { idleCpuMs: await idleMinute() } : {};
  await scheduler.stop();
  return { restartMs, restartHeldMs, storeBytes, ...idle };
});
