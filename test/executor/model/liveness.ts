/**
 * "Whenever P, then eventually Q", under fairness, on the graph of an explored system. It fails if some reachable
 * state of P and not Q has a way, through states that are not Q, to where a fair execution can stay for ever
 * without Q. The counter-example is a stem, the shortest there is, and a fair cycle.
 */
import { type Graph, renderSteps, type Step, type Steps, type Violation } from './explorer.ts';
import { type FairnessClass, fairComponents, fairCycle, fairnessBits } from './fairness.ts';

export interface LeadsTo<S> {
  readonly name: string;
  readonly whenever: (state: S) => boolean;
  readonly eventually: (state: S) => boolean;
}

/** A stem and a cycle that break the property, or undefined if it holds. */
export function refuteLeadsTo<S>(
  graph: Graph<S>,
  { name, whenever, eventually }: LeadsTo<S>,
  fairness: readonly FairnessClass[],
): Violation | undefined {
  const { actions, decode, render } = graph.system;
  const without = Uint8Array.from(graph.keys, (key) => (eventually(decode(key)) ? 0 : 1));
  const begins = Uint8Array.from(graph.keys, (key, state) =>
    without[state] === 1 && whenever(decode(key)) ? 1 : 0,
  );
  const bits = fairnessBits(fairness, actions);
  const fair = fairComponents(graph, bits, pendingStates(graph, begins, without));
  const stem = shortestStem(graph, begins, without, fair);
  if (stem === undefined) return undefined;
  const cycle = fairCycle(graph, bits, fair, stem.at(-1)?.to ?? 0);
  const trace = [
    `  0. start: ${render(decode(graph.keys[0]))}`,
    ...renderSteps(graph, stem),
    cycle.length === 0
      ? '     and there it stays, for ever'
      : '     and from there round and round, for ever:',
    ...renderSteps(graph, cycle, stem.length + 1),
  ];
  return { property: name, trace };
}

/** Every state that can be reached from a beginning without leaving the states that are without Q. */
function pendingStates({ firstStep, target }: Steps, begins: Uint8Array, without: Uint8Array): Uint8Array {
  const pending = begins.slice();
  const line = new Int32Array(begins.length);
  let end = 0;
  for (let state = 0; state < begins.length; state++) if (begins[state] === 1) line[end++] = state;
  for (let at = 0; at < end; at++) {
    for (let step = firstStep[line[at]]; step < firstStep[line[at] + 1]; step++) {
      const next = target[step];
      if (without[next] === 0 || pending[next] === 1) continue;
      pending[next] = 1;
      line[end++] = next;
    }
  }
  return pending;
}

/**
 * The shortest way from the start over a beginning into a fair component. Breadth first over the graph twice over:
 * `state` is on the way to a beginning, `states + state` is past one and still without Q.
 */
function shortestStem(
  { firstStep, target, action }: Steps,
  begins: Uint8Array,
  without: Uint8Array,
  fair: Int32Array,
): Step[] | undefined {
  const states = begins.length;
  if (!fair.some((component) => component !== 0)) return undefined;
  const before = new Int32Array(2 * states).fill(-1);
  const by = new Int32Array(2 * states).fill(-1);
  const line = new Int32Array(2 * states);
  const place = (state: number, past: boolean): number =>
    past || begins[state] === 1 ? states + state : state;
  let end = 0;
  line[end++] = place(0, false);
  before[line[0]] = line[0];
  for (let at = 0; at < end; at++) {
    const node = line[at];
    const past = node >= states;
    const state = past ? node - states : node;
    if (past && fair[state] !== 0) return stemTo(node, states, before, by);
    for (let step = firstStep[state]; step < firstStep[state + 1]; step++) {
      const next = place(target[step], past && without[target[step]] === 1);
      if (before[next] !== -1) continue;
      before[next] = node;
      by[next] = action[step];
      line[end++] = next;
    }
  }
  throw new Error('a fair component was found that cannot be reached');
}

function stemTo(node: number, states: number, before: Int32Array, by: Int32Array): Step[] {
  const stem: Step[] = [];
  for (let at = node; by[at] !== -1; at = before[at]) stem.push({ action: by[at], to: at % states });
  return stem.reverse();
}
