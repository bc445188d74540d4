/** The worst minute: everything is due at once. */
import type { Scenario } from '../runner/scenario.ts';
import {
  HOW_DUE,
  HOW_LEAST,
  HOW_LIMITED,
  leastOf,
  limitOf,
  MINUTE_METRICS,
  minuteLimit,
  minuteStep,
  OURS,
} from './ours.ts';

const TASKS = 1_000_000;

export const allDue: Scenario = {
  name: 'scheduler-all-due',
  title: 'all of 1,000,000 tasks due at once',
  about: `Every task is due, on a real SQLite file. A start is durable before its callback is called. ${HOW_DUE} The event loop is watched by a timer of 1 ms, so a hold includes up to 1 ms of its waiting. ${HOW_LIMITED} ${HOW_LEAST}`,
  runs: 3,
  metrics: MINUTE_METRICS,
  contenders: [
    { name: OURS, role: 'ours', steps: [minuteStep({ tasks: TASKS, dueEvery: 1 })] },
    limitOf(OURS, minuteLimit(TASKS)),
    leastOf(TASKS),
  ],
  bounds: [
    { metric: 'lastStartMs', contender: OURS, atMost: 5000 },
    { metric: 'endsDurableMs', contender: OURS, atMost: 8000 },
    { metric: 'heldMs', contender: OURS, atMost: 20 },
  ],
};
