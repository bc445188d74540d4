/** Random traces, compared. The long form is `npm run campaign -- reference`. */
import type { TraceRecord } from '../../../src/trace/record.ts';
import type { Outcome } from '../../outcome.ts';
import { callsOf } from './calls.ts';
import type { TaskAxiom } from './checker.ts';
import { commonAxioms, compare, type Disagreement, inWords, shrink, taskAxioms } from './compare.ts';
import { situationOf } from './macros.ts';
import { isOfStore } from './readings.ts';
import { type Origin, type RandomTrace, randomTrace } from './traces.ts';

/** How many disagreements of one kind are cut down and printed. */
const SHOWN = 3;

export class Campaign {
  readonly #shown = new Map<string, number>();

  /** Compares one trace. Each disagreement is a violation; the first ones of each kind are cut down. */
  async play(seed: number, origin: Origin): Promise<Outcome> {
    const trace = randomTrace(seed, origin);
    const { found, disagreements } = await compare(trace);
    const breaks = (axiom: TaskAxiom): boolean =>
      [...found.tasks.values()].some((readings) => readings.every((violated) => violated.has(axiom)));
    const isKnown = disagreements.length > 0 && breaksD4InDoubt(trace.records);
    const features = [
      `traces, ${origin}`,
      ...featuresOf(trace.records),
      ...commonAxioms.filter((axiom) => found.common.has(axiom)).map((axiom) => `violating ${axiom}`),
      ...taskAxioms.filter(breaks).map((axiom) => `violating ${axiom}`),
      ...([...found.tasks.values()].some((readings) => readings.length > 1) ? ['in doubt'] : []),
      ...new Set([...found.leftOut.values()].map((why) => `with a task left out: ${why}`)),
      ...(isKnown ? ['with a disagreement where a doubtful call breaks D4'] : []),
    ];
    const kinds = new Map(disagreements.map((one) => [`${one.axiom} ${one.kind}`, one]));
    const violations: string[] = [];
    for (const [kind, one] of isKnown ? [] : kinds)
      violations.push(`${kind} (seed ${seed}, ${origin})${await this.#cutDown(kind, one, trace)}`);
    return { figures: Object.fromEntries(features.map((feature) => [feature, 1])), violations };
  }

  async #cutDown(kind: string, one: Disagreement, trace: RandomTrace): Promise<string> {
    const shown = this.#shown.get(kind) ?? 0;
    this.#shown.set(kind, shown + 1);
    return shown < SHOWN ? `\n${inWords(await shrink(trace, one))}` : '';
  }
}

function featuresOf(records: readonly TraceRecord[]): readonly string[] {
  const has = (event: RegExp): boolean => records.some((record) => event.test(record.event));
  const [crash, durable] = [has(/^UnexpectedShutdown$/), has(/Durable$/)];
  return [
    'traces',
    ...(crash ? ['with crashes'] : []),
    ...(durable ? ['with durability records'] : []),
    ...(has(/^(RunRequested|Paused|CancelRequested)$/) ? ['with operators'] : []),
    ...(crash && durable ? ['with crashes and durability records'] : []),
  ];
}

/**
 * Whether a call of `initialize` of which nobody knows if it took effect was made, or was open, while another list became or was
 * active. A scheduler that keeps D4 refuses one of the two. The reference checker reads such a call from its commit on. The oracle reads
 * it from the crash on, and not at all if the store refused it: a difference is counted, and is none.
 */
function breaksD4InDoubt(records: readonly TraceRecord[]): boolean {
  const calls = callsOf(records);
  const { positions, active } = situationOf(records, calls, { commits: [], atCrash: new Map() });
  return calls.inits.some(({ start, end, crash }) => {
    const last = crash ?? (end !== undefined && isOfStore(records[end]) ? end : -1);
    return positions.some(({ index = -1 }, i) => index >= start && index < last && active[i] !== undefined);
  });
}
