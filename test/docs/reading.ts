/**
 * How long a page can be read without anything for the eye to stop at.
 *
 * The measure: running words between two *landmarks*, at 240 words per minute (what adults read silently, of plain English). Landmarks
 * are headings, paragraphs that begin with bold words (headings within the line) or with a word in italics and a full stop, items of lists, tables, blocks of code and pictures.
 * Words in tables and blocks do not count: these are looked up, not read from beginning to end.
 */

const WORDS_PER_SECOND = 240 / 60;

export interface Stretch {
  /** The line in which it begins, counted from 1. */
  readonly line: number;
  readonly seconds: number;
}

const withoutBlocks = (text: string): string =>
  text.replace(/^( *)(`{3,}).*\n[\s\S]*?\n\1\2 *$/gm, (block) => `<block>${block.replace(/[^\n]/g, '')}`);

/** Begins something else, and has words of its own. */
const BEGINS = /^\s*([-*+] |\d+\. |<a id|\*\*|\*[^*]+\.\* )/;
/** Ends what came before it, and has no words that count. */
const PARTS = /^(#{1,6} |\s*\||\s*<block>|\s*!\[|<!--)/;

/** All stretches of running text on a page, in order. */
export function stretchesOf(text: string): Stretch[] {
  const stretches: { line: number; words: number }[] = [{ line: 1, words: 0 }];
  for (const [index, line] of withoutBlocks(text).split('\n').entries()) {
    if (PARTS.test(line) || BEGINS.test(line)) stretches.push({ line: index + 1, words: 0 });
    const last = stretches[stretches.length - 1];
    if (!PARTS.test(line)) last.words += line.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  }
  return stretches.map(({ line, words }) => ({ line, seconds: words / WORDS_PER_SECOND }));
}
