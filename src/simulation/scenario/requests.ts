/** What operators ask for and lists that are taken over (I), put between the other events of a scenario. */
import { merged, moments, type TimedAction, tasksAt } from './moments.ts';
import type { Random } from './random.ts';
import type { Action, Scenario, TaskPlan } from './scenario.ts';

type Ask = Extract<Action, { kind: 'ask' }>;

/** Requests come alone, in pairs that belong together, and several at once. */
export function requests({ callbacks, events, disk }: Scenario, chance: Random): Partial<Scenario> {
  if (disk.ungrantedPerMille !== undefined) return {};
  const added = moments(events, chance, 20).flatMap((at): readonly TimedAction[] => {
    const names = tasksAt(events, at).map(({ name }) => name);
    const task = names.length === 0 || chance.percent(3) ? 'nobody' : chance.pick(names);
    const ask = (control: Ask['control']): Ask =>
      control === 'resume'
        ? { kind: 'ask', control, task, catchUp: chance.percent(50) }
        : { kind: 'ask', control, task };
    const later = (): number => at + chance.spread(1, 300_000);
    if (chance.percent(40)) return [[at, ask(chance.pick(['run', 'run', 'cancel', 'resume']))]];
    const between: TimedAction[] = chance.percent(40) ? [[later(), ask('run')]] : [];
    return [[at, ask('pause')], ...between, [later(), ask('resume')]];
  });
  const busy = { hang: Math.max(callbacks.hang, 2), overrun: Math.max(callbacks.overrun, 3) };
  return { callbacks: { ...callbacks, ...busy }, events: merged(events, added) };
}

/**
 * An active scheduler takes over other lists (I5), while everything else goes on: tasks are left out, brought back and changed, also while
 * they run, and processes die meanwhile. A store that does not grant starts belongs to several schedulers, and is not played here.
 */
export function reloads({ callbacks, disk, events }: Scenario, chance: Random): Partial<Scenario> {
  if (disk.ungrantedPerMille !== undefined) return {};
  const all = events.flatMap(([, action]) => ('tasks' in action ? (action.tasks ?? []) : []));
  const variants = (name: string): readonly TaskPlan[] => all.filter((task) => task.name === name);
  const names = [...new Set(all.map(({ name }) => name))];
  const added = moments(events, chance, 8).map((at): TimedAction => {
    const listed = names.filter(() => chance.percent(75)).map((name) => chance.pick(variants(name)));
    return [at, { kind: 'start', tasks: listed }];
  });
  const busy = { hang: Math.max(callbacks.hang, 2), overrun: Math.max(callbacks.overrun, 4) };
  return { reload: true, callbacks: { ...callbacks, ...busy }, events: merged(events, added) };
}
