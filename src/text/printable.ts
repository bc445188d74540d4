/** Text from outside, made harmless for a terminal, a line of a log, and a JSON document. */

/** Whatever acts on a terminal, hides, reorders what stands next to it, or ends a line: controls, bidi marks, lone surrogates, line separators. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A text on one line, with everything unsafe spelt out: "\u{1b}" for an escape. */
export const printable = (text: string): string =>
  text.replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** A text of several lines, such as lines of source with a mark below them: line breaks and tabs stay. */
export const printableLines = (text: string): string =>
  text.replace(UNSAFE, (character) => (/[\n\t]/.test(character) ? character : printable(character)));

/**
 * A JSON text that any terminal can show. JSON itself escapes the controls below U+0020 and leaves the others (U+009B begins a command as
 * escape does), the bidi marks and the line separators. The text still means the same.
 */
export const printableJson = (text: string): string =>
  text.replace(UNSAFE, (character) =>
    character === '\n' // between values: within a text JSON has escaped it
      ? character
      : Array.from({ length: character.length }, (_, unit) => escapeOf(character.charCodeAt(unit))).join(''),
  );

const escapeOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
