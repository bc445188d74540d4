/** What the history of runs costs in the minute in which everything is due. */
import type { Scenario } from '../runner/scenario.ts';
import { HOW_DUE, HOW_LIMITED, limitOf, metrics, minuteLimit, minuteStep } from './ours.ts';

const list = { tasks: 100_000, dueEvery: 1 };
const ON = 'obbligato, history on';
const OFF = 'obbligato, history off';

export const history: Scenario = {
  name: 'scheduler-history',
  title: 'history on and off, 100,000 tasks due at once',
  about: `The second row has \`history: false\` in the options of createScheduler. A scheduler that does not know the option ignores it, and then both rows are alike. ${HOW_DUE} ${HOW_LIMITED}`,
  runs: 5,
  metrics: [
    metrics.lastStartMs,
    metrics.endsDurableMs,
    metrics.cpuMs,
    metrics.startBytes,
    metrics.startSyncs,
  ],
  contenders: [
    { name: ON, role: 'ours', steps: [minuteStep(list)] },
    { name: OFF, role: 'ours', steps: [minuteStep({ ...list, history: false })] },
    limitOf(OFF, minuteLimit(list.tasks)),
  ],
  bounds: [
    { metric: 'endsDurableMs', contender: ON, atMost: 1.15, times: OFF },
    { metric: 'cpuMs', contender: ON, atMost: 1.15, times: OFF },
  ],
};
