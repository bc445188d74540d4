/**
 * Small traces for the errata, and what a theory says of them. A trace is written down once, as things happened, and read twice:
 * by the letter, in which tasks are tuples (`x|A`: the identifier, and the schedule), and by the repaired theory.
 *
 * Four marks say where the readings differ. A `stale` retry is of a failure that no longer counts: the letter has its pulse, the
 * repaired theory has not (T2). A `commit` is an initialization that became durable and was cut off: the letter does not see it
 * (T11). An `interrupted` failure is of a callback that a stop has aborted: the repaired theory reads a crash of that run (T19). A `pulse` is a minute that begins with an action: the repaired theory gives it a position of its own (T13).
 */
import { axioms as repaired } from '../../../src/theory/axioms/index.ts';
import type { Formula } from '../../../src/theory/logic/formula.ts';
import { axiomOf } from '../reference/axiom-of.ts';
import * as literal from '../reference/literal.ts';
import { NaiveEvaluator } from '../reference/naive.ts';
import type { Position } from '../reference/position.ts';

const Q3 = axiomOf('Q3');

/** The instant of a time of day, `12:00` or `12:00:01`. */
export function at(time: string): number {
  const [hours, minutes, seconds = 0] = time.split(':').map(Number);
  return Date.UTC(2027, 0, 1, hours, minutes, seconds);
}

const identifier = (task: string): string => task.split('|', 1)[0];
const scheduleOf = (task: string): string => task.split('|')[1];

export const minute = (time: string, ...due: string[]): Position => ({
  event: 'Minute',
  at: at(time),
  due: new Set(due),
});
export const own = (event: 'RS' | 'REs' | 'REf' | 'RetryDue', time: string, task: string): Position => ({
  event,
  at: at(time),
  task,
});
export const call = (event: 'Crash' | 'SS' | 'SE' | 'IS' | 'IEf' | 'other', time: string): Position => ({
  event,
  at: at(time),
});
/** An initialization ends well; `stopped` if a stop was called during it (T7). */
export const accepted = (
  time: string,
  tasks: readonly string[],
  during: 'undisturbed' | 'stopped' = 'undisturbed',
): Position => ({
  event: 'IEs',
  at: at(time),
  list: tasks.join(),
  registrations: tasks.map((name) => ({ name, schedule: scheduleOf(name) })),
  live: during === 'undisturbed',
  marks: ['Valid'],
});
export const initialize = (time: string, ...tasks: string[]): Position[] => [
  call('IS', time),
  accepted(time, tasks),
];
export const run = (time: string, task: string): Position[] => [
  own('RS', time, task),
  own('REs', time, task),
];
export const stop = (time: string): Position[] => [call('SS', time), call('SE', time)];
/** Long after everything that was demanded should have come. */
export const later = (time: string): Position => call('other', time);

export interface Theory {
  readonly name: string;
  readonly axioms: Readonly<Record<string, Formula>>;
  /** How this theory reads what happened. */
  read(happened: readonly Position[]): readonly Position[];
  /** In the letter tuples have their schedules, registered or not. */
  readonly hasTuples: boolean;
}

const isMarked = (position: Position, mark: string): boolean => position.marks?.includes(mark) === true;

/** Theorem 3 of the older model, which is said to follow, goes with both. */
export const letter: Theory = {
  name: 'the letter',
  axioms: { ...literal.axioms, Q3: Q3.formula },
  read: (happened) => happened.filter((position) => !isMarked(position, 'commit')),
  hasTuples: true,
};

function byName(position: Position): Position {
  if ('task' in position) return { ...position, task: identifier(position.task) };
  if (position.event !== 'IEs') return position;
  const registrations = position.registrations.map((one) => ({ ...one, name: identifier(one.name) }));
  return { ...position, registrations };
}

/** In these traces nothing else runs, so a crash of one run is a crash. */
const cutOffByStop = (position: Position): Position =>
  isMarked(position, 'interrupted') ? { event: 'Crash', at: position.at } : position;

/** Everything of a position has a position of its own: first the minute, then the action, then the crash. */
function apart({ pulse, ...position }: Position): Position[] {
  const begins: Position[] = pulse === undefined ? [] : [{ event: 'Minute', at: position.at, due: pulse }];
  const cut: Position[] = isMarked(position, 'Crash') ? [{ event: 'Crash', at: position.at }] : [];
  return [
    ...begins,
    { ...position, marks: (position.marks ?? []).filter((mark) => mark !== 'Crash') },
    ...cut,
  ];
}

export const repairs: Theory = {
  name: 'the repaired theory',
  axioms: Object.fromEntries(
    repaired
      .filter(
        ({ part, blame, id }) =>
          (part === 'scheduler' && blame === 'scheduler' && id !== 'WA') || id === 'Q3',
      )
      .map(({ id, formula }) => [id, formula]),
  ),
  read: (happened) =>
    happened
      .filter((position) => !isMarked(position, 'stale'))
      .map(cutOffByStop)
      .map(byName)
      .flatMap(apart),
  hasTuples: false,
};

const LAG_MS = 60_000;

/** Which of the scheduler's axioms a trace breaks; a demand is met in time if it is within the lag. */
export function broken(theory: Theory, happened: readonly Position[]): string[] {
  const positions = theory.read(happened);
  const names = positions.flatMap((position) =>
    position.event === 'IEs'
      ? position.registrations.map(({ name }) => name)
      : 'task' in position
        ? [position.task]
        : [],
  );
  const tasks = [...new Set([...names, 'nobody|never'])];
  const tuples = new Map(theory.hasTuples ? tasks.map((task) => [task, scheduleOf(task)] as const) : []);
  const evaluators = tasks.map(
    (task) =>
      new NaiveEvaluator(positions, {
        task,
        tuples,
        within: (from, to) => positions[to].at - positions[from].at <= LAG_MS,
      }),
  );
  return Object.entries(theory.axioms)
    .filter(([, axiom]) => evaluators.some((evaluator) => evaluator.at(axiom, 0) === false))
    .map(([id]) => id);
}

/**
 * The ways to go on from a prefix with up to `length` of the scheduler's moves, each with what the environment answers to it, that
 * break no axiom, though all time passes.
 */
export function waysOn(
  theory: Theory,
  prefix: readonly Position[],
  moves: Readonly<Record<string, readonly Position[]>>,
  length: number,
): string[][] {
  const end = prefix.reduce((last, position) => Math.max(last, position.at), 0);
  const sequences = (left: number): string[][] =>
    left === 0
      ? [[]]
      : [[], ...Object.keys(moves).flatMap((name) => sequences(left - 1).map((rest) => [name, ...rest]))];
  const after: Position = { event: 'other', at: end + 10 * LAG_MS };
  return sequences(length).filter((sequence) => {
    const continued = sequence.flatMap((name) => moves[name].map((position) => ({ ...position, at: end })));
    return broken(theory, [...prefix, ...continued, after]).length === 0;
  });
}
