/**
 * The whole examination of one instance: invariants in every state, no end but the announced one, every action
 * enabled somewhere, and on the graph of all states what must come about in every weakly fair execution.
 */
import { explore, type Graph, neverEnabled, traceTo, type Violation } from './explorer.ts';
import { type FairnessClass, perProcess } from './fairness.ts';
import { type LeadsTo, refuteLeadsTo } from './liveness.ts';
import { range } from './range.ts';
import { shippedSystem } from './shipped.ts';
import { type Instance, type Model, type Operations, slotNames, slotsOf } from './shipped-model.ts';
import { PROPERTIES, shippedInvariants } from './shipped-properties.ts';

const isEndless = ({ tasks }: Instance): boolean =>
  tasks.some(({ sources }) => sources.includes(Number.POSITIVE_INFINITY));

/** In every fair execution: whoever is owed a run gets it, and what has an end comes to it. */
function shippedLiveness(instance: Instance): LeadsTo<Model>[] {
  const names = slotNames(instance);
  const starvation = range(slotsOf(instance)).map((slot) => ({
    name: `${PROPERTIES.starvation} (${names[slot]})`,
    whenever: ({ owed }: Model) => owed[slot],
    eventually: ({ owed, executor }: Model) => !owed[slot] || executor.stopped,
  }));
  const ends = {
    name: PROPERTIES.termination,
    whenever: ({ executor }: Model) => !isEndless(instance) || executor.stopped,
    eventually: ({ settled }: Model) => settled,
  };
  return [...starvation, ...(isEndless(instance) && instance.stops !== 'any moment' ? [] : [ends])];
}

/** Sources that trigger for ever may fall silent; nobody has to stop, add or release anything. */
function shippedFairness(graph: Graph<Model>, instance: Instance): FairnessClass[] {
  const free = (process: string): boolean =>
    process.startsWith('owner') || (isEndless(instance) && process.startsWith('source'));
  return perProcess(graph.system.actions.filter(({ process }) => !free(process)));
}

/** A terminal state that nobody announced, or an action that no execution ever reaches. */
function structure(graph: Graph<Model>): Violation[] {
  const { decode } = graph.system;
  const stuck = graph.terminals.find((state) => !decode(graph.keys[state]).settled);
  const never = neverEnabled(graph);
  return [
    ...(stuck === undefined ? [] : [{ property: PROPERTIES.deadlock, trace: traceTo(graph, stuck) }]),
    ...(never.length === 0 ? [] : [{ property: PROPERTIES.vacuous, trace: never }]),
  ];
}

export interface Proof {
  readonly graph: Graph<Model>;
  readonly violation: Violation | undefined;
  readonly elapsedMs: number;
}

export interface CheckOptions {
  readonly mutations?: Partial<Operations>;
  /** Properties to look at alone, by the beginning of their names. */
  readonly only?: readonly string[];
}

/** Explores an instance and checks everything of it, or only the named properties; the first violation counts. */
export function check(instance: Instance, { mutations = {}, only = [''] }: CheckOptions = {}): Proof {
  const startedAt = performance.now();
  const wanted = ({ name }: { name: string }): boolean =>
    only.some((beginning) => name.startsWith(beginning));
  const graph = explore(
    shippedSystem(instance, { mutations, keeps: (name) => wanted({ name }) }),
    shippedInvariants(mutations).filter(wanted),
  );
  const violation = graph.violation ?? structure(graph).find(({ property }) => wanted({ name: property }));
  const refuted = (): Violation | undefined => {
    const fairness = shippedFairness(graph, instance);
    for (const property of shippedLiveness(instance).filter(wanted)) {
      const found = refuteLeadsTo(graph, property, fairness);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return { graph, violation: violation ?? refuted(), elapsedMs: performance.now() - startedAt };
}
