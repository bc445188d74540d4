/** What controls cost while nobody asks for anything, and how soon they take effect (I1). */
import type { ControlsIdleParams } from '../contenders/controls-idle.ts';
import type { ControlsLoadParams } from '../contenders/controls-load.ts';
import type { ListParams } from '../contenders/task-list.ts';
import type { Contender, Scenario } from '../runner/scenario.ts';
import { minuteStep, modulePath, OURS } from './ours.ts';

const many: ListParams = { tasks: 1_000_000, dueEvery: 0 };
const busy: ControlsLoadParams = { tasks: 100_000, dueEvery: 1 };
const UNWATCHED = 'obbligato, requests not watched';

const idleStep = (name: string, isWatched: boolean): Contender['steps'][number] => ({
  module: modulePath('controls-idle.ts'),
  params: (round) =>
    ({ ...many, dueAt: round.figuresOf(name).dueAt, isWatched }) satisfies ControlsIdleParams,
});

export const controls: Scenario = {
  name: 'scheduler-controls',
  title: 'controls: what watching for requests costs, and how soon one takes effect',
  about:
    'The idle minute is a real one, in a new process on the file of 1,000,000 tasks, none of them due, and counts the CPU time of all threads; a quick run leaves it out. The second row is the same process with a store that is not asked to watch for requests. For the effect, 100,000 tasks are due in one minute, and another process asks for a pause each tenth of a second from the instant at which they are due; what it asks for after the last start does not count. The time is from the call of `pause` in that process, which makes the request durable, to the instant at which the scheduler applied it.',
  runs: 3,
  metrics: [
    { key: 'idleCpuMs', title: 'CPU time of an idle minute, 1,000,000 tasks', unit: 'ms' },
    { key: 'effectMs', title: 'until a control takes effect under load, median', unit: 'ms' },
    { key: 'worstEffectMs', title: 'until a control takes effect under load, worst', unit: 'ms' },
    { key: 'asked', title: 'controls asked for under load', unit: 'count', isDetail: true },
    { key: 'loadMs', title: 'last of 100,000 starts, after they were due', unit: 'ms', isDetail: true },
  ],
  contenders: [
    {
      name: OURS,
      role: 'ours',
      steps: [
        minuteStep(many),
        idleStep(OURS, true),
        { module: modulePath('controls-load.ts'), params: () => busy },
      ],
    },
    { name: UNWATCHED, role: 'limit', steps: [minuteStep(many), idleStep(UNWATCHED, false)] },
  ],
  bounds: [
    { metric: 'worstEffectMs', contender: OURS, atMost: 2000 },
    // A thousandth of one core.
    { metric: 'idleCpuMs', contender: OURS, atMost: 60 },
  ],
};
