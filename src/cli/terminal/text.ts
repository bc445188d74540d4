/** Text for a terminal: how wide it is, cut, filled up and wrapped to a width, and with nothing in it that acts on the terminal; and JSON. */
import { stripVTControlCharacters } from 'node:util';
import { describeError } from '../../text/describe-error.ts';
import { printableJson } from '../../text/printable.ts';

export { printable } from '../../text/printable.ts';
export { counted } from '../../text/words.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Scripts whose characters fill two columns, and emoji. Good enough for a name in a table. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
const simple = /^[\u0020-\u007e]*$/;

/** The columns that a text fills, colours not counted. */
export function widthOf(text: string): number {
  if (simple.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text)))
    width += wide.test(segment) ? 2 : 1;
  return width;
}

/** At most so many columns of a text; what was cut off shows as "…". Cutting takes the colours off, so that none is left open. */
export function truncate(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns <= 0) return '';
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) {
    const next = width + (wide.test(segment) ? 2 : 1);
    if (next > columns - 1) break;
    kept += segment;
    width = next;
  }
  return `${kept}…`;
}

/** Filled up with blanks to so many columns; a longer text stays as it is. Colours are not counted. */
export function fill(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return side === 'left' ? text + blanks : blanks + text;
}

/** A paragraph in lines of at most so many columns; a word that is longer stands alone. */
export function wrap(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(`${indent}${line} ${word}`) > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, indent + line].join('\n');
}

/** A text that somebody else wrote, fit for one line of a terminal: no colours, no control characters, no line breaks. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\t\n\r\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{C}/gu, '\ufffd')
    .trimEnd();
}

/** What went wrong, in one line. */
export function messageOf(error: unknown): string {
  const { name, message } = describeError(error);
  return message === '' ? name : message;
}

/** One JSON document, for a program to read; lists of numbers stay on one line. */
export const json = (value: unknown): string =>
  `${printableJson(JSON.stringify(value, undefined, 2)).replace(/\[\n\s+(-?\d+(?:,\n\s+-?\d+)*)\n\s+\]/g, (list) => list.replace(/\s+/g, ''))}\n`;

/** The same on one line, for documents that come one after the other. */
export const oneDocument = (value: unknown): string => `${printableJson(JSON.stringify(value))}\n`;
