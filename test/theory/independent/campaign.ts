/** Many random traces, compared and counted. */
import type { TraceRecord } from '../../../src/trace/record.ts';
import { callsOf } from './calls.ts';
import { commonAxioms, compare, type Disagreement, inWords, shrink, taskAxioms } from './compare.ts';
import { situationOf } from './macros.ts';
import { isOfStore } from './readings.ts';
import { type Origin, type RandomTrace, randomTrace } from './traces.ts';

/** How many disagreements of one kind are cut down and printed. */
const SHOWN = 3;

export class Campaign {
  disagreements = 0;
  readonly #counts = new Map<string, number>();
  readonly #kinds = new Map<string, { count: number; shown: string[] }>();

  async play(seed: number, origin: Origin): Promise<void> {
    const trace = randomTrace(seed, origin);
    const { found, disagreements } = await compare(trace);
    for (const feature of [`traces, ${origin}`, ...featuresOf(trace.records)]) this.#count(feature);
    for (const axiom of commonAxioms) if (found.common.has(axiom)) this.#count(`violating ${axiom}`);
    for (const axiom of taskAxioms)
      if ([...found.tasks.values()].some((readings) => readings.every((violated) => violated.has(axiom))))
        this.#count(`violating ${axiom}`);
    if ([...found.tasks.values()].some((readings) => readings.length > 1)) this.#count('in doubt');
    for (const why of new Set(found.leftOut.values())) this.#count(`with a task left out: ${why}`);
    if (disagreements.length > 0 && breaksD4InDoubt(trace.records)) {
      this.#count('with a disagreement where a doubtful call breaks D4');
      return;
    }
    if (disagreements.length > 0) this.disagreements++;
    const kinds = new Map(disagreements.map((one) => [`${one.axiom} ${one.kind}`, one]));
    for (const [kind, one] of kinds) await this.#note(kind, one, trace, `seed ${seed}, ${origin}`);
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  async #note(kind: string, one: Disagreement, trace: RandomTrace, origin: string): Promise<void> {
    const seen = this.#kinds.get(kind) ?? { count: 0, shown: [] };
    this.#kinds.set(kind, seen);
    seen.count++;
    if (seen.shown.length >= SHOWN) return;
    seen.shown.push(`${kind} (${origin})\n${inWords(await shrink(trace, one))}`);
  }

  /** The counts, then the disagreements. */
  summary(): readonly string[] {
    const counts = [...this.#counts].sort(([one], [other]) => one.localeCompare(other));
    return [
      ...counts.map(([what, count]) => `${count.toLocaleString('en').padStart(9)} ${what}`),
      ...[...this.#kinds].flatMap(([kind, { count, shown }]) => [`${count} × ${kind}`, ...shown]),
      `${this.disagreements} traces with a disagreement`,
    ];
  }
}

function featuresOf(records: readonly TraceRecord[]): readonly string[] {
  const has = (event: RegExp): boolean => records.some((record) => event.test(record.event));
  const [crash, durable] = [has(/^UnexpectedShutdown$/), has(/Durable$/)];
  return [
    'traces',
    ...(crash ? ['with crashes'] : []),
    ...(durable ? ['with durability records'] : []),
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
