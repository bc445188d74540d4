/** How fast time passes in a simulated world: a hundred tasks that are due every minute, for two hours, with a crash. */
import { createWorld, type Scenario } from '../src/simulation/index.ts';

const HOUR_MS = 3_600_000;
/** The least that time must pass faster than on a real clock. */
const BOUND = 1000;
const ROUNDS = 5;

const tasks = Array.from({ length: 100 }, (_, index) => ({
  name: `t${index}`,
  cron: '* * * * *',
  retryDelayMs: 1000,
}));
const scenario: Scenario = {
  ...createWorld({ seed: 1 }).scenario,
  workers: 0,
  events: [
    [0, { kind: 'start', tasks }],
    [HOUR_MS, { kind: 'crash', downMs: 1000 }],
    [2 * HOUR_MS, { kind: 'intrude' }],
  ],
};

const ratios: number[] = [];
let starts = 0;
for (let round = -1; round < ROUNDS; round++) {
  const startedAt = performance.now();
  const report = await createWorld({ scenario }).run();
  if (round >= 0) ratios.push(report.simulatedMs / (performance.now() - startedAt)); // round -1 warms up
  starts = report.starts;
}
const median = ratios.sort((one, other) => one - other)[ROUNDS >> 1];
const verdict = median >= BOUND ? 'met' : 'MISSED';
if (verdict === 'MISSED') process.exitCode = 1;
console.log(`\na simulated world of a hundred tasks, ${starts} starts`);
console.log(`  time passes ${Math.round(median)}× as fast as on a real clock  (bound ${BOUND}×: ${verdict})`);
