/**
 * Adds to a drawn scenario what chance would bring too rarely. Each kind is in some of the seeds, and is drawn by a label of its
 * own, so that the rest of the scenario stays as it was.
 */
import { SIZES } from '../../scheduler/index.ts';
import { drawCron } from './cron.ts';
import { type TimedAction as Event, merged, moments, tasksAt } from './moments.ts';
import { policies } from './policies.ts';
import type { Random } from './random.ts';
import { reloads, requests } from './requests.ts';
import type { Action, Scenario, TaskPlan } from './scenario.ts';

type Parts = Partial<Scenario>;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const BACK_MS = [61_000, 600_000, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS, 30 * HOUR_MS];
/** How far a cursor may lie ahead of a clock that was set back: the limits of B5, and one millisecond off. */
const EDGES_MS = [59_999, 60_000, 60_000, 60_001, 3 * HOUR_MS, 3 * HOUR_MS, 3 * HOUR_MS + 1];

/** What may be added, and in how many of a hundred worlds. */
const MORE: readonly (readonly [share: number, label: string, add: (s: Scenario, c: Random) => Parts])[] = [
  [20, 'sizes', smallSizes],
  [55, 'listener', (_, chance) => ({ listener: chance.percent(65) ? 'none' : 'throws' })],
  [15, 'crons', otherCrons],
  [14, 'steps', manySteps],
  [10, 'edges', exactSteps],
  [8, 'drift', smallSteps],
  [10, 'minutes', minutesUnderInitialize],
  [10, 'stops', stopsThatFail],
  [8, 'lock', rivalsForTheLock],
  [6, 'stalls', longStalls],
  [1, 'failures', failuresForHours],
  [30, 'policies', policies],
  [5, 'grants', startsNotGranted],
  [25, 'requests', requests],
  [10, 'reloads', reloads],
];

export function drawMore(scenario: Scenario, random: Random): Scenario {
  let more = scenario;
  for (const [share, label, add] of MORE) {
    const chance = random.fork(`more ${label}`);
    if (chance.percent(share)) more = { ...more, ...add(more, chance) };
  }
  return { ...more, finalWriteMs: Math.max(more.finalWriteMs, lastWriteMs(more)) };
}

/** Never so short that a healthy disk could not make the last write, in as many batches as it takes. */
function lastWriteMs({ disk, sizes, events }: Scenario): number {
  const most = Math.max(0, ...events.map(([, action]) => ('tasks' in action && action.tasks?.length) || 0));
  const batches = sizes === undefined ? 1 : Math.ceil(most / sizes.batch) + 1;
  return 5 * disk.latencyMs * batches + 50;
}

/**
 * Small sizes, to see with few tasks what would otherwise take thousands. Either small batches, with many runs that end when
 * `stop` aborts their signals; or slices of one call, with callbacks that hold the event loop and stops that come meanwhile.
 */
function smallSizes({ start, callbacks, disk, events }: Scenario, chance: Random): Parts {
  const readSlice = chance.between(1, 3);
  const stops = (at: number): readonly Event[] => [
    [at, { kind: 'stop' }],
    [at + chance.spread(1000, 20_000), { kind: 'start', tasks: tasksAt(events, at) }],
  ];
  if (chance.percent(50)) {
    const sizes = { ...SIZES, readSlice, batch: chance.pick([1, 1, 2, 3]) };
    const latencyMs = chance.pick([disk.latencyMs, 50, 200]);
    return {
      sizes,
      disk: { ...disk, latencyMs },
      callbacks: { ...callbacks, hang: Math.max(callbacks.hang, 6) },
      events: merged(events, moments(events, chance, 3).flatMap(stops)),
    };
  }
  const sizes = { ...SIZES, readSlice, callSliceMs: 1, callsBetweenLooks: chance.between(1, 2) };
  // Right after a minute begins, unless the clock is set.
  const begins = Date.parse(start) % 60_000;
  const busy = moments(events, chance, 4).map(
    (at) => at - (at % 60_000) - begins + 60_000 + chance.spread(1, 2000),
  );
  return {
    sizes,
    callbacks: { ...callbacks, burn: Math.max(callbacks.burn, chance.between(5, 15)) },
    events: merged(events, busy.flatMap(stops)),
  };
}

