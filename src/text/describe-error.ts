/**
 * Describes whatever was thrown, in text that can be logged and stored. The value is foreign: its getters may throw, it may be a proxy, it
 * may hold itself, and its other properties may hold secrets (the request of a failed call, with its headers). So exactly six properties are
 * read, each guarded: `name`, `message` (of an error of this library its `headline`), `code`, `stack`, `cause` and `errors`. Only texts and numbers are taken from them, and every
 * piece has a bound.
 */
import { ObbligatoError } from '../errors.ts';
import { printable } from './printable.ts';

export interface ErrorDescription {
  readonly name: string;
  /** On one line. */
  readonly message: string;
  /** Such as "ECONNREFUSED"; absent if the error has none. */
  readonly code?: string;
  /** The error, its stack, and the same of its causes, at most 4 KB. Every line but the first is indented, so that none can pass for another record of a log. */
  readonly text: string;
}

const LONGEST_NAME = 100;
const LONGEST_MESSAGE = 1000;
const LONGEST_FRAME = 200;
const MOST_FRAMES = 10;
const LONGEST_STACK = 20_000;
/** Errors that are described in one text: causes, and the members of an `AggregateError`. */
const MOST_ERRORS = 10;
const LONGEST_TEXT_BYTES = 4096;

export function describeError(error: unknown): ErrorDescription {
  const { name, message, code } = factsOf(error);
  const lines: string[] = [];
  describeInto(lines, error, '', new Set());
  return {
    name,
    message: onOneLine(message),
    ...(code === undefined ? {} : { code }),
    text: withinBytes(lines.join('\n'), LONGEST_TEXT_BYTES),
  };
}

interface Facts {
  readonly name: string;
  /** With its line breaks, and otherwise printable. */
  readonly message: string;
  readonly code: string | undefined;
}

function factsOf(error: unknown): Facts {
  if (!isObject(error))
    return { name: kindOf(error), message: clean(textOf(error), LONGEST_MESSAGE), code: undefined };
  const message = read(error, isOfLibrary(error) ? 'headline' : 'message');
  const code = read(error, 'code');
  const isCode = (typeof code === 'string' && code !== '') || typeof code === 'number';
  return {
    name: onOneLine(clean(nameOf(error), LONGEST_NAME)),
    message:
      typeof message === 'string' ? clean(message, LONGEST_MESSAGE) : 'it has no message that can be read',
    code: isCode ? onOneLine(clean(String(code), LONGEST_NAME)) : undefined,
  };
}

/**
 * Writes an error with everything below it; `label` says what it is to the error before it, and is empty for the first. Errors of this library
 * quote their causes: a cause of ours that stands in the message `above` is not written again, only what is below it.
 */
function describeInto(lines: string[], error: unknown, label: string, seen: Set<unknown>, above = ''): void {
  const indent = label === '' ? '' : '  ';
  if (seen.size === MOST_ERRORS || (isObject(error) && seen.has(error))) {
    lines.push(`${indent}${label}${seen.has(error) ? 'an error that stands above' : '…'}`);
    return;
  }
  seen.add(error);
  const { name, message, code } = factsOf(error);
  const isQuoted = isOfLibrary(error) && above.includes(message);
  if (!isQuoted) {
    const [first, ...more] = (message === '' ? name : `${name}: ${message}`).split('\n');
    lines.push(`${indent}${label}${first}`, ...more.map((line) => `    ${line}`));
    if (code !== undefined && !message.includes(code)) lines.push(`    code: ${code}`);
  }
  if (!isObject(error)) return;
  if (!isQuoted) lines.push(...framesOf(error));
  const cause = read(error, 'cause');
  const said = isQuoted ? above : message;
  if (cause !== undefined && cause !== null) describeInto(lines, cause, 'caused by ', seen, said);
  for (const member of membersOf(error)) describeInto(lines, member, 'one of its errors: ', seen);
}

/**
 * The folder of this library's own files, as stacks write it: this file finds itself there. Undefined in a bundle, where nothing tells the
 * library's places from those of the program.
 */
const OURS = /(?:file:)?\/.*\/(?=text\/describe-error\.[jt]s:)/.exec(String(new Error().stack))?.[0];

/**
 * The places of a stack, without the message before them: that may be of any length. Places in this library and in Node say nothing to the
 * author of a callback, and are left out unless there is no other.
 */
