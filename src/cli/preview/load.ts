/** Where the load lies: the fullest that each minute of the day ever gets, the busiest minutes, and which tasks always meet. */
import { type Forecast, type Group, minuteOfDay } from './forecast.ts';

/** For each minute of the local day, the most tasks that start in it on any one day. */
export function peaksOf({ zone, groups }: Forecast): Uint32Array {
  const peaks = new Uint32Array(1440);
  for (const [instant, meeting] of meetings(groups)) {
    const minute = minuteOfDay(zone, instant);
    peaks[minute] = Math.max(peaks[minute], sizeOf(meeting));
  }
  return peaks;
}

/** Some minutes of the day in which the same tasks meet: all of them on one day, perhaps, and only some on another. */
export interface Meeting {
  /** The tasks that start in one of these minutes together with another. */
  readonly tasks: readonly string[];
  /** How many start together, on the quietest of those days and on the fullest. */
  readonly fewest: number;
  readonly most: number;
  /** How often in the days looked at, and when first. */
  readonly times: number;
  readonly first: number;
  /** The minutes of the local day in which it happens, in order. */
  readonly minutes: readonly number[];
}

/** Where several tasks start in one minute: the fullest first, minutes in which the same tasks meet together in one entry. */
export function busiestOf({ zone, groups }: Forecast, limit: number): Meeting[] {
  const numbers = new Map(groups.map((group, index) => [group, index]));
  const byMinute = new Map<number, Map<string, Crowd>>();
  for (const [instant, meeting] of meetings(groups)) {
    if (sizeOf(meeting) < 2) continue;
    const key = meeting.map((group) => numbers.get(group)).join();
    const crowds = byMinute.get(minuteOfDay(zone, instant)) ?? new Map<string, Crowd>();
    byMinute.set(minuteOfDay(zone, instant), crowds);
    const crowd = crowds.get(key);
    if (crowd === undefined) crowds.set(key, { meeting, instants: [instant] });
    else crowd.instants.push(instant);
  }
  const alike = Map.groupBy(byMinute, ([, crowds]) => [...crowds.keys()].sort().join(' '));
  return [...alike.values()]
    .map((minutes) => meetingOf(groups, minutes))
    .sort((a, b) => b.most - a.most || b.times - a.times || a.minutes[0] - b.minutes[0])
    .slice(0, limit);
}

/** Tasks that met, and when. */
interface Crowd {
  readonly meeting: readonly Group[];
  readonly instants: number[];
}

function meetingOf(
  groups: readonly Group[],
  minutes: ReadonlyArray<readonly [minute: number, crowds: ReadonlyMap<string, Crowd>]>,
): Meeting {
  const crowds = minutes.flatMap(([, each]) => [...each.values()]);
  const present = new Set(crowds.flatMap(({ meeting }) => meeting));
  const sizes = crowds.map(({ meeting }) => sizeOf(meeting));
  return {
    tasks: groups.filter((group) => present.has(group)).flatMap(({ tasks }) => tasks),
    fewest: Math.min(...sizes),
    most: Math.max(...sizes),
    times: crowds.reduce((sum, { instants }) => sum + instants.length, 0),
    first: Math.min(...crowds.map(({ instants: [first] }) => first)),
    minutes: minutes.map(([minute]) => minute).sort((a, b) => a - b),
  };
}

const sizeOf = (meeting: readonly Group[]): number =>
  meeting.reduce((sum, { tasks }) => sum + tasks.length, 0);

/** Every instant at which something starts, with all that does. */
function meetings(groups: readonly Group[]): Map<number, Group[]> {
  const found = new Map<number, Group[]>();
  for (const group of groups) {
    for (const due of group.dues) {
      const meeting = found.get(due);
      if (meeting === undefined) found.set(due, [group]);
      else meeting.push(group);
    }
  }
  return found;
}

export interface Collision {
  readonly kind: 'always together' | 'never alone';
  readonly tasks: readonly string[];
  /** For `never alone`: those with which the tasks always start. */
  readonly beside: readonly string[];
  readonly starts: number;
}

/** Tasks that start in the same minutes, all of them; and tasks none of whose starts is without one of another's. */
export function collisionsOf({ groups, days }: Forecast): Collision[] {
  const merged = mergeEqual(groups.filter(({ dues }) => dues.length > 0));
  const together = merged
    .filter(({ tasks }) => tasks.length > 1)
    .map(
      ({ tasks, dues }): Collision => ({ kind: 'always together', tasks, beside: [], starts: dues.length }),
    );
  // A task of every minute meets all others, which says nothing; and one start in all those days is no "always".
  const everyMinute = days * 1440 * 0.95;
  const hosts = merged
    .filter(({ dues }) => dues.length < everyMinute)
    .map((group) => ({ ...group, set: new Set(group.dues) }));
  const alone = merged
    .filter(({ dues }) => dues.length > 1)
    .flatMap(({ tasks, dues }): Collision[] => {
      const beside = hosts
        .filter((host) => host.dues.length > dues.length && dues.every((due) => host.set.has(due)))
        .flatMap((host) => host.tasks);
      return beside.length === 0 ? [] : [{ kind: 'never alone', tasks, beside, starts: dues.length }];
    });
  return [...together, ...alone];
}

interface Merged {
  readonly tasks: readonly string[];
  readonly dues: readonly number[];
}

/** Different expressions may be due in the same minutes. */
function mergeEqual(groups: readonly Group[]): Merged[] {
  const merged: Merged[] = [];
  const byShape = new Map<string, number[]>();
  for (const { tasks, dues } of groups) {
    const shape = `${dues.length}:${dues[0]}:${dues.at(-1)}`;
    const alike = byShape.get(shape) ?? [];
    const twin = alike.find((index) => merged[index].dues.every((due, place) => due === dues[place]));
    if (twin === undefined) {
      byShape.set(shape, [...alike, merged.length]);
      merged.push({ tasks, dues });
    } else merged[twin] = { tasks: [...merged[twin].tasks, ...tasks], dues };
  }
  return merged;
}
