/**
 * Every state that can be reached, each once, breadth first: the first one that breaks something is among the nearest, and the
 * way to it is a shortest one. A state is kept as a few numbers, one for the scene and one for each name; equal parts are kept
 * once. Only where a state was reached from is kept of the steps: the way to it is found by making the moves again.
 */
import { broken } from './check.ts';
import { Refuted } from './core.ts';
import { type Instance, type Subject, shipped } from './instance.ts';
import { Space } from './space.ts';
import type { State } from './state.ts';
import { traceTo } from './trace.ts';
import { World } from './world.ts';

export interface Report {
  readonly states: number;
  readonly transitions: number;
  /** The longest of the shortest ways to a state. */
  readonly depth: number;
  /** Distinct scenes, and distinct states of one name. */
  readonly scenes: number;
  readonly parts: number;
  /** How often each move was made. */
  readonly moves: ReadonlyMap<string, number>;
  readonly elapsedMs: number;
  readonly refutation: Refutation | undefined;
}

export interface Refutation {
  readonly property: string;
  /** Lines to read, from the beginning. */
  readonly trace: readonly string[];
}

export interface ExploreOptions {
  readonly subject?: Subject;
  readonly stateLimit?: number;
  /** Hears now and then how many states have been looked at. */
  readonly onProgress?: (states: number) => void;
}

const PROGRESS_EVERY = 1024;

export function explore(instance: Instance, options: ExploreOptions = {}): Report {
  const startedAt = performance.now();
  const world = new World(instance, options.subject ?? shipped);
  const space = new Space(world.names.length);
  const { stateLimit = 50_000_000, onProgress } = options;
  const moves = new Map<string, number>();
  let transitions = 0;
  let refuted: { readonly state: number; readonly property: string } | undefined;

  const visit = (state: State, from: number): void => {
    const found = space.add(state, from);
    if (found < 0 || refuted !== undefined) return;
    if (found >= stateLimit) throw new RangeError(`more than ${stateLimit} states`);
    const property = broken(world, space.state(found));
    if (property !== undefined) refuted = { state: found, property };
  };

  visit(world.initial(), -1);
  for (let at = 0; at < space.size && refuted === undefined; at++) {
    if (at % PROGRESS_EVERY === 0) onProgress?.(at);
    try {
      world.moves(space.state(at), (label, next) => {
        transitions++;
        moves.set(label, (moves.get(label) ?? 0) + 1);
        visit(next, at);
      });
    } catch (error) {
      if (!(error instanceof Refuted)) throw error;
      refuted = { state: at, property: error.message };
    }
  }
  return {
    states: space.size,
    transitions,
    depth: space.depth,
    scenes: space.scenes,
    parts: space.parts,
    moves,
    elapsedMs: performance.now() - startedAt,
    refutation: refuted && { property: refuted.property, trace: traceTo(world, space, refuted.state) },
  };
}
