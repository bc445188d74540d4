/** What every world is played in: to its end, twice, and again while its scenario is cut down. */
import type { Violation, Violations } from './judges/violations.ts';
import type { Timeline } from './machine/timeline.ts';

/**
 * Far more events than any world needs, unless something in it asks again and again: at one instant, for each start, for each second, and to
 * begin with. A task that fails at once and is retried without a delay makes hundreds of starts in a second, and is right to do so (A7). So the
 * number of events alone says nothing: what counts is whether time passes, and whether anything starts.
 */
const EVENTS_AT_ONCE = 5000;
const EVENTS_PER_START = 50;
const EVENTS_PER_SECOND = 100;
const EVENTS_TO_BEGIN = 10_000;

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
export function isHopeless(
  progress: Progress,
  starts: number,
  violations: Violations,
  violationsMax: number,
): boolean {
  const because = whyStuck(progress, starts);
  if (because !== undefined) violations.blame('A7', because);
  return because !== undefined || violations.all.length >= violationsMax;
}

/** How far the time of a world has come. */
type Progress = Pick<Timeline, 'passed' | 'steps' | 'stepsNow'>;

function whyStuck({ passed, steps, stepsNow }: Progress, starts: number): string | undefined {
  if (stepsNow > EVENTS_AT_ONCE) return `after ${stepsNow} events at one instant no time has passed`;
  const seconds = passed / 1000;
  const needed = EVENTS_TO_BEGIN + EVENTS_PER_START * starts + EVENTS_PER_SECOND * seconds;
  if (steps <= needed) return undefined;
  return `${steps} events in ${Math.ceil(seconds)} s, with ${starts} starts: something is asked again and again`;
}
