/** The states found so far, each up to a shift of time, and from where each was first reached. */
import {
  keyOfName,
  keyOfScene,
  type Name,
  type Scene,
  type State,
  settledName,
  settledScene,
  shiftOf,
} from './state.ts';
import { Integers, Parts, Tuples } from './table.ts';

export class Space {
  readonly #scenes = new Parts<Scene>();
  readonly #names: readonly Parts<Name>[];
  readonly #known: readonly Map<Name, number>[];
  readonly #states: Tuples;
  readonly #parent = new Integers();
  readonly #depth = new Integers();

  constructor(names: number) {
    this.#names = Array.from({ length: names }, () => new Parts<Name>());
    this.#known = this.#names.map(() => new Map());
    this.#states = new Tuples(names + 1);
  }

  get size(): number {
    return this.#states.size;
  }

  get scenes(): number {
    return this.#scenes.all.length;
  }

  /** Distinct states of single names. */
  get parts(): number {
    return this.#names.reduce((sum, { all }) => sum + all.length, 0);
  }

  get depth(): number {
    return this.#depth.at(this.size - 1);
  }

  /** The number of a state that is new; negative for one that is known. */
  add({ scene, names }: State, from: number): number {
    const shift = shiftOf(scene.now);
    const settled = settledScene(scene, shift);
    const tuple = [this.#scenes.numberOf(keyOfScene(settled), settled)];
    for (let i = 0; i < names.length; i++) tuple.push(this.#part(i, names[i], shift, settled.now));
    const found = this.#states.add(tuple);
    if (found < 0) return found;
    this.#parent.push(from);
    this.#depth.push(from < 0 ? 0 : this.#depth.at(from) + 1);
    return found;
  }

  /** A move that leaves a name alone leaves its object, which is known; the clock leaves nobody alone. */
  #part(i: number, name: Name, shift: number, now: number): number {
    const known = this.#known[i].get(name);
    if (known !== undefined) return known;
    const settled = settledName(name, shift, now);
    const parts = this.#names[i];
    const before = parts.all.length;
    const number = parts.numberOf(keyOfName(settled), settled);
    if (number === before) this.#known[i].set(settled, number);
    return number;
  }

  state(index: number): State {
    return {
      scene: this.#scenes.all[this.#states.at(index, 0)],
      names: this.#names.map(({ all }, i) => all[this.#states.at(index, i + 1)]),
    };
  }

  /** The states on the way to one, from the first on. */
  wayTo(index: number): readonly number[] {
    const way: number[] = [];
    for (let at = index; at >= 0; at = this.#parent.at(at)) way.push(at);
    return way.reverse();
  }

  /** Whether a state is the one of this number. */
  isAt(state: State, index: number): boolean {
    return this.add(state, -1) === ~index;
  }
}
