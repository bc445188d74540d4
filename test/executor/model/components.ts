/**
 * Strongly connected components after Tarjan, with its own stack: a graph of a million states in a line would
 * overflow the call stack. Only the states marked `inside` exist for it.
 */
import type { Steps } from './explorer.ts';

export interface Components {
  /** The component of each state, or -1 outside. */
  readonly of: Int32Array;
  readonly total: number;
}

export function components(steps: Pick<Steps, 'firstStep' | 'target'>, inside: Uint8Array): Components {
  const search = new Search(steps, inside);
  for (let root = 0; root < inside.length; root++) search.from(root);
  return { of: search.of, total: search.total };
}

/**
 * A state is *unmet* (order 0), then *open* (it has an order and stands in `open`), then *closed* (it has a
 * component). `path` is the way from the root to where the search stands; `cursor` is the next step to follow.
 */
class Search {
  readonly of: Int32Array;
  total = 0;
  readonly #firstStep: Int32Array;
  readonly #target: Int32Array;
  readonly #inside: Uint8Array;
  readonly #order: Int32Array;
  readonly #low: Int32Array;
  readonly #cursor: Int32Array;
  readonly #open: Int32Array;
  readonly #path: Int32Array;
  #openTop = 0;
  #depth = -1;
  #met = 0;

  constructor({ firstStep, target }: Pick<Steps, 'firstStep' | 'target'>, inside: Uint8Array) {
    this.#firstStep = firstStep;
    this.#target = target;
    this.#inside = inside;
    this.of = new Int32Array(inside.length).fill(-1);
    this.#order = new Int32Array(inside.length);
    this.#low = new Int32Array(inside.length);
    this.#cursor = new Int32Array(inside.length);
    this.#open = new Int32Array(inside.length);
    this.#path = new Int32Array(inside.length);
  }

  from(root: number): void {
    if (this.#inside[root] === 0 || this.#order[root] !== 0) return;
    this.#meet(root);
    while (this.#depth >= 0) {
      const state = this.#path[this.#depth];
      if (this.#cursor[state] < this.#firstStep[state + 1]) this.#follow(state);
      else this.#leave(state);
    }
  }

  #meet(state: number): void {
    this.#order[state] = this.#low[state] = ++this.#met;
    this.#cursor[state] = this.#firstStep[state];
    this.#open[this.#openTop++] = state;
    this.#path[++this.#depth] = state;
  }

  #follow(state: number): void {
    const next = this.#target[this.#cursor[state]++];
    if (this.#inside[next] === 0 || this.of[next] !== -1) return;
    if (this.#order[next] === 0) this.#meet(next);
    else this.#low[state] = Math.min(this.#low[state], this.#order[next]);
  }

  #leave(state: number): void {
    if (this.#low[state] === this.#order[state]) {
      do this.of[this.#open[--this.#openTop]] = this.total;
      while (this.#open[this.#openTop] !== state);
      this.total++;
    }
    if (--this.#depth < 0) return;
    const before = this.#path[this.#depth];
    this.#low[before] = Math.min(this.#low[before], this.#low[state]);
  }
}
