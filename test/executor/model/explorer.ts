/**
 * An explicit-state explorer: every state that a transition system can reach, each visited once, breadth first,
 * so that the first state found to break an invariant is one of the nearest to the start and its trace is a
 * shortest one. No state is merged with another (no symmetry, no partial order), so a count is a count.
 *
 * A state is kept as its key alone and the steps as integers in typed arrays: the steps out of state `i` are
 * those from `firstStep[i]` to `firstStep[i + 1]`, which is all that the liveness check needs. A step that
 * leaves the state as it was counts as enabled but is not kept: under fairness it is no progress.
 */

/** A guarded command of one process. */
export interface Action<S> {
  readonly name: string;
  readonly process: string;
  /** The state after the step, or undefined where it is not enabled. May alter the state it is given. */
  readonly step: (state: S) => S | undefined;
}

export interface System<S> {
  readonly initial: () => S;
  readonly actions: readonly Action<S>[];
  readonly encode: (state: S) => string;
  /** The state of a key. It may be one and the same object each time: nobody keeps it past the next call. */
  readonly decode: (key: string) => S;
  /** The state in one short line, for traces. */
  readonly render: (state: S) => string;
}

export interface Invariant<S> {
  readonly name: string;
  /** Must not alter the state. */
  readonly holds: (state: S) => boolean;
}

/** The bare steps of a graph: where each leads, and by which action. */
export interface Steps {
  readonly firstStep: Int32Array;
  readonly target: Int32Array;
  readonly action: Uint8Array;
}

export interface Graph<S> extends Steps {
  readonly system: System<S>;
  readonly keys: readonly string[];
  /** How many steps were taken in all, those that change nothing included. */
  readonly transitions: number;
  /** The state from which each was first reached, and by which action; -1 for the initial one. */
  readonly parent: Int32Array;
  readonly parentAction: Int32Array;
  /** How often each action was enabled, in the order of the system's actions. */
  readonly enabledCount: readonly number[];
  /** The states that no step leaves. */
  readonly terminals: readonly number[];
  readonly elapsedMs: number;
  readonly violation: Violation | undefined;
}

export interface Violation {
  readonly property: string;
  /** Lines to read: the steps from the start, and for a liveness property the cycle that goes on for ever. */
  readonly trace: readonly string[];
}

/** A list of integers that grows by doubling. */
class Integers {
  #data = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#data.length) {
      const wider = new Int32Array(2 * this.length);
      wider.set(this.#data);
      this.#data = wider;
    }
    this.#data[this.length++] = value;
  }

  toArray(): Int32Array {
    return this.#data.slice(0, this.length);
  }
}

export function explore<S>(
  system: System<S>,
  invariants: readonly Invariant<S>[] = [],
  stateLimit = 5_000_000,
): Graph<S> {
  const startedAt = performance.now();
  const { actions, encode, decode } = system;
  if (actions.length > 256) throw new Error('the actions of a graph are bytes: 256 at most');
  const keys: string[] = [];
  const indexOf = new Map<string, number>();
  const [firstStep, target, action, parent, parentAction] = Array.from({ length: 5 }, () => new Integers());
  const enabledCount = actions.map(() => 0);
  const terminals: number[] = [];
  let transitions = 0;
  let broken: { state: number; property: string } | undefined;

  const visit = (key: string, from: number, by: number): number => {
    const known = indexOf.get(key);
    if (known !== undefined) return known;
    if (keys.length === stateLimit) throw new Error(`more than ${stateLimit} states`);
    const state = keys.push(key) - 1;
    indexOf.set(key, state);
    parent.push(from);
    parentAction.push(by);
    const decoded = decode(key);
    const failed = invariants.find(({ holds }) => !holds(decoded));
    if (failed !== undefined) broken ??= { state, property: failed.name };
    return state;
  };

  visit(encode(system.initial()), -1, -1);
  for (let state = 0; state < keys.length && broken === undefined; state++) {
    const stepsBefore = target.length;
    firstStep.push(stepsBefore);
    for (let index = 0; index < actions.length; index++) {
      const next = actions[index].step(decode(keys[state]));
      if (next === undefined) continue;
      enabledCount[index]++;
      transitions++;
      const reached = visit(encode(next), state, index);
      if (reached === state) continue;
      target.push(reached);
      action.push(index);
    }
    if (target.length === stepsBefore) terminals.push(state);
  }
  firstStep.push(target.length);

  const graph = {
    system,
    keys,
    transitions,
    firstStep: firstStep.toArray(),
    target: target.toArray(),
    action: Uint8Array.from(action.toArray()),
    parent: parent.toArray(),
    parentAction: parentAction.toArray(),
    enabledCount,
    terminals,
    elapsedMs: performance.now() - startedAt,
    violation: undefined,
  };
  if (broken === undefined) return graph;
  return { ...graph, violation: { property: broken.property, trace: traceTo(graph, broken.state) } };
}

export const label = <S>({ name, process }: Action<S>): string => `${name}(${process})`;

/** A step of a trace: by which action, to which state. */
export interface Step {
  readonly action: number;
  readonly to: number;
}

/** The shortest way from the start to a state. */
function pathTo<S>(graph: Graph<S>, state: number): Step[] {
  const path: Step[] = [];
  for (let at = state; graph.parent[at] >= 0; at = graph.parent[at]) {
    path.push({ action: graph.parentAction[at], to: at });
  }
  return path.reverse();
}

export function renderSteps<S>(graph: Graph<S>, steps: readonly Step[], firstNumber = 1): string[] {
  const { actions, decode, render } = graph.system;
  const width = Math.max(0, ...steps.map(({ action }) => label(actions[action]).length));
  return steps.map(
    ({ action, to }, index) =>
      `${String(firstNumber + index).padStart(3)}. ${label(actions[action]).padEnd(width)}  ${render(decode(graph.keys[to]))}`,
  );
}

export function traceTo<S>(graph: Graph<S>, state: number): string[] {
  const { decode, render } = graph.system;
  return [`  0. start: ${render(decode(graph.keys[0]))}`, ...renderSteps(graph, pathTo(graph, state))];
}

/** The actions that were enabled nowhere: what a proof over this graph says about them, it says of nothing. */
export function neverEnabled<S>(graph: Graph<S>): string[] {
  return graph.system.actions.filter((_, index) => graph.enabledCount[index] === 0).map(label);
}

/** The states, counted by a predicate. */
export function count<S>(graph: Graph<S>, holds: (state: S) => boolean): number {
  let total = 0;
  for (const key of graph.keys) if (holds(graph.system.decode(key))) total++;
  return total;
}

export function summary<S>(graph: Graph<S>): string {
  const perAction = new Map<string, number>();
  graph.system.actions.forEach(({ name }, index) => {
    perAction.set(name, (perAction.get(name) ?? 0) + graph.enabledCount[index]);
  });
  const counts = [...perAction].map(([name, times]) => `${name} ${times}`).join(', ');
  return `${graph.keys.length} states, ${graph.transitions} transitions, ${graph.terminals.length} terminal, ${Math.round(graph.elapsedMs)} ms (${counts})`;
}
