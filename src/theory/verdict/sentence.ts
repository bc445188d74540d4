/** Sentences as data: a reader of a verdict may show an instant in another zone, or a line as a place in a file, without parsing prose. */

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
