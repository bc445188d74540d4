/** What the checker says of a trace, and how the verdict is made of the book. */
import type { Axiom } from '../axioms/axiom.ts';
import type { Witnesses } from '../delays/compute.ts';
import type { Ledger } from './ledger.ts';

// Sentences as data: a reader may show an instant in another zone, or a line as a place in a file, without parsing prose.

/** A piece of a sentence: words, an instant, or a line of the trace. */
export type SentencePart = string | { readonly at: number } | { readonly line: number };

export interface Sentence {
  readonly because: string;
  readonly parts: readonly SentencePart[];
}

/** An instant, as people read it. */
export const iso = (at: number): string =>
  Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at);

/** Makes a sentence: ``sentence`"${name}" ended at ${{ at }}` ``. Another sentence may be a part of it. */
export function sentence(
  words: TemplateStringsArray,
  ...values: readonly (SentencePart | number | Pick<Sentence, 'parts'>)[]
): Sentence {
  const parts: SentencePart[] = [];
  const add = (part: SentencePart): void => {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  };
  for (const [i, word] of words.entries()) {
    add(word);
    const value = values[i];
    if (value === undefined) continue;
    if (typeof value === 'number') add(String(value));
    else if (typeof value === 'object' && 'parts' in value) value.parts.forEach(add);
    else add(value);
  }
  return { because: parts.map(shown).join(''), parts };
}

function shown(part: SentencePart): string {
  if (typeof part === 'string') return part;
  return 'at' in part ? iso(part.at) : `line ${part.line}`;
}

/**
 * What a trace says of an axiom. Vacuous: nothing put it to the test. Undecided: something is owed and not yet late, or no
 * finite trace can decide it.
 */
export type Status = 'holds' | 'violated' | 'undecided' | 'vacuous';

/** One event of the trace, as evidence: a record, or a pulse that was derived. */
export interface Evidence {
  readonly event: string;
  /** Absent for what stands before the first record. */
  readonly at?: number;
  readonly task?: string;
  /** Where it stands in the file, counted from 1; absent for what is derived. */
  readonly line?: number;
}

/** Evidence with a known instant. */
export type DatedEvidence = Evidence & { readonly at: number };

/** One record as evidence; its line is 0 where there are no lines. */
export const evidence = (event: string, at: number, line: number, task?: string): DatedEvidence => ({
  event,
  at,
  ...(task === undefined ? {} : { task }),
  ...(line > 0 ? { line } : {}),
});

/** An axiom that broke: where, whose fault it was, and the proof. */
export interface Violation {
  readonly axiom: string;
  readonly task?: string;
  /** Absent for what stands before the first record, when no instant is known yet. */
  readonly at?: number;
  /** Whose fault it was. Outside: something happened that the theory has no word for. */
  readonly blame: 'scheduler' | 'environment' | 'outside';
  /** One sentence that an operator understands. */
  readonly because: string;
  /** The same sentence in pieces, with its instants and lines as numbers. */
  readonly parts: readonly SentencePart[];
  /** The few events that prove it, in order. */
  readonly events: readonly Evidence[];
}

/** A violation, of the task and at the instant of the first event that proves it. */
export function violationBy(
  axiom: string,
  blame: Violation['blame'],
  words: Sentence,
  ...events: readonly [DatedEvidence, ...DatedEvidence[]]
): Violation {
  const [{ task, at }] = events;
  return { axiom, ...(task === undefined ? {} : { task }), at, blame, ...words, events };
}

/** What a trace says of one axiom. */
export interface AxiomVerdict {
  readonly status: Status;
  /** The first ones; `count` says how many there were. */
  readonly violations: readonly Violation[];
  readonly count: number;
  /** What else there is to say: why it cannot break, what withheld the compute, what was accepted. */
  readonly notes: readonly string[];
}

/** What a trace says of the scheduler that left it. */
export interface Verdict {
  /** Nothing is violated that the scheduler is to blame for, and nothing has happened that is outside the model. */
  readonly conformant: boolean;
  readonly blame: 'none' | 'scheduler' | 'environment' | 'outside';
  readonly axioms: Readonly<Record<string, AxiomVerdict>>;
  /** As used for L1–L3. */
  readonly witnesses: Witnesses;
  /** The smallest lag that would make L1–L3 hold on this trace, with a = b = 0, which are not fitted: a certificate, and no proof. */
  readonly fitted: Witnesses;
  /** How many records, pulses, tasks and crashes were seen. */
  readonly counts: Readonly<Record<'records' | 'pulses' | 'tasks' | 'crashes' | 'problems', number>>;
  /** Status for one task: what its own slice says, by what the task itself has put to the test. */
  of(task: string): Readonly<Record<string, Status>>;
}

export interface Judged extends Pick<Verdict, 'counts' | 'of'> {
  readonly axioms: readonly Axiom[];
  /** The book, with everything that is still open. */
  readonly settled: Ledger;
  /** Axioms with a demand that is open at the end of the trace. */
  readonly undecided: ReadonlySet<string>;
  /** Axioms that were put to the test, besides those that the book knows of. */
  readonly seen: ReadonlySet<string>;
}

const MINUTE_MS = 60_000;

export function judge({ axioms, settled, undecided, seen, counts, of }: Judged): Verdict {
  const { blames, lagMs, now, witnesses } = settled;
  // EN3 is of the smallest lag that would do, and so of the trace as a whole.
  if (lagMs >= MINUTE_MS && axioms.some(({ id }) => id === 'EN3')) {
    const words = sentence`The smallest lag that would do is ${lagMs / 1000} s, which is not less than a minute`;
    settled.violate({ axiom: 'EN3', at: now, blame: 'environment', ...words, events: [] });
  }
  const entries = axioms.map(({ id, unbreakable }): [string, AxiomVerdict] => {
    const { violations, count, isSeen, notes } = settled.entry(id);
    const status = (): Status => {
      if (violations.length > 0) return 'violated';
      if (unbreakable !== undefined || undecided.has(id)) return 'undecided';
      return isSeen || seen.has(id) ? 'holds' : 'vacuous';
    };
    const noted = Array.from(notes, ([text, times]) => (times === 1 ? text : `${text} (${times} times)`));
    const why = unbreakable === undefined ? [] : [`no finite trace can break it: ${unbreakable}`];
    return [id, { status: status(), violations, count, notes: [...noted, ...why] }];
  });
  // Where the trace is not one of the model, what the axioms say of it may mean nothing.
  const blame = (['outside', 'scheduler', 'environment'] as const).find((one) => blames.has(one));
  return {
    conformant: !blames.has('scheduler') && !blames.has('outside'),
    blame: blame ?? 'none',
    axioms: Object.fromEntries(entries),
    witnesses,
    fitted: { a: 0, b: 0, lagMs },
    counts,
    of,
  };
}
