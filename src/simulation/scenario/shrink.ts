/**
 * Makes a short scenario of a long one that fails, such that it still fails in the same way. It takes out chunks of events, large
 * ones first, then tasks, and then makes simpler what callbacks and the disk do. Something may become unnecessary only when
 * something else is gone (a crash, once the start after it is out), so it begins again until nothing changes. Everything inside a
 * world is drawn by name and number, so what is left behaves as it did before.
 */

import type { Action, CallbackMix, Scenario, TaskPlan } from './scenario.ts';

/** How many worlds it tries at most. */
const TRIES_MAX = 400;

/** Cuts a scenario down as long as `isKept` holds; resolves to the smallest one found. */
export async function cutDown(
  scenario: Scenario,
  isKept: (smaller: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  let best = scenario;
  // A world is the same each time it is played, so no scenario is tried twice.
  const tried = new Set([JSON.stringify(scenario)]);
  const attempt = async (smaller: Scenario): Promise<void> => {
    const text = JSON.stringify(smaller);
    if (tried.has(text) || tried.size > TRIES_MAX) return;
    tried.add(text);
    if (await isKept(smaller)) best = smaller;
  };
  for (let before: Scenario | undefined; before !== best; ) {
    before = best;
    for (let size = best.events.length >> 1; size >= 1; size >>= 1) {
      for (let from = best.events.length - size; from >= 0; from -= size) {
        const events = best.events.toSpliced(from, size);
        if (events.length > 0) await attempt({ ...best, events });
      }
    }
    for (const name of namesOf(best)) await attempt(withoutTask(best, name));
    for (const simpler of SIMPLER) await attempt({ ...best, ...simpler(best) });
  }
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

const calmer =
  (name: keyof CallbackMix) =>
  ({ callbacks }: Scenario): Partial<Scenario> => ({ callbacks: { ...callbacks, [name]: 0 } });

/** Each begins from what is left by then, so that none undoes what another has done. */
const SIMPLER: readonly ((scenario: Scenario) => Partial<Scenario>)[] = [
  () => ({ workers: 0 }),
  () => ({ timeZone: 'UTC' }),
  ({ disk }) => ({ disk: { ...disk, refusedPerMille: 0, unansweredPerMille: 0 } }),
  ({ disk }) => ({ disk: { ...disk, latencyMs: 1 } }),
  ...(['burn', 'stop', 'hang', 'overrun', 'throwAtOnce', 'failLater', 'succeedLater'] as const).map(calmer),
];