/** Other expressions for some of the tasks, due near the beginning of the world, on any day of the week. */
function otherCrons({ start, events }: Scenario, chance: Random): Parts {
  const begins = new Date(Date.parse(start) - chance.below(7) * DAY_MS);
  const instead = ({ name, cron, retryDelayMs }: TaskPlan): TaskPlan => {
    const own = chance.fork(`${name} ${cron}`);
    return { name, cron: own.percent(70) ? drawCron(own, begins) : cron, retryDelayMs };
  };
  const changed = events.map(([after, action]): Event => {
    if (!('tasks' in action) || action.tasks === undefined) return [after, action];
    return [after, { ...action, tasks: action.tasks.map(instead) }];
  });
  return { start: begins.toISOString(), events: changed };
}

/** The clock is set several times during a run, mostly back. */
function manySteps({ callbacks, events }: Scenario, chance: Random): Parts {
  const added = moments(events, chance, 4).flatMap((from) => {
    let at = from;
    return Array.from({ length: chance.between(2, 4) }, (): Event => {
      at += chance.spread(1, 20_000);
      return [at, { kind: 'step', byMs: chance.pick(BACK_MS) * (chance.percent(80) ? -1 : 1) }];
    });
  });
  const overrun = Math.max(callbacks.overrun, chance.between(2, 8));
  return { callbacks: { ...callbacks, overrun }, events: merged(events, added) };
}

function exactSteps({ events }: Scenario, chance: Random): Parts {
  const added = moments(events, chance, 6).map((at): Event => {
    const action: Action = chance.percent(70)
      ? { kind: 'step', byMs: -60_000, landing: 'before a cursor', offsetMs: -chance.pick(EDGES_MS) }
      : {
          kind: 'step',
          byMs: chance.pick([-HOUR_MS, -60_000, 0, HOUR_MS]),
          landing: 'at a minute',
          offsetMs: chance.between(-1, 1),
        };
    return [at, action];
  });
  return { events: merged(events, added) };
}

/** Steps of about the size that may be taken for drift. */
function smallSteps({ events }: Scenario, chance: Random): Parts {
  const sizes = [999, 1000, 1001, 1500];
  const added = moments(events, chance, 4).map((at): Event => {
    return [at, { kind: 'step', byMs: chance.pick(sizes) * (chance.percent(30) ? -1 : 1) }];
  });
  return { events: merged(events, added) };
}

/** New names come right before a minute begins, on a slow store that may refuse meanwhile. */
function minutesUnderInitialize({ disk, events }: Scenario, chance: Random): Parts {
  const latencyMs = Math.max(disk.latencyMs, chance.pick([20, 200]));
  const added = moments(events, chance, 4).flatMap((at, index): readonly Event[] => {
    // When the minute begins, initialize is at work. Then the cursors of the new names move, and that is written, too.
    const within = (low: number, high: number): number =>
      Math.round((latencyMs * chance.between(low, high)) / 100);
    const offsetMs = -within(30, 150);
    const tasks = [...tasksAt(events, at), { name: `new${index}`, cron: '* * * * *', retryDelayMs: 1000 }];
    const about: Event[] = [
      [at, { kind: 'step', byMs: 0, landing: 'at a minute', offsetMs }],
      [at, { kind: 'crash', downMs: 0, tasks }],
    ];
    if (chance.percent(60)) {
      const ms = within(20, 150);
      about.push([at + within(60, 250), { kind: 'trouble', trouble: 'refuses', ms }]);
    }
    if (chance.percent(20)) about.push([at + 1, { kind: 'stop' }]);
    if (chance.percent(50)) about.push([at + within(60, 250), { kind: 'step', byMs: 60_000 }]);
    return about;
  });
  return { disk: { ...disk, latencyMs }, finalWriteMs: 10_000, events: merged(events, added) };
}

