/** The ordinary minute of a large store: some tasks are due, and their records are far apart. */
import type { Scenario } from '../runner/scenario.ts';
import {
  HOW_DUE,
  HOW_LEAST,
  HOW_LIMITED,
  LIMIT,
  leastOf,
  limitOf,
  MINUTE_METRICS,
  minuteLimit,
  minuteStep,
  OURS,
} from './ours.ts';

const TASKS = 1_000_000;
const DUE_EVERY = 10;

export const scattered: Scenario = {
  name: 'scheduler-scattered',
  title: '100,000 tasks due at once, scattered over a store of 1,000,000',
  about: `Every tenth task of the list is due, on a real SQLite file. ${HOW_DUE} ${HOW_LIMITED} ${HOW_LEAST}`,
  runs: 5,
  metrics: MINUTE_METRICS,
  contenders: [
    { name: OURS, role: 'ours', steps: [minuteStep({ tasks: TASKS, dueEvery: DUE_EVERY })] },
    limitOf(OURS, minuteLimit(TASKS / DUE_EVERY)),
    leastOf(TASKS / DUE_EVERY),
  ],
  bounds: [{ metric: 'lastStartMs', contender: OURS, atMost: 3, times: LIMIT }],
};
