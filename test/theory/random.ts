/** Random formulas that a monitor accepts, and random traces, from one seed. */

import type { MinuteMatcher } from '../../src/theory/calendar/minute-matcher.ts';
import type { Schedule } from '../../src/theory/calendar/valid-list.ts';
import {
  Crash,
  Due,
  DueSkipped,
  DueThen,
  IE,
  IEf,
  IEsIn,
  IEsOut,
  IS,
  Live,
  Passed,
  Pause,
  RE,
  REf,
  REs,
  Requested,
  Reset,
  Resume,
  RetryDue,
  Rightful,
  RS,
  SE,
  SS,
} from '../../src/theory/logic/atoms.ts';
import {
  AtMostOne,
  and,
  Fcomp,
  type Formula,
  G,
  Hold,
  HoldPlus,
  implies,
  not,
  or,
  S,
  someList,
  True,
  W,
  X,
  Y,
} from '../../src/theory/logic/formula.ts';
import {
  Active,
  ActiveR,
  BootDue,
  BootDuePending,
  DuePending,
  Entitled,
  FirstComing,
  Obligation,
  ObligationR,
  Orphaned,
  Paused,
  Pending,
  Registered,
  RegisteredRx,
  Running,
  Served,
  TooOld,
  Unserved,
} from '../../src/theory/logic/macros.ts';
import type { Position } from './reference/position.ts';

/** Once, and historically: the theory has no use for them. */
const O = (of: Formula): Formula => S(True, of);
const H = (of: Formula): Formula => not(O(not(of)));

export type Random = () => number;

/** Mulberry32: small, and the same everywhere. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const below = (random: Random, count: number): number => Math.floor(random() * count);
export const pick = <T>(random: Random, from: readonly T[]): T => from[below(random, from.length)];

const plain = [
  RS,
  REs,
  REf,
  RE,
  RetryDue,
  DueThen,
  Crash,
  SS,
  SE,
  IS,
  IE,
  IEsIn,
  IEsOut,
  IEf,
  Live,
  Requested,
  Pause,
  Resume,
  Passed,
  DueSkipped,
  Rightful,
  Reset,
];
const closed = [Registered, FirstComing, Active, Running, Orphaned, Paused, Entitled];

/** A formula of the past that does not ask for a current `Due`. */
function timeless(random: Random, depth: number): Formula {
  if (depth === 0) return random() < 0.7 ? pick(random, plain) : pick(random, closed);
  const a = (): Formula => timeless(random, depth - 1);
  switch (below(random, 10)) {
    case 0:
      return not(a());
    case 1:
      return and(a(), a());
    case 2:
      return or(a(), a());
    case 3:
      return Y(a());
    case 4:
      return S(a(), a());
    case 5:
      return O(a());
    case 6:
      return H(a());
    case 7:
      return Hold(a(), a());
    case 8:
      return HoldPlus(a(), a());
    default:
      return a();
  }
}

/** What may be asked of the current `Due`: the shapes that can be rebuilt when the schedule changes. */
function dueful(random: Random): Formula {
  return pick(random, [
    Due,
    BootDue,
    S(not(Served), Due),
    Hold(Due, Served),
    HoldPlus(Due, Served),
    HoldPlus(BootDue, Served),
    Unserved,
    TooOld,
    DuePending,
    BootDuePending,
    Pending,
    Obligation,
  ]);
}

/** Any formula of the past. */
function past(random: Random, depth: number): Formula {
  if (depth === 0 || random() < 0.25) return random() < 0.4 ? dueful(random) : timeless(random, 1);
  const a = (): Formula => past(random, depth - 1);
  switch (below(random, 5)) {
    case 0:
      return not(a());
    case 1:
      return and(a(), a());
    case 2:
      return or(a(), a());
    case 3:
      return Y(a());
    default:
      return timeless(random, depth);
  }
}

const everyList = (of: Formula): Formula => not(someList(not(of)));

/** An axiom: what a monitor is given. */
export function axiom(random: Random): Formula {
  const a = (): Formula => past(random, 2);
  switch (below(random, 7)) {
    case 0:
      return G(implies(a(), W(a(), a())));
    case 1:
      return G(implies(a(), X(W(a(), a()))));
    case 2:
      return AtMostOne(timeless(random, 1), timeless(random, 1));
    case 3:
      return G(implies(timeless(random, 2), Fcomp(timeless(random, 2))));
    case 4:
      return G(
        everyList(
          implies(
            pick(random, [ObligationR, and(timeless(random, 1), RegisteredRx, ActiveR)]),
            Fcomp(or(timeless(random, 1), not(ActiveR))),
          ),
        ),
      );
    default:
      return G(past(random, 3));
  }
}