/** A stop whose last write fails. Then the same object gets another list, and the store may not be readable at first. */
function stopsThatFail({ callbacks, disk, events }: Scenario, chance: Random): Parts {
  const finalWriteMs = 5 * disk.latencyMs + 50;
  const added = moments(events, chance, 3).flatMap((at): readonly Event[] => {
    const trouble = chance.pick(['refuses', 'stalls', 'takes and denies'] as const);
    const ms = 20_000 + 3 * finalWriteMs + chance.spread(1, 5000);
    const tasks = tasksAt(events, at).filter(() => chance.percent(70));
    const next = at + ms + chance.spread(1, 1000);
    const about: Event[] = [
      [at, { kind: 'trouble', trouble, ms }],
      [at + chance.spread(1, 100), { kind: 'stop' }],
    ];
    if (chance.percent(70)) {
      about.push([next, { kind: 'trouble', trouble: chance.pick(['unreadable', 'refuses']), ms: 500 }]);
    }
    return [...about, [next, { kind: 'start', tasks }]];
  });
  const busy = { hang: Math.max(callbacks.hang, 3), overrun: Math.max(callbacks.overrun, 5) };
  return { finalWriteMs, callbacks: { ...callbacks, ...busy }, events: merged(events, added) };
}

/** The store does not answer for longer than the scheduler is patient, and no process dies meanwhile. */
function longStalls({ events }: Scenario, chance: Random): Parts {
  const stalls = moments(events, chance, 3).map((at) => ({ at, ms: chance.spread(4900, 30_000) }));
  const survives = ([after, { kind }]: Event): boolean =>
    !kind.startsWith('crash') ||
    !stalls.some(({ at, ms }) => at - 60_000 < after && after < at + ms + 60_000);
  const added = stalls.map(({ at, ms }): Event => [at, { kind: 'trouble', trouble: 'stalls', ms }]);
  return { events: merged(events.filter(survives), added) };
}

/** Somebody else has the store for a while, and the scheduler that waits for it may be stopped. */
function rivalsForTheLock({ events }: Scenario, chance: Random): Parts {
  const added = events.flatMap(([at, { kind }]): readonly Event[] => {
    if ((kind !== 'crash' && kind !== 'stop') || chance.percent(60)) return [];
    const rival: Event = [at, { kind: 'rival', ms: chance.spread(100, 20_000) }];
    return chance.percent(50) ? [rival] : [rival, [at + chance.spread(50, 8000), { kind: 'stop' }]];
  });
  return { lockWaitMs: chance.pick([0, 1500, 3000, 30_000]), events: merged(events, added) };
}

/** The store refuses some starts and some ends, of tasks that come due again soon. */
function startsNotGranted({ disk, events }: Scenario): Parts {
  const everyMinute = (tasks: readonly TaskPlan[]): readonly TaskPlan[] =>
    tasks.map(({ name, retryDelayMs }) => ({ name, cron: '* * * * *', retryDelayMs }));
  const changed = events.map(([at, action]): Event => {
    if (!('tasks' in action) || action.tasks === undefined) return [at, action];
    return [at, { ...action, tasks: everyMinute(action.tasks) }];
  });
  return { disk: { ...disk, ungrantedPerMille: 200 }, events: changed };
}

/** Tasks fail every minute, with a retry hours away: deadlines that are overtaken pile up. */
function failuresForHours({ callbacks, disk }: Scenario, chance: Random): Parts {
  const tasks = [
    { name: 't0', cron: '* * * * *', retryDelayMs: 2 * HOUR_MS },
    { name: 't1', cron: '* * * * *', retryDelayMs: 3 * HOUR_MS },
    // The retry of this one is not overtaken.
    { name: 't2', cron: '0 * * * *', retryDelayMs: 600_000 },
  ];
  const lasts = chance.between(2, 3) * HOUR_MS;
  return {
    workers: 0,
    disk: { ...disk, latencyMs: 5, refusedPerMille: 0, unansweredPerMille: 0 },
    callbacks: { ...callbacks, succeedAtOnce: 1, throwAtOnce: 30, hang: 0, burn: 0, stop: 0, overrun: 0 },
    events: [
      [0, { kind: 'start', tasks }],
      [lasts, { kind: 'step', byMs: 1 }],
      [lasts + 1000, { kind: 'start', tasks }],
    ],
  };
}
