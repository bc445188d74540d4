/**
 * Random walks through the same moves, with nothing forgotten and time not shifted, on which four readings of the theory are
 * held against each other: the slice that the exploration keeps, that slice up to a shift of time, `Tasks` as the
 * monitor uses it, and the naive evaluator on the whole past.
 *
 * Each way remembers its past as positions. What a crash has shown to be otherwise (T10, T11) is already right in it: the past
 * of a shade that came true has the start that was not called, lacks the end that was lost, or has the list that was committed.
 */
import { bits } from '../../../src/theory/logic/atoms.ts';
import { compileTheory } from '../../../src/theory/logic/compiled.ts';
import type { Formula } from '../../../src/theory/logic/formula.ts';
import { Obligation } from '../../../src/theory/logic/macros.ts';
import { initialize } from '../../../src/theory/tasks/initializations.ts';
import { Tasks } from '../../../src/theory/tasks/tasks.ts';
import { noFindings } from '../agreement.ts';
import { pick, type Random, randomOf } from '../random.ts';
import { NaiveEvaluator } from '../reference/naive.ts';
import type { Position } from '../reference/position.ts';
import { broken } from './check.ts';
import { type Instance, MINUTE_MS, shipped } from './instance.ts';
import { type State, settledName, settledScene, shiftOf } from './state.ts';
import { isDue, says, type Way, Ways } from './way.ts';
import { World } from './world.ts';

/** The name of the slice in its own past. */
const X = 'x';

const events = ['RS', 'REs', 'REf', 'RetryDue', 'Crash', 'SS', 'SE', 'IS', 'IEf'] as const;

interface PastWay extends Way {
  readonly past?: readonly Position[];
}

/** Ways that remember. */
class Remembering extends Ways {
  readonly #crons: readonly string[];
  /** The expression that an initialization under way brings. */
  #entering: string | undefined;
  #isMinute = false;

  constructor(crons: readonly string[]) {
    super(Obligation);
    this.#crons = crons;
  }

  override minute(...args: Parameters<Ways['minute']>): Way {
    this.#isMinute = true;
    const after = super.minute(...args);
    this.#isMinute = false;
    return after;
  }

  override initialized(...args: Parameters<Ways['initialized']>): Way {
    this.#entering = args[2];
    return super.initialized(...args);
  }