export const MINUTE_MS = 60_000;
export const names = ['x', 'y', 'z'] as const;
/** A zone, every how many minutes, and what the policy says. */
const schedules = [
  'Z\n1',
  'Z\n2',
  'Z\n3',
  'Z\n5',
  'Z\n2\n{"startWithinMs":20000}',
  'Z\n3\n{"startWithinMs":20000}',
] as const;
const TOO_OLD_MS = 20_001;

/** Due in every minute whose number can be divided by the schedule's. */
export const divides = (schedule: string, minute: number): boolean =>
  minute % Number(schedule.split('\n')[1]) === 0;

function divisionMatcher(schedule: string): MinuteMatcher {
  const isDue = (at: number): boolean => at % MINUTE_MS === 0 && divides(schedule, at / MINUTE_MS);
  const minuteStart = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;
  const nextMinute = (at: number): number => minuteStart(at) + MINUTE_MS;
  return {
    next(after) {
      let at = nextMinute(after);
      while (!isDue(at)) at += MINUTE_MS;
      return at;
    },
    previous(at, floor) {
      let minute = minuteStart(at);
      while (minute > floor && !isDue(minute)) minute -= MINUTE_MS;
      return minute > floor ? minute : Number.NEGATIVE_INFINITY;
    },
  };
}

/** A schedule of this test as the oracle keeps it. */
export function divisionSchedule(key: string): Schedule {
  const [, , rules = '{}'] = key.split('\n', 3);
  return { key, cron: key, rules: JSON.parse(rules), matcher: divisionMatcher(key) };
}

/** A pulse for every minute up to an instant, and one for each schedule whose last due becomes too old. */
function pulses(positions: Position[], from: number, to: number): void {
  for (let at = Math.floor(from / MINUTE_MS) * MINUTE_MS; at <= to; at += MINUTE_MS) {
    const due = schedules.filter((schedule) => divides(schedule, at / MINUTE_MS));
    if (at > from) positions.push({ event: 'Minute', at, due: new Set(due) });
    const stale = at + TOO_OLD_MS;
    if (stale <= from || stale > to) continue;
    for (const schedule of due.filter((each) => each.includes('startWithinMs')))
      positions.push({ event: 'Stale', at: stale, schedule });
  }
}

function initialization(random: Random, at: number): Position {
  const registrations = names
    .filter(() => random() < 0.7)
    .map((name) => ({ name, schedule: pick(random, schedules), reset: random() < 0.15 }));
  return { event: 'IEs', at, registrations, list: JSON.stringify(registrations), live: random() < 0.85 };
}

type TaskEvent = 'RS' | 'REs' | 'REf' | 'RetryDue' | 'Requested' | 'Pause';

const ofTask = (random: Random, event: TaskEvent, at: number, task: string): Position =>
  (event === 'REs' || event === 'REf') && random() < 0.3
    ? { event, at, task, serves: true }
    : { event, at, task };

/** A trace that need not make sense: the evaluators must agree on nonsense too. */
export function trace(random: Random, length: number): Position[] {
  const start = below(random, 7) * MINUTE_MS + below(random, 3) * 1000;
  const positions: Position[] = [];
  pulses(positions, Math.floor(start / MINUTE_MS) * MINUTE_MS - 1, start);
  let at = start;
  let last: Position | undefined;
  for (let i = 0; i < length; i++) {
    const before = at;
    at += pick(random, [0, 0, 1, 1000, 1000, 30_000, 70_000]);
    pulses(positions, before, at);
    const roll = random();
    if (roll < 0.25) {
      positions.push({ event: 'IS', at });
      // The same list again is a case of its own.
      const next: Position =
        last !== undefined && random() < 0.3 ? { ...last, at } : initialization(random, at);
      positions.push(next);
      last = next;
    } else if (roll < 0.7) {
      const event = pick(random, ['RS', 'RS', 'RS', 'REs', 'REf', 'RetryDue', 'Requested', 'Pause'] as const);
      const task = pick(random, names);
      const other = random();
      if (other < 0.1) positions.push({ event: 'Resume', at, task, catchUp: random() < 0.5 });
      else if (other < 0.2) positions.push({ event: 'DueSkipped', at, task, rightful: random() < 0.5 });
      else positions.push(ofTask(random, event, at, task));
    } else positions.push({ event: pick(random, ['Crash', 'SS', 'SE', 'IEf', 'other'] as const), at });
  }
  return positions;
}