function framesOf(error: object): readonly string[] {
  const stack = read(error, 'stack');
  if (typeof stack !== 'string') return [];
  const from = stack.search(/^ {4}at /m);
  if (from < 0) return [];
  const all = stack.slice(from, from + LONGEST_STACK).split('\n');
  const theirs = all.filter(
    (frame) => !(OURS !== undefined && frame.includes(OURS)) && !/\bnode:internal\//.test(frame),
  );
  return (theirs.length > 0 ? theirs : all)
    .slice(0, MOST_FRAMES)
    .map((frame) => `    ${clean(frame.trim(), LONGEST_FRAME)}`);
}

/** One more than are described at most, so that it shows that there are more. */
function membersOf(error: object): readonly unknown[] {
  const members = read(error, 'errors');
  try {
    return Array.isArray(members) ? members.slice(0, MOST_ERRORS + 1) : [];
  } catch {
    return []; // a proxy of a list
  }
}

/** An error of this library. Its one line for people is its own, so that reading it is safe. */
function isOfLibrary(error: unknown): boolean {
  try {
    return error instanceof ObbligatoError;
  } catch {
    return false; // a proxy
  }
}

function nameOf(error: object): string {
  const name = read(error, 'name');
  if (typeof name === 'string' && name !== '') return name;
  const made = read(error, 'constructor');
  const kind = isObject(made) ? read(made, 'name') : undefined;
  return typeof kind === 'string' && kind !== '' ? kind : 'Object';
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/** What was thrown instead of an error: "string", "null". */
const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value);

function textOf(value: unknown): string {
  // A million digits take seconds to write.
  if (typeof value === 'bigint') return value === BigInt.asIntN(64, value) ? String(value) : 'a long number';
  return String(value);
}

/** A property of something foreign; undefined if it cannot be read. */
function read(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

const COLOURS = /\p{Cc}\[[\d;]*m/gu;
/**
 * Where texts hold secrets, and how they read without them. In an address, the user and the password end at the last "@": a password may hold
 * any character, but digits and a slash behind a colon are a port.
 */
const SECRETS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b([a-z][a-z\d+.-]*:\/\/)(?:[^\s/?#@:]*:(?!\d{1,5}[/?#])\S*|[^\s/?#]*)@/gi, '$1***@'],
  [
    /([\w-]*(?:password|passwd|pwd|token|secret|api[_-]?key|signature|\bsig))=("[^"]*"|'[^']*'|[^\s&;,"']+)/gi,
    '$1=***',
  ],
  [/\b(authorization["']?\s*[:=]\s*["']?)(\w+)\s+[^\s"',;]+/gi, '$1$2 ***'],
  [/\b(Bearer|Basic)\s+(?=\S*[\d._=])[\w.~+/=-]{8,}/g, '$1 ***'],
];
/** An address may be cut in two only behind its credentials, which are shorter than this. */
const ROOM = 1000;

/** Most messages and places: nothing in them has to be looked at. A secret comes with an "@", a "=" or the word of a header. */
const SIMPLE = /^(?!.*(?:authorization|Bearer|Basic)\b)[ -<>?A-~]*$/i;

/** At most so many characters of a text, without colours and credentials, and printable but for its line breaks. */
function clean(text: string, longest: number): string {
  if (text.length <= longest && SIMPLE.test(text)) return text;
  const plain = text.slice(0, longest + ROOM).replace(COLOURS, '');
  const harmless = SECRETS.reduce((shown, [secret, instead]) => shown.replace(secret, instead), plain)
    .replaceAll('\t', '  ')
    .split(/\r\n|\n/)
    .map(printable)
    .join('\n');
  if (text.length <= longest + ROOM && harmless.length <= longest) return harmless;
  return `${harmless.slice(0, longest).replace(HALF, '')}…`;
}

/** The first half of a character that was cut in two. */
const HALF = /[\ud800-\udbff]$/;

const onOneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();

/** As much of a text as fits into so many bytes of UTF-8. */
function withinBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text; // the most that a unit of UTF-16 takes
  const encoder = new TextEncoder();
  const { read: fits } = encoder.encodeInto(text, new Uint8Array(bytes));
  if (fits === text.length) return text;
  const ending = '…';
  const { read: kept } = encoder.encodeInto(text, new Uint8Array(bytes - encoder.encode(ending).length));
  return `${text.slice(0, kept)}${ending}`;
}
