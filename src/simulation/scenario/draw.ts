/**
 * Draws a scenario from a seed. This is swarm testing: each seed also draws *which* faults there are, and how often. In a world
 * in which everything goes wrong at once, nothing goes on for long, and some bugs need just that.
 */

import { Random } from './random.ts';
import { drawMore } from './rare.ts';
import type {
  Action,
  CallbackMix,
  DiskMix,
  Flaw,
  NextLife,
  Scenario,
  TaskPlan,
  Trouble,
} from './scenario.ts';

const HOUR_MS = 3_600_000;

/** Zones, each with an instant at which its clocks change, and zones with an ordinary instant. */
const CHANGES: readonly (readonly [timeZone: string, at: string])[] = [
  ['Europe/Stockholm', '2026-03-29T01:00:00Z'],
  ['Europe/Stockholm', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['America/Santiago', '2026-09-06T04:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Africa/Casablanca', '2026-02-15T02:00:00Z'],
  ['Asia/Kathmandu', '1985-12-31T18:30:00Z'],
];
const CALM: readonly (readonly [timeZone: string, at: string])[] = [
  ['UTC', '2026-06-01T12:00:00Z'],
  ['UTC', '2027-12-31T23:00:00Z'],
  ['UTC', '2028-02-28T22:00:00Z'],
  ['Asia/Kolkata', '2026-07-14T18:20:00Z'],
  ['Europe/Stockholm', '2026-06-01T21:00:00Z'],
];

const OFTEN = [
  '* * * * *',
  '0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58 * * * *',
];
const SELDOM = [
  '0,5,10,15,20,25,30,35,40,45,50,55 * * * *',
  '0 * * * *',
  '30 * * * *',
  '0,30 1-3 * * *',
  '15 2 * * *',
  '30 2 * * *',
  '0 0 * * *',
  '59 23 * * *',
  '30-40 0-3 * * *',
  '0 12 1 6 *',
  '0-20 12 1,15 * 1',
  '45 1,2,3,4 29,25,8,1,4,3,6,30 * 0',
];
const DELAYS_MS = [0, 1, 500, 1000, 5000, 30_000, 60_000, 61_000, 300_000, HOUR_MS];
const STEPS_MS = [
  1,
  500,
  2000,
  30_000,
  59_000,
  61_000,
  600_000,
  HOUR_MS,
  3 * HOUR_MS,
  5 * HOUR_MS,
  30 * HOUR_MS,
];

/** A fault that is listed several times comes more often. */
const FAULTS = [
  'crash',
  'crash',
  'crash at call',
  'crash at call',
  'crash at call',
  'stop',
  'step',
  'freeze',
  'trouble',
  'start',
  'intrude',
  'change',
] as const;
type Fault = (typeof FAULTS)[number];

/** Draws everything that happens to a world from its seed. */
export function drawScenario(seed: number): Scenario {
  const random = new Random(seed);
  const chance = random.fork('scenario');
  const [timeZone, at] = chance.pick(chance.percent(60) ? CHANGES : CALM);
  const startAt = Date.parse(at) - chance.below(2 * HOUR_MS);
  const isCrowded = chance.percent(3);
  const names = Array.from(
    { length: isCrowded ? chance.between(40, 110) : chance.between(1, 6) },
    (_, index) => `t${index}`,
  );
  const pace = isCrowded ? 'dense' : chance.pick(['dense', 'steady', 'steady', 'sparse'] as const);
  const faults = FAULTS.filter((fault) => chance.percent(fault.startsWith('crash') ? 75 : 45));
  const draw = new Draw(chance, names, faults, pace);
  const disk = drawDisk(chance);
  const scenario: Scenario = {
    seed,
    start: new Date(startAt).toISOString(),
    timeZone,
    workers: chance.percent(70) ? 0 : chance.between(1, 3),
    // Never so short that a healthy disk could not write in time.
    finalWriteMs: chance.pick([10_000, 5 * disk.latencyMs + 50]),
    callbacks: drawCallbacks(chance),
    disk,
    events: draw.events(),
  };
  return drawMore(scenario, random);
}

function drawCallbacks(chance: Random): CallbackMix {
  const some = (percent: number, weight: number): number =>
    chance.percent(percent) ? chance.between(1, weight) : 0;
  return {
    succeedAtOnce: 10,
    succeedLater: some(70, 10),
    failLater: some(50, 8),
    throwAtOnce: some(40, 5),
    hang: some(25, 2),
    overrun: some(40, 4),
    burn: some(25, 3),
    stop: some(15, 1),
  };
}

function drawDisk(chance: Random): DiskMix {
  const isShaky = chance.percent(40);
  return {
    latencyMs: chance.pick([1, 5, 20, 200]),
    refusedPerMille: isShaky ? chance.pick([2, 20, 100]) : 0,
    unansweredPerMille: isShaky && chance.percent(60) ? chance.pick([2, 20, 100]) : 0,
  };
}

const PACES = {
  dense: [20, 3000, 90],
  steady: [2000, 120_000, 60],
  sparse: [60_000, 2_500_000, 24],
} as const;

/** Draws the events of one scenario, one after another. */
class Draw {
  readonly #chance: Random;
  readonly #names: readonly string[];
  readonly #faults: readonly Fault[];
  readonly #pace: keyof typeof PACES;
  #tasks: readonly TaskPlan[];

  constructor(chance: Random, names: readonly string[], faults: readonly Fault[], pace: keyof typeof PACES) {
    this.#chance = chance;
    this.#names = names;
    this.#faults = faults;
    this.#pace = pace;
    this.#tasks = names.map((name) => this.#task(name));
  }

  events(): Scenario['events'] {
    const [low, high, most] = PACES[this.#pace];
    const count = this.#chance.between(Math.ceil(most / 3), most);
    const events: (readonly [number, Action])[] = [[0, { kind: 'start', tasks: this.#tasks }]];
    let at = 0;
    for (let index = 0; index < count && this.#faults.length > 0; index++) {
      at += this.#chance.spread(low, high);
      const action = this.#action(this.#chance.pick(this.#faults));
      events.push([at, action]);
      // By chance alone, a stop would rarely come while the store is in trouble.
      if (action.kind === 'trouble' && this.#faults.includes('stop') && this.#chance.percent(40)) {
        at += this.#chance.spread(1, 2000);
        events.push([at, { kind: 'stop' }]);
      }
    }
    events.push([at + this.#chance.spread(low, high), { kind: 'start', tasks: this.#tasks }]);
    return events;
  }

  #action(fault: Fault): Action {
    const chance = this.#chance;
    switch (fault) {
      case 'crash':
        return { kind: 'crash', ...this.#nextLife() };
      case 'crash at call': {
        const when = chance.pick(['before', 'after'] as const);
        return { kind: 'crash at call', calls: chance.spread(1, 80) - 1, when, ...this.#nextLife() };
      }
      case 'step':
        return { kind: 'step', byMs: chance.pick(STEPS_MS) * (chance.percent(60) ? -1 : 1) };
      case 'freeze':
        return {
          kind: 'freeze',
          ms: chance.spread(10, HOUR_MS),
          how: chance.pick(['held', 'asleep'] as const),
        };
      case 'trouble': {
        const trouble = chance.pick<Trouble>(['refuses', 'stalls', 'takes and denies', 'unreadable']);
        return { kind: 'trouble', trouble, ms: chance.spread(100, 60_000) };
      }
      case 'start':
        return { kind: 'start', tasks: this.#tasks, ...this.#maybeFlaw() };
      case 'change':
        this.#change();
        return { kind: 'start', tasks: this.#tasks };
      default:
        return { kind: fault };
    }
  }

  #maybeFlaw(): { readonly flaw?: Flaw } {
    const flaws: Flaw[] = ['duplicate name', 'bad cron', 'negative delay', 'bad shape', 'empty name'];
    return this.#chance.percent(50) ? { flaw: this.#chance.pick(flaws) } : {};
  }

  #nextLife(): NextLife {
    const chance = this.#chance;
    const longestMs = { dense: 4000, steady: 90_000, sparse: 4 * HOUR_MS }[this.#pace];
    const downMs = chance.percent(60) ? chance.below(50) : chance.spread(50, longestMs);
    if (!this.#faults.includes('change') || chance.percent(60)) return { downMs };
    this.#change();
    const moved = chance.percent(15) ? { timeZone: chance.pick(CHANGES)[0] } : {};
    return { downMs, tasks: this.#tasks, ...moved };
  }

  /** Draws another list: tasks are removed, added, brought back, changed or reordered. */
  #change(): void {
    const chance = this.#chance;
    const tasks = this.#names
      .filter(() => chance.percent(80))
      .map((name) => {
        const known = this.#tasks.find((task) => task.name === name);
        return known === undefined || chance.percent(25) ? this.#task(name) : known;
      });
    if (chance.percent(30)) tasks.reverse();
    this.#tasks = tasks;
  }

  #task(name: string): TaskPlan {
    const chance = this.#chance;
    const cron = chance.pick(chance.percent(this.#pace === 'sparse' ? 10 : 50) ? OFTEN : SELDOM);
    return { name, cron, retryDelayMs: chance.pick(DELAYS_MS) };
  }
}
