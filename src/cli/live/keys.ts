/** What a terminal in raw mode sends for the keys that are pressed, as names of keys. Pure. */

/** A key by its name, such as `up`, or the character that it types. */
export type Key = string;

const NAMED: Readonly<Record<string, Key>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u001b': 'escape',
  '\u0003': 'ctrl-c',
  '\u001a': 'ctrl-z',
  '\u001c': 'ctrl-\\',
};

/** What follows the escape character: the forms of xterm, of its application mode, and of the Linux console. */
const SEQUENCES: Readonly<Record<string, Key>> = {
  '[A': 'up',
  OA: 'up',
  '[B': 'down',
  OB: 'down',
  '[D': 'left',
  OD: 'left',
  '[5~': 'page up',
  '[6~': 'page down',
  '[H': 'home',
  OH: 'home',
  '[1~': 'home',
  '[F': 'end',
  OF: 'end',
  '[4~': 'end',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what terminals send
const PART = /\u001b(\[[\d;<]*[A-Za-z~]|O[A-Za-z])|\u001b|[\s\S]/gu;

/** The keys in a text as it arrived. A sequence that is not known is no key; other control characters are none either. */
export function keysIn(text: string): Key[] {
  return [...text.matchAll(PART)].flatMap(([part, sequence]) => {
    if (sequence !== undefined) return SEQUENCES[sequence] ?? [];
    return NAMED[part] ?? (/\p{Cc}/u.test(part) ? [] : part);
  });
}
