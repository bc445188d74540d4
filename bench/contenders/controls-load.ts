/** Another process asks for pauses while our scheduler starts all of its tasks: how long until each takes effect (I1). */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createScheduler, type Registration, sqlite } from 'obbligato';
import { contend } from '../runner/contend.ts';
import type { Figures } from '../runner/scenario.ts';
import { wallClock } from './measuring.ts';
import type { Asked, OperatorParams } from './operator.ts';
import { createTally, dueMinute, type ListParams, taskList } from './task-list.ts';

/** The tasks that are due in the minute. */
export type ControlsLoadParams = ListParams;

/** How many are asked for. */
const CONTROLS = 20;

await contend<ControlsLoadParams>(async (params): Promise<Figures> => {
  const { folder, isQuick, tasks } = params;
  const path = join(folder, 'load.db');
  const dueAt = await dueMinute(params, isQuick);
  const tally = createTally(tasks);
  // What is paused is not due, or it would be missing among the starts.
  const idle = taskList({ tasks: CONTROLS, dueEvery: 0 }, dueAt, () => {});
  const paused = idle.map(([name, ...rest]): Registration => [`paused/${name}`, ...rest]);
  const list = [...taskList(params, dueAt, tally.call), ...paused];
  const scheduler = createScheduler({ store: sqlite(path), timeZone: 'UTC' });
  await scheduler.initialize(list);
  const from = isQuick ? wallClock() : dueAt;
  const operator = fork(join(import.meta.dirname, 'operator.ts'), [
    JSON.stringify({ path, from, names: paused.map(([name]) => name) } satisfies OperatorParams),
  ]);
  const posted = Promise.race([
    once(operator, 'message'),
    once(operator, 'exit').then(([code]): never => {
      throw new Error(`the operator ended with ${code}`);
    }),
  ]);
  const [lastStartAt, [asked]]: [number, Asked[][]] = await Promise.all([tally.all, posted]);
  await scheduler.stop();
  // What was asked after the last start was not asked under load.
  const underLoad = asked.filter(({ askedAt }) => askedAt <= lastStartAt);
  const took = underLoad.map(({ askedAt, appliedAt }) => appliedAt - askedAt).sort((a, b) => a - b);
  const [median = Number.NaN, worst = Number.NaN] = [took[Math.floor(took.length / 2)], took.at(-1)];
  return { effectMs: median, worstEffectMs: worst, asked: took.length, loadMs: lastStartAt - from };
});
