/** What the checker says of a trace, and the sentences that it says it in. */
import type { Witnesses } from '../delays/compute.ts';

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
