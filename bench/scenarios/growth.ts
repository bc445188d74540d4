/** How the costs grow with the number of tasks. */
import type { Contender, Scenario } from '../runner/scenario.ts';
import {
  HOW_DUE,
  HOW_LIMITED,
  initializeLimit,
  limitOf,
  metrics,
  minuteLimit,
  minuteStep,
  restartStep,
} from './ours.ts';

const COUNTS = [1000, 10_000, 100_000, 1_000_000];

/** Ours with so many tasks, and the limit that goes with it. */
function pair(tasks: number): Contender[] {
  const name = `obbligato, ${tasks.toLocaleString('en')} tasks`;
  const list = { tasks, dueEvery: 1 };
  const limit = limitOf(name, (figures) => ({
    ...initializeLimit(figures),
    ...minuteLimit(tasks)(figures),
    restartBytes: figures.storeBytes,
  }));
  return [
    {
      name,
      role: 'ours',
      tasks,
      steps: [minuteStep(list), restartStep(name, { ...list, isIdleMeasured: false })],
    },
    { ...limit, name: `${limit.name}, ${tasks.toLocaleString('en')} tasks`, tasks },
  ];
}

export const growth: Scenario = {
  name: 'scheduler-growth',
  title: 'growth from 1,000 to 1,000,000 tasks, all due at once',
  about: `Initialize on an empty file, a minute in which all tasks are due, and a restart in a second process. ${HOW_DUE} ${HOW_LIMITED} For the restart it reads as many bytes as the file has.`,
  runs: 3,
  metrics: [metrics.initializeMs, metrics.restartMs, metrics.lastStartMs],
  contenders: COUNTS.flatMap(pair),
};
