/**
 * From a scenario that fails to a short one that fails in the same way. Chunks of events are taken out, large ones first, as long
 * as the same rule is still broken; then tasks; then what callbacks and the disk do is made simpler. Since everything inside a
 * world is drawn by name and number, what is left behaves as it did before.
 */
import type { Action, CallbackMix, Scenario, TaskPlan } from './scenario.ts';
import { createWorld } from './world.ts';

/** So many worlds are tried at the most. */
const TRIES_MAX = 400;

/** Cuts a scenario down while it still breaks the rule; resolves to the smallest one found. */
export async function shrink(scenario: Scenario, rule: string): Promise<Scenario> {
  let tries = 0;
  let best = scenario;
  const attempt = async (smaller: Scenario): Promise<boolean> => {
    if (tries++ >= TRIES_MAX) return false;
    const { violations } = await createWorld({ scenario: smaller }).run();
    if (!violations.some((violation) => violation.rule === rule)) return false;
    best = smaller;
    return true;
  };
  for (let size = best.events.length >> 1; size >= 1; size >>= 1) {
    for (let from = best.events.length - size; from >= 0; from -= size) {
      const events = best.events.toSpliced(from, size);
      if (events.length > 0) await attempt({ ...best, events });
    }
  }
  for (const name of namesOf(best)) await attempt(withoutTask(best, name));
  for (const simpler of simplerOnes(best)) await attempt({ ...best, ...simpler });
  return best;
}

function namesOf({ events }: Scenario): readonly string[] {
  const tasks = events.flatMap(([, action]) => ('tasks' in action ? (action.tasks ?? []) : []));
  return [...new Set(tasks.map(({ name }) => name))];
}

function withoutTask(scenario: Scenario, name: string): Scenario {
  const without = (tasks: readonly TaskPlan[]): readonly TaskPlan[] =>
    tasks.filter((task) => task.name !== name);
  const events = scenario.events.map(([at, action]): readonly [number, Action] =>
    'tasks' in action && action.tasks !== undefined
      ? [at, { ...action, tasks: without(action.tasks) }]
      : [at, action],
  );
  return { ...scenario, events };
}

function simplerOnes({ callbacks, disk }: Scenario): readonly Partial<Scenario>[] {
  const calmer = (name: keyof CallbackMix): Partial<Scenario> => ({ callbacks: { ...callbacks, [name]: 0 } });
  return [
    { workers: 0 },
    { timeZone: 'UTC' },
    { disk: { ...disk, refusedPerMille: 0, unansweredPerMille: 0 } },
    { disk: { ...disk, latencyMs: 1 } },
    ...(['burn', 'stop', 'hang', 'overrun', 'throwAtOnce', 'failLater', 'succeedLater'] as const).map(calmer),
  ];
}
