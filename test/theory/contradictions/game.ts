/**
 * The game that the search plays: the environment does what it likes within its bounds, a scheduler whatever breaks no safety
 * axiom. Worlds and memories are numbered, so that what a move does is worked out once for each.
 */
import { type Formula, someList } from '../../../src/theory/logic/formula.ts';
import { monitorable } from '../../../src/theory/logic/monitorable.ts';
import { environmentMoves, schedulerMoves, showMove } from './moves.ts';
import { type Letter, Slice } from './slice.ts';
import type { Theory } from './theories.ts';
import { type Bounds, type Move, type World, Worlds } from './world.ts';

/** Whether the scheduler keeps D4 (no initialization while active or stopping) and D7 (nothing starts after a stop) too. */
export type Rules = 'the theory alone' | 'with D4 and D7';

/** A world that was met, with what can be done in it. */
interface Place {
  readonly id: number;
  readonly world: World;
  environment?: readonly Edge[];
  scheduler?: readonly Edge[];
  coinciding?: readonly Edge[];
}

interface Edge {
  readonly move: Move;
  /** A rule of the specification that the scheduler would break by it. */
  readonly refusal: string | undefined;
  readonly to: Place;
  readonly letters: readonly { readonly key: number; readonly letter: Letter }[];
}

export interface State {
  readonly place: Place;
  readonly memories: readonly number[];
  readonly key: string;
  /** What is demanded here. */
  readonly open: readonly string[];
  /** Which theorems the last move refuted. */
  readonly refuted: readonly string[];
  /** By task: whether it is owed a start, and why it is pending. */
  readonly owed: readonly boolean[];
  readonly reasons: readonly (readonly string[])[];
}

/** What comes of a move: another state, or what it broke. */
export type Outcome = { readonly state: State } | { readonly broken: readonly string[] };

export interface Played {
  readonly move: Move;
  readonly outcome: Outcome;
}

/** Of a call, not of a task: asked of one task only. */
const callAxioms = new Set(['S5', 'L2', 'L3']);

/** Spelled out, because it is asked for with every move. */
const keyOf = ({ left, stale, dues, ...world }: World): string =>
  `${left.minutes},${left.initializations},${left.stops},${left.crashes},${left.failures} ${stale.join()} ${dues.join()} ${Object.values(world).join()}`;

const wanted: Readonly<Record<string, string>> = { L1: 'RS', L2: 'IE', L3: 'SE' };

export class Game {
  readonly theory: Theory;
  readonly rules: Rules;
  readonly #worlds: Worlds;
  readonly #slices: readonly Slice[];
  readonly #safety: readonly { readonly id: string; readonly broken: Formula }[];
  readonly #demands: readonly { readonly id: string; readonly open: Formula }[];
  readonly #theorems: readonly { readonly id: string; readonly broken: Formula }[];
  readonly #reasons: readonly string[];
  readonly #places = new Map<string, Place>();
  readonly #letters = new Map<string, number>();

