/** Policies of tasks (H), drawn so that each is seen at work in a world of some hours. */
import type { Random } from './random.ts';
import type { Scenario, TaskPlan, TaskPolicy } from './scenario.ts';

const HOUR_MS = 3_600_000;
const ZONES = ['UTC', 'Europe/Stockholm', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

type Draw = (chance: Random, start: Date) => TaskPolicy;

/** What a policy may say, and in how many of a hundred. */
const PARTS: readonly (readonly [share: number, draw: Draw])[] = [
  [50, (chance) => ({ retry: drawRetry(chance) })],
  [20, (chance) => ({ timeZone: chance.pick(ZONES) })],
  [20, () => ({ clockChanges: 'once' })],
  [8, (chance, start) => ({ days: drawDays(chance, start) })],
  [30, (chance) => ({ startWithinMs: chance.pick([1, 20, 1000, 30_000, 61_000, 600_000]) })],
  [35, (chance) => ({ whileRunning: chance.pick(['skip', 'skip', 'replace'] as const) })],
  [20, (chance) => ({ jitterMs: chance.pick([1000, 30_000, 60_000, 300_000]) })],
  [30, drawLimits],
  [20, () => ({ onOverride: 'reset' })],
];

/** A policy, which may say anything. */
export function drawPolicy(chance: Random, start: Date): TaskPolicy {
  let policy: TaskPolicy = {};
  for (const [share, draw] of PARTS)
    if (chance.percent(share)) policy = { ...policy, ...draw(chance, start) };
  return policy;
}

function drawRetry(chance: Random): NonNullable<TaskPolicy['retry']> {
  if (chance.percent(30)) return { max: chance.between(1, 2) };
  return {
    backoff: chance.pick([1.5, 2, 10]),
    ...(chance.percent(60) ? { max: chance.between(1, 5) } : {}),
    ...(chance.percent(50) ? { maxDelayMs: chance.pick([1, 2000, 90_000, HOUR_MS]) } : {}),
  };
}

/** A rule that holds on the day of the world, or on the one before or after it. */
function drawDays(chance: Random, start: Date): NonNullable<TaskPolicy['days']> {
  const day = new Date(start.getTime() + chance.between(-1, 1) * 24 * HOUR_MS);
  const monthEnd = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  return chance.pick([
    { last: monthEnd - day.getUTCDate() },
    { nth: Math.ceil(day.getUTCDate() / 7), weekday: day.getUTCDay() },
    { everyWeeks: chance.between(1, 3), from: day.toISOString().slice(0, 10) },
  ]);
}

function drawLimits(chance: Random): TaskPolicy {
  const timeoutMs = chance.spread(1, 100_000);
  return chance.percent(40) ? { timeoutMs, abandonAfterMs: chance.spread(1, 60_000) } : { timeoutMs };
}

/** Policies for most of the tasks. A list that changes its tasks changes their policies, too. */
export function policies({ start, callbacks, events }: Scenario, chance: Random): Partial<Scenario> {
  const begins = new Date(start);
  const instead = (task: TaskPlan): TaskPlan => {
    const own = chance.fork(`${task.name} ${task.cron} ${task.retryDelayMs}`);
    if (own.percent(15)) return task;
    const { days, ...policy } = drawPolicy(own, begins);
    // Other expressions may have no day that the rule leaves.
    return { ...task, policy: /\* \* \*$/.test(task.cron) && days ? { ...policy, days } : policy };
  };
  const changed = events.map(([after, action]): Scenario['events'][number] => {
    if (!('tasks' in action) || action.tasks === undefined) return [after, action];
    return [after, { ...action, tasks: action.tasks.map(instead) }];
  });
  const busy = { hang: Math.max(callbacks.hang, 3), overrun: Math.max(callbacks.overrun, 4) };
  const failing = { failLater: Math.max(callbacks.failLater, 5), stop: 0 };
  return { callbacks: { ...callbacks, ...busy, ...failing }, events: changed };
}
