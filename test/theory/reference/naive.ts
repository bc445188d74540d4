/**
 * The reference evaluator: the definitions, position by position and subformula by subformula, over a whole trace. It is slow
 * on purpose, and shares nothing with the monitor but the formulas.
 *
 * What the end of the trace leaves open is *unknown* (Kleene's third value): a `W` that nothing has broken yet is neither true
 * nor false. Past operators are never unknown.
 */
import type { Formula } from '../../../src/theory/logic/formula.ts';
import { Running } from '../../../src/theory/logic/macros.ts';
import { type Position, passes, resets } from './position.ts';

/** `undefined` is: not yet decided. */
export type Truth = boolean | undefined;

const negated = (value: Truth): Truth => (value === undefined ? undefined : !value);
const both = (a: Truth, b: Truth): Truth =>
  a === false || b === false ? false : a === undefined || b === undefined ? undefined : true;
const either = (a: Truth, b: Truth): Truth => negated(both(negated(a), negated(b)));

/** Whether a response at position `to` is within the bound for a demand at position `from`; asked only with `from ≤ to`. */
export type Within = (from: number, to: number) => boolean;

export interface NaiveOptions {
  readonly task: string;
  /** For `Fcomp`: without it, every response is in time. */
  readonly within?: Within;
  /** The schedules of tasks that are tuples, as in the letter (T5): they have them whether they are registered or not. */
  readonly tuples?: ReadonlyMap<string, string>;
}

/** One way of looking at the trace: at whom, with which schedule, at which list. It remembers what it has seen. */
interface View {
  readonly x: string;
  readonly R: string | undefined;
  readonly schedule: string | undefined;
  /** The views of the same task and list from every position. */
  readonly from: readonly View[];
  /** For each formula, by position: 0 where nobody has looked, or 1 + the place of the value in `truths`. */
  readonly known: Map<Formula, Uint8Array>;
}

const truths: readonly Truth[] = [false, true, undefined];

/** Evaluates formulas straight from their definitions, over a whole trace: slow, and plain enough to be believed. */
export class NaiveEvaluator {
  readonly #positions: readonly Position[];
  readonly #within: Within;
  readonly #names: readonly string[];
  /** By list, the names in it. */
  readonly #lists: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #task: string;
  readonly #tuples: ReadonlyMap<string, string>;
  /** For a name and a list, the view from each position; positions with the same schedule share one. */
  readonly #views = new Map<string, Map<string | undefined, readonly View[]>>();

