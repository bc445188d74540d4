/** Puts further events into a scenario. */
import type { Random } from './random.ts';
import type { Scenario, TaskPlan } from './scenario.ts';

/** An event of a scenario, and when it comes. */
export type TimedAction = Scenario['events'][number];

/** Some moments between the first event and the last. */
export function moments(events: Scenario['events'], chance: Random, most: number): readonly number[] {
  const last = events.at(-1)?.[0] ?? 0;
  return Array.from({ length: chance.between(1, most) }, () => chance.below(last + 1)).sort((a, b) => a - b);
}

/** The last list before a moment. */
export function tasksAt(events: Scenario['events'], at: number): readonly TaskPlan[] {
  const before = events.filter(([after]) => after <= at);
  const last = before.findLast(([, action]) => 'tasks' in action && action.tasks !== undefined)?.[1];
  return (last !== undefined && 'tasks' in last ? last.tasks : undefined) ?? [];
}

/** All events in order. At the same moment, added events come after the others; the last event stays the last. */
export function merged(events: Scenario['events'], added: readonly TimedAction[]): readonly TimedAction[] {
  const last = events.at(-1)?.[0] ?? 0;
  const all = [
    ...events.slice(0, -1),
    ...added.map(([at, action]): TimedAction => [Math.min(at, last), action]),
  ];
  return [...all.sort(([one], [other]) => one - other), ...events.slice(-1)];
}
