/** Makes a short scenario of a cluster out of a long one that fails, such that it still fails in the same way. */
import type { ClusterAction, ClusterScenario } from './scenario.ts';

const TRIES_MAX = 300;

export async function cutDownCluster(
  scenario: ClusterScenario,
  isKept: (smaller: ClusterScenario) => Promise<boolean>,
): Promise<ClusterScenario> {
  let best = scenario;
  const tried = new Set([JSON.stringify(scenario)]);
  const attempt = async (smaller: ClusterScenario): Promise<void> => {
    const text = JSON.stringify(smaller);
    if (tried.has(text) || tried.size > TRIES_MAX) return;
    tried.add(text);
    if (await isKept(smaller)) best = smaller;
  };
  for (let before: ClusterScenario | undefined; before !== best; ) {
    before = best;
    for (let size = best.events.length >> 1; size >= 1; size >>= 1)
      for (let from = best.events.length - size; from >= 0; from -= size)
        await attempt({ ...best, events: best.events.toSpliced(from, size) });
    for (const name of namesOf(best)) await attempt(withoutTask(best, name));
    for (const simpler of SIMPLER) await attempt({ ...best, ...simpler(best) });
  }
  return best;
}

const SIMPLER: readonly ((scenario: ClusterScenario) => Partial<ClusterScenario>)[] = [
  ({ skewsMs }) => ({ skewsMs: skewsMs.map(() => 0) }),
  () => ({ lostPerMille: 0 }),
  () => ({ latencyMs: 0 }),
  () => ({ failing: 0 }),
  () => ({ long: 0 }),
  () => ({ heeding: 0 }),
  ({ events }) => ({ events: events.map(withoutPolicies) }),
];

const namesOf = ({ events }: ClusterScenario): readonly string[] => [
  ...new Set(
    events.flatMap(([, action]) => (action.kind === 'start' ? action.tasks : [])).map(({ name }) => name),
  ),
];

const withoutPolicies = ([
  at,
  action,
]: ClusterScenario['events'][number]): ClusterScenario['events'][number] =>
  action.kind === 'start'
    ? [at, { ...action, tasks: action.tasks.map(({ policy: _, ...task }) => task) }]
    : [at, action];

function withoutTask(scenario: ClusterScenario, name: string): ClusterScenario {
  const without = (action: ClusterAction): ClusterAction =>
    action.kind === 'start'
      ? { ...action, tasks: action.tasks.filter((task) => task.name !== name) }
      : action;
  return { ...scenario, events: scenario.events.map(([at, action]) => [at, without(action)] as const) };
}
