/**
 * Holds the engine against the brute-force oracle around one clock change: for expressions whose minutes lie in the gap,
 * in the overlap, at their edges and all around, and for instants before, at and after the change.
 */
import { parseCron } from '../../src/cron/index.ts';
import { type Outcome, summed } from '../outcome.ts';
import {
  type CivilMinute,
  civilMinutes,
  naiveMatcher,
  offsetOf,
  transitions,
  wallClock,
} from './brute-force.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export interface TransitionReport {
  readonly comparisons: number;
  readonly differences: readonly string[];
}

const FROM = Date.UTC(1970, 0, 1);
const TO = Date.UTC(2038, 0, 1);

/** Every clock change of a zone. */
export function checkZone(timeZone: string): Outcome {
  const reports = transitions(timeZone, FROM, TO).map((change): Outcome => {
    const { comparisons, differences } = checkTransition(timeZone, change);
    return { figures: { 'clock changes': 1, comparisons }, violations: differences };
  });
  return summed(reports);
}

/** Compares `next` and `previous` of many expressions at many instants around a change. */
export function checkTransition(timeZone: string, transition: number): TransitionReport {
  const read = wallClock(timeZone);
  const before = offsetOf(read(transition - 1000), transition - 1000);
  const after = offsetOf(read(transition), transition);
  const reach = 27 * HOUR + Math.abs(after - before);
  const minutes = civilMinutes(timeZone, transition - reach, transition + reach);
  const instants = instantsAround(transition, Math.abs(after - before));
  let comparisons = 0;
  const differences: string[] = [];
  for (const expression of expressionsAround(transition, before, after)) {
    const matches = naiveMatcher(expression);
    const due = minutes.filter(matches);
    const cron = parseCron(expression, { timeZone });
    for (const instant of instants) {
      const expected = neighbours(due, instant);
      const next = cron.next(new Date(instant)).getTime();
      const previous = cron.previous(new Date(instant)).getTime();
      comparisons += 2;
      if (expected.next === undefined ? next < transition + reach : next !== expected.next) {
        differences.push(report('next', next, expected.next));
      }
      if (expected.previous === undefined ? previous >= transition - reach : previous !== expected.previous) {
        differences.push(report('previous', previous, expected.previous));
      }
      function report(what: string, got: number, wanted: number | undefined): string {
        const iso = (value: number): string => new Date(value).toISOString();
        const want = wanted === undefined ? 'none within a day' : iso(wanted);
        return `${timeZone} ${expression}: ${what}(${iso(instant)}) is ${iso(got)}, not ${want}`;
      }
    }
  }
  return { comparisons, differences };
}

/** The due minutes on either side of an instant, by looking at all of them. */
function neighbours(
  due: readonly CivilMinute[],
  instant: number,
): { next: number | undefined; previous: number | undefined } {
  let previous: number | undefined;
  for (const minute of due) {
    if (minute.instant > instant) return { next: minute.instant, previous };
    previous = minute.instant;
  }
  return { next: undefined, previous };
}

function instantsAround(transition: number, jump: number): readonly number[] {
  const distances = [
    0,
    1,
    999,
    MINUTE,
    MINUTE + 1,
    17 * MINUTE,
    jump / 2,
    jump,
    jump + MINUTE,
    5 * HOUR,
    13 * HOUR,
  ];
  return [...new Set(distances.flatMap((distance) => [transition - distance, transition + distance]))].map(
    Math.floor,
  );
}

/** Expressions that are touchy here: their minutes are given by what the clock shows before and after the change. */
function expressionsAround(transition: number, offsetBefore: number, offsetAfter: number): readonly string[] {
  const localBefore = transition + offsetBefore;
  const localAfter = transition + offsetAfter;
  const from = Math.min(localBefore, localAfter);
  const to = Math.max(localBefore, localAfter);
  const points = [from - MINUTE, from, (from + to) / 2, to - MINUTE, to, to + MINUTE].map(
    (local) => new Date(local),
  );
  const times = [...new Set(points.map((point) => `${point.getUTCMinutes()} ${point.getUTCHours()}`))];
  const first = points[1];
  const last = points[4];
  const [date, month] = [first.getUTCDate(), first.getUTCMonth() + 1];
  const otherWeekday = (last.getUTCDay() + 1) % 7;
  return [
    ...times.map((time) => `${time} * * *`),
    `${times[2] ?? times[0]} ${date} * ${otherWeekday}`,
    `${times[1] ?? times[0]} ${date} ${month} *`,
    `${times[0]} * * ${first.getUTCDay()}`,
    `0 0 ${last.getUTCDate()} ${last.getUTCMonth() + 1} ${otherWeekday}`,
    '* * * * *',
    '0,15,30,45 * * * *',
    '29,59 * * * *',
    `7-9 ${first.getUTCHours()},${last.getUTCHours()} 1-31 * 0-6`,
    '0 0 * * *',
  ];
}
