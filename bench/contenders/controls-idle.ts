/** An idle minute on the file that an earlier process has left, with and without the watching of requests (I1). */
import { join } from 'node:path';
import { createScheduler, type Store, sqlite } from 'obbligato';
import { contend } from '../runner/contend.ts';
import type { Figures } from '../runner/scenario.ts';
import { idleMinute } from './idle.ts';
import { type ListParams, taskList } from './task-list.ts';

export interface ControlsIdleParams extends ListParams {
  /** For which minute the earlier process has made its list. */
  readonly dueAt: number;
  readonly isWatched: boolean;
}

await contend<ControlsIdleParams>(async (params): Promise<Figures> => {
  const { folder, isQuick, dueAt, isWatched } = params;
  const file = sqlite(join(folder, 'state.db'));
  const store: Store = isWatched
    ? file
    : { location: file.location, open: ({ onRequests: _, ...options }) => file.open(options) };
  const scheduler = createScheduler({ store, timeZone: 'UTC' });
  await scheduler.initialize(taskList(params, dueAt, () => {}));
  const idle = isQuick ? {} : { idleCpuMs: await idleMinute() };
  await scheduler.stop();
  return idle;
});