  constructor(theory: Theory, rules: Rules) {
    this.theory = theory;
    this.rules = rules;
    this.#worlds = new Worlds(theory);
    const parts = Object.entries(theory.axioms).flatMap(([id, axiom]) =>
      monitorable(axiom).map((part) => ({ id, part })),
    );
    this.#safety = parts.flatMap(({ id, part }) =>
      part.kind === 'safety' ? [{ id, broken: part.broken }] : [],
    );
    this.#demands = parts.flatMap(({ id, part }) =>
      part.kind === 'response' ? [{ id, open: someList(part.open) }] : [],
    );
    this.#theorems = Object.entries(theory.theorems ?? {}).flatMap(([id, theorem]) =>
      monitorable(theorem).flatMap((part) => (part.kind === 'safety' ? [{ id, broken: part.broken }] : [])),
    );
    this.#reasons = Object.keys(theory.reasons);
    const formulas = [
      ...this.#safety.map(({ broken }) => broken),
      ...this.#demands.map(({ open }) => open),
      ...this.#theorems.map(({ broken }) => broken),
      theory.obligation,
      ...Object.values(theory.reasons),
    ];
    this.#slices = theory.universe.names.map((name) => new Slice(theory.universe, name, formulas));
  }

  initial(bounds: Bounds): State {
    const place = this.#place(this.#worlds.initial(bounds));
    const memories = this.#slices.map((slice) => slice.initial);
    return { place, memories, key: 'start', open: [], refuted: [], owed: [], reasons: [] };
  }

  show(move: Move): string {
    return showMove(this.theory.universe, move);
  }

  #place(world: World): Place {
    const key = keyOf(world);
    let place = this.#places.get(key);
    if (place === undefined) {
      place = { id: this.#places.size, world };
      this.#places.set(key, place);
    }
    return place;
  }

  #edge({ world }: Place, move: Move): Edge {
    const to = this.#place(this.#worlds.after(world, move));
    const letters = this.#slices.map((_, task) => {
      const letter = this.#letter(world, to.world, move, task);
      const text = JSON.stringify(letter);
      const key = this.#letters.get(text) ?? this.#letters.size;
      this.#letters.set(text, key);
      return { key, letter };
    });
    return { move, refusal: this.#refusal(world, move), to, letters };
  }

  #refusal(world: World, move: Move): string | undefined {
    if (this.rules === 'the theory alone') return undefined;
    if (move.event === 'IEs' && world.busy === 'from its call') return 'D4';
    if (move.event === 'SE' && world.initializing >= 0) return 'D7';
    return move.event === 'RS' && !world.isActive ? 'D7' : undefined;
  }

  #letter(before: World, world: World, move: Move, task: number): Letter {
    const atoms: string[] = world.running === 0 ? ['Quiescent'] : [];
    const { schedules } = this.theory.universe;
    if (!('task' in move) || move.task === task) atoms.push(move.event);
    if (['IEs', 'IEf', 'Commit'].includes(move.event)) atoms.push('Valid');
    if (move.event === 'IEs' && !before.isStopped) atoms.push('Live');
    if (move.event === 'IEf' && before.busy !== 'no') atoms.push('Excused');
    const due = 'due' in move ? move.due : undefined;
    return {
      atoms,
      ...(due === undefined ? {} : { due: schedules.filter((_, one) => (due & (1 << one)) !== 0) }),
      ...(move.event === 'IEs' || move.event === 'Commit' ? { list: world.list } : {}),
      schedule: this.#worlds.schedule(world, task),
    };
  }

  #play(before: State, { refusal, to, letters }: Edge): Outcome {
    if (refusal !== undefined) return { broken: [refusal] };
    const broken = new Set<string>();
    const open = new Set<string>();
    const refuted = new Set<string>();
    const owed: boolean[] = [];
    const reasons: string[][] = [];
    const memories = this.#slices.map((slice, task) => {
      const { key, letter } = letters[task];
      const { memory, holds } = slice.step(before.memories[task], key, letter);
      const isAsked = (id: string): boolean => task === 0 || !callAxioms.has(id);
      let at = 0;
      for (const { id } of this.#safety) if (holds[at++] && isAsked(id)) broken.add(id);
      for (const { id } of this.#demands) if (holds[at++] && isAsked(id)) open.add(id);
      for (const { id } of this.#theorems) if (holds[at++]) refuted.add(id);
      owed.push(holds[at++]);
      reasons.push(this.#reasons.filter((_, reason) => holds[at + reason]));
      return memory;
    });
    if (broken.size > 0) return { broken: [...broken] };
    const key = `${to.id} ${memories.join()}`;
    return {
      state: { place: to, memories, key, open: [...open].sort(), refuted: [...refuted], owed, reasons },
    };
  }

  /** Where the environment can lead. */
  environment(state: State): Played[] {
    const { place } = state;
    place.environment ??= environmentMoves(this.#worlds, place.world).map((move) => this.#edge(place, move));
    return place.environment.map((edge) => ({ move: edge.move, outcome: this.#play(state, edge) }));
  }

  /**
   * Where the scheduler can lead. A start whose success would break an axiom is as bad as one that breaks it: whether a callback
   * succeeds is not the scheduler's to say.
   */
  scheduler(state: State): Played[] {
    const { place } = state;
    place.scheduler ??= schedulerMoves(this.#worlds, place.world).map((move) => this.#edge(place, move));
    return place.scheduler.map((edge) => {
      const { move } = edge;
      const outcome = this.#play(state, edge);
      if (move.event !== 'RS' || !('state' in outcome)) return { move, outcome };
      const doomed = this.environment(outcome.state).find(
        (next) => next.move.event === 'REs' && next.move.task === move.task && 'broken' in next.outcome,
      );
      return { move, outcome: doomed?.outcome ?? outcome };
    });
  }

  /** The same starts, at a position where a minute begins: the environment's to choose (T13). */
  coinciding(state: State): Played[] {
    const { place } = state;
    if (this.theory.pulses === 'apart' || place.world.left.minutes === 0) return [];
    const dues = Array.from({ length: 1 << this.theory.universe.schedules.length }, (_, due) => due);
    place.coinciding ??= schedulerMoves(this.#worlds, place.world)
      .filter((move) => move.event === 'RS')
      .flatMap((move) => dues.map((due) => this.#edge(place, { ...move, due })));
    return place.coinciding.map((edge) => ({ move: edge.move, outcome: this.#play(state, edge) }));
  }

  /** Why nobody can go on from here; undefined if somebody can. */
  stuck(state: State, own: readonly Played[]): string | undefined {
    if (state.open.length === 0 || own.some(({ outcome }) => 'state' in outcome)) return undefined;
    // A process that is about to die owes nothing.
    if (state.place.world.isCommitted) return undefined;
    const why = own.flatMap(({ move, outcome }) =>
      'broken' in outcome ? outcome.broken.map((id) => `${move.event} breaks ${id}`) : [],
    );
    const reasons = [...new Set(why)].sort().join(', ') || 'there is no move';
    return `${state.open.map((id) => `${id} demands ${wanted[id]}`).join(', ')}; ${reasons}`;
  }

  /** How the theory and A1 differ on what is owed here; undefined if they agree. */
  difference(state: State): string | undefined {
    for (const [task, isOwed] of state.owed.entries()) {
      if (isOwed === this.#worlds.owes(state.place.world, task)) continue;
      const when = state.place.world.isActive ? 'not pending by A1' : 'not active';
      return isOwed ? `owed, but ${when} (${state.reasons[task].join(', ')})` : 'pending by A1, but not owed';
    }
    return undefined;
  }
}
