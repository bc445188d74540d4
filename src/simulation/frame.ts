/** What every world is played in: to its end, twice, and again while its scenario is cut down. */
import type { Violation, Violations } from './judges/violations.ts';
import type { Timeline } from './machine/timeline.ts';

/** Far more events than any world needs, unless it is stuck. */
const EVENTS_MAX = 1_000_000;

interface Report {
  readonly violations: readonly Violation[];
  /** Its traces: the same for the same scenario, byte for byte. */
  readonly text: string;
}

interface Playable<Played extends Report> {
  run(): Promise<Played>;
}

/** Plays a world twice. If the traces differ, something other than the scenario decides, which is a violation. */
export async function playTwice<Played extends Report>(world: Playable<Played>): Promise<Played> {
  const first = await world.run();
  const second = await world.run();
  if (first.text === second.text) return first;
  const lines = second.text.split('\n');
  const differs = first.text.split('\n').findIndex((line, index) => line !== lines[index]);
  const because = `line ${differs + 1} of the trace is not the same in the second run: ${lines[differs]}`;
  return { ...first, violations: [...first.violations, { rule: 'determinism', at: 0, because }] };
}

/** Whether a world breaks a rule. */
export async function breaks(world: Playable<Report>, rule: string): Promise<boolean> {
  const { violations } = await world.run();
  return violations.some((violation) => violation.rule === rule);
}

/** A world that has gone wrong need not go on for long, and one that never comes to rest has gone wrong. */
export function isHopeless(timeline: Timeline, violations: Violations, violationsMax: number): boolean {
  const isStuck = timeline.steps > EVENTS_MAX;
  if (isStuck) violations.blame('A7', `after ${EVENTS_MAX} events the world has not come to its end`);
  return isStuck || violations.all.length >= violationsMax;
}