  override step(way: PastWay, mask: number, now: number): PastWay {
    const past = way.past ?? this.#beginning(now);
    return { ...super.step(way, mask, now), past: [...past, this.#position(past, mask, now)] };
  }

  /** Derivation begins with the minute of the first record (T13). */
  #beginning(now: number): readonly Position[] {
    return this.#isMinute ? [] : [this.#minuteAt(Math.floor(now / MINUTE_MS) * MINUTE_MS)];
  }

  #minuteAt(at: number): Position {
    return { event: 'Minute', at, due: new Set(this.#crons.filter((cron) => isDue(this.matcher(cron), at))) };
  }

  #position(past: readonly Position[], mask: number, at: number): Position {
    if (this.#isMinute) return this.#minuteAt(at);
    if (mask & (bits.In | bits.Out)) {
      const last = past.findLast((position) => position.event === 'IEs');
      const list = mask & bits.Changed || last?.event !== 'IEs' ? `list ${past.length}` : last.list;
      const registrations = this.#entering === undefined ? [] : [{ name: X, schedule: this.#entering }];
      return { event: 'IEs', at, list, registrations, live: (mask & bits.Live) !== 0 };
    }
    const event = events.find((name) => mask & bits[name]);
    if (event === undefined) return { event: 'other', at };
    return event === 'RS' || event === 'REs' || event === 'REf' || event === 'RetryDue'
      ? { event, at, task: X }
      : { event, at };
  }
}

/** What `Tasks` says of the last position of a past. */
function byTasks(past: readonly Position[], obligation: Formula, ways: Ways): boolean {
  let isOwed = false;
  const automaton = compileTheory([{ kind: 'safety', when: obligation, broken: obligation }]);
  const tasks = new Tasks(automaton, {
    ...noFindings,
    broken(_mask, _edge, past) {
      isOwed ||= past === tasks.task(X).past;
    },
  });
  tasks.reader.begin(past[0]?.at ?? 0);
  tasks.task(X);
  for (const position of past) {
    isOwed = false;
    tell(tasks, position, ways);
    // Also where it saw nothing.
    tasks.slices.of(tasks.task(X).past);
  }
  return isOwed;
}

function tell(tasks: Tasks, position: Position, ways: Ways): void {
  const { at } = position;
  switch (position.event) {
    case 'RS':
    case 'REs':
    case 'REf':
    case 'RetryDue':
      if (position.event === 'RS') tasks.started(tasks.task(X), at);
      else tasks.own(tasks.task(X), bits[position.event], at);
      break;
    case 'Minute': {
      const due = [...tasks.groups].filter(({ schedule }) => position.due.has(schedule?.key ?? ''));
      tasks.due(due, at);
      break;
    }
    case 'IEs':
      initialize(
        tasks,
        {
          list: position.registrations.map(({ name, schedule: cron }) => ({
            name,
            schedule: { key: cron, cron, rules: {}, matcher: ways.matcher(cron) },
            retryDelayMs: 0,
          })),
          isLive: position.live,
          plannedAt: at,
        },
        at,
      );
      break;
    case 'other':
      tasks.everyone(0, at);
      break;
    default:
      tasks.everyone(bits[position.event], at);
  }
}

const settled = ({ scene, names }: State): State => {
  const shift = shiftOf(scene.now);
  const now = scene.now - shift;
  return {
    scene: settledScene(scene, shift),
    names: names.map((name) => settledName(name, shift, now)),
  };
};

interface Move {
  readonly label: string;
  readonly next: State;
}

/** Crashes, stops and failures are always possible, and would leave no room for anything else. */
function chosen(random: Random, moves: readonly Move[]): Move {
  const likely = moves.filter(({ label }) => !/CRASH|stop\(\)|does not answer|clock/.test(label));
  const clock = moves.filter(({ label }) => label.includes('clock'));
  const roll = random();
  if (roll < 0.7 && likely.length > 0) return pick(random, likely);
  return roll < 0.93 && clock.length > 0 ? clock[0] : pick(random, moves);
}

export interface Walked {
  readonly positions: number;
  readonly owed: number;
  readonly disagreement: string | undefined;
}

/** One walk of some steps; answers how many positions were compared, and the first disagreement. */
export function walk(instance: Instance, seed: number, steps: number): Walked {
  const random = randomOf(seed);
  const crons = [...new Set(instance.lists.flatMap((list) => list.map(([, cron]) => cron)))];
  const ways = new Remembering(crons);
  const world = new World(instance, shipped, ways);
  let state = world.initial();
  let positions = 0;
  let owed = 0;
  for (let step = 0; step < steps; step++) {
    const found: Move[] = [];
    world.moves(state, (label, next) => found.push({ label, next }));
    // The shifted state must offer the same moves.
    const shifted: string[] = [];
    world.moves(settled(state), (label) => shifted.push(label));
    const differs = found.findIndex(({ label }, i) => label !== shifted[i]);
    if (differs >= 0 || shifted.length !== found.length)
      return {
        positions,
        owed,
        disagreement: `step ${step}: shifted, ${found[differs]?.label} is not a move`,
      };
    state = chosen(random, found).next;
    const property = broken(world, state) ?? broken(world, settled(state));
    if (property !== undefined) return { positions, owed, disagreement: `step ${step}: ${property}` };
    for (const { real } of state.names) {
      const { past = [], says: said }: PastWay = real;
      if (past.length === 0) continue;
      const isOwed = (said & says.obligation) !== 0;
      positions++;
      if (isOwed) owed++;
      const naive = new NaiveEvaluator(past, { task: X }).at(Obligation, past.length - 1);
      const fast = byTasks(past, Obligation, ways);
      if (naive !== isOwed || fast !== isOwed)
        return {
          positions,
          owed,
          disagreement: `step ${step}: kept ${isOwed}, naive ${naive}, tasks ${fast}\n${JSON.stringify(past)}`,
        };
    }
  }
  return { positions, owed, disagreement: undefined };
}