  constructor(positions: readonly Position[], options: NaiveOptions) {
    this.#positions = positions;
    this.#task = options.task;
    this.#within = options.within ?? (() => true);
    this.#tuples = options.tuples ?? new Map();
    const inits = positions.filter((position) => position.event === 'IEs');
    // A list that never comes is one too: nothing is ever registered with it.
    this.#lists = new Map([
      ...inits.map(
        ({ list, registrations }) => [list, new Set(registrations.map(({ name }) => name))] as const,
      ),
      ['none', new Set<string>()],
    ]);
    this.#names = [
      ...new Set([
        options.task,
        ...positions.flatMap((position) => ('task' in position ? [position.task] : [])),
        ...inits.flatMap((position) => position.registrations.map(({ name }) => name)),
      ]),
    ];
  }

  /** The truth of a formula at a position. */
  at(formula: Formula, index: number): Truth {
    return this.#ask(formula, index, this.#view(this.#task, undefined, index));
  }

  /**
   * The view from a position: the past is read with the registration that is current *there* (T5). `S` keeps the view;
   * operators that move to a position take the view from it.
   */
  #view(x: string, R: string | undefined, index: number): View {
    const byList = this.#views.get(x) ?? new Map<string | undefined, readonly View[]>();
    const views = byList.get(R) ?? this.#viewsOf(x, R);
    this.#views.set(x, byList);
    byList.set(R, views);
    return views[index];
  }

  #viewsOf(x: string, R: string | undefined): readonly View[] {
    const bySchedule = new Map<string | undefined, View>();
    const from: View[] = [];
    let schedule = this.#tuples.get(x);
    for (const position of this.#positions) {
      if (position.event === 'IEs' && !this.#tuples.has(x))
        schedule = position.registrations.find((registration) => registration.name === x)?.schedule;
      const view = bySchedule.get(schedule) ?? { x, R, schedule, from, known: new Map() };
      bySchedule.set(schedule, view);
      from.push(view);
    }
    return from;
  }

  #ask(formula: Formula, i: number, view: View): Truth {
    let known = view.known.get(formula);
    if (known === undefined) {
      known = new Uint8Array(this.#positions.length);
      view.known.set(formula, known);
    }
    if (known[i] === 0) known[i] = 1 + truths.indexOf(this.#evaluate(formula, i, view));
    return truths[known[i] - 1];
  }

  #evaluate(formula: Formula, i: number, view: View): Truth {
    switch (formula.op) {
      case 'true':
        return true;
      case 'atom':
        return this.#atom(formula.name, i, view);
      case 'not':
        return negated(this.#ask(formula.of, i, view));
      case 'and':
        return both(this.#ask(formula.left, i, view), this.#ask(formula.right, i, view));
      case 'or':
        return either(this.#ask(formula.left, i, view), this.#ask(formula.right, i, view));
      case 'Y':
        return i > 0 && this.#ask(formula.of, i - 1, view.from[i - 1]);
      case 'S':
        for (let j = i; j >= 0; j--) {
          if (this.#ask(formula.right, j, view)) return true;
          if (!this.#ask(formula.left, j, view)) return false;
        }
        return false;
      case 'then':
        return this.#ask(formula.of, i, view.from[i]);
      default:
        return this.#evaluateRare(formula, i, view);
    }
  }

  #evaluateRare(formula: Formula, i: number, view: View): Truth {
    const { x } = view;
    const there = (of: Formula, j: number): Truth => this.#ask(of, j, view.from[j]);
    switch (formula.op) {
      case 'someList':
        return this.#some([...this.#lists.keys()], (list) =>
          this.#ask(formula.of, i, this.#as(view, x, list, i)),
        );
      case 'X':
        return i < this.#positions.length - 1 ? there(formula.of, i + 1) : undefined;
      case 'F':
        return this.#until(
          i,
          () => true,
          (j) => there(formula.of, j),
        );
      case 'G':
        return negated(
          this.#until(
            i,
            () => true,
            (j) => negated(there(formula.of, j)),
          ),
        );
      case 'U':
      case 'W':
        return this.#until(
          i,
          (j) => there(formula.left, j),
          (j) => there(formula.right, j),
        );
      case 'Fcomp':
        return this.#until(
          i,
          (j) => this.#within(i, j),
          (j) => both(this.#within(i, j), there(formula.of, j)),
        );
      default:
        throw new RangeError(`not a formula of this kind: ${formula.op}`);
    }
  }

  /** The same question about another task or list, with the schedule of where it was first asked. */
  #as(view: View, x: string, R: string | undefined, i: number): View {
    if (x !== view.x) return this.#view(x, R, i);
    const other = this.#view(x, R, i);
    if (other.schedule === view.schedule) return other;
    return other.from.find(({ schedule }) => schedule === view.schedule) ?? other;
  }

  #some<Each>(all: readonly Each[], truth: (each: Each) => Truth): Truth {
    return all.reduce<Truth>((found, each) => either(found, truth(each)), false);
  }

  /** `left` until `right`; what was neither kept nor broken at the end of the trace is open. */
  #until(from: number, left: (j: number) => Truth, right: (j: number) => Truth): Truth {
    let value: Truth;
    for (let j = this.#positions.length - 1; j >= from; j--) value = either(right(j), both(left(j), value));
    return value;
  }

  #atom(name: string, i: number, { x, R, schedule, from }: View): boolean {
    const position = this.#positions[i];
    switch (name) {
      case 'RS':
      case 'REs':
      case 'REf':
      case 'RetryDue':
      case 'Requested':
      case 'Pause':
      case 'Resume':
      case 'DueSkipped':
        return position.event === name && position.task === x;
      case 'Passed':
        return passes(position, x);
      case 'Rightful':
        return position.event === 'DueSkipped' && position.task === x && position.rightful;
      case 'Reset':
        return resets(this.#positions, i, x);
      case 'Kept':
        return false; // no list is planned while a run ends: these traces have one event at a time
      case 'Stale':
        return position.event === 'Stale' && position.schedule === schedule;
      case 'Due':
        return begins(position)?.has(schedule ?? '') === true;
      case 'DueThen':
        return begins(position)?.has(from[i].schedule ?? '') === true;
      case 'MinuteStart':
        return begins(position) !== undefined;
      case 'In':
        return position.event === 'IEs' && position.registrations.some((entry) => entry.name === x);
      case 'Out':
        return position.event === 'IEs' && !position.registrations.some((entry) => entry.name === x);
      case 'Live':
        return position.event === 'IEs' && position.live;
      case 'IEs_R':
        return position.event === 'IEs' && position.list === R;
      case 'IEs_other':
        return position.event === 'IEs' && position.list !== R;
      case 'x∈R':
        return this.#lists.get(R ?? '')?.has(x) === true;
      case 'x≈∈R':
        return [...(this.#lists.get(R ?? '') ?? [])].some((name) => identifier(name) === identifier(x));
      case 'Quiescent':
        return !this.#names.some((name) => this.#ask(Running, i, this.#view(name, R, i)));
      default:
        return position.event === name || position.marks?.includes(name) === true;
    }
  }
}

/** What is due in the minute that begins at a position; undefined where none does. */
const begins = (position: Position): ReadonlySet<string> | undefined =>
  position.event === 'Minute' ? position.due : position.pulse;

/** A tuple is written as its identifier, a bar, and the rest. */
const identifier = (name: string): string => name.split('|', 1)[0];
