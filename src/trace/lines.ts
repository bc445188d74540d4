/**
 * From pieces of text, cut anywhere, to checked records. Memory holds one piece and, of what came before it, only a line that
 * has not ended yet.
 */
import { StringDecoder } from 'node:string_decoder';
import { visible } from '../errors.ts';
import { checkRecord } from './check.ts';
import type { TraceRecord } from './record.ts';

/** What is wrong with a line. A last line without its end is `truncated`, which is what a death in the middle of writing leaves. */
export interface TraceProblem {
  readonly line: number;
  readonly file: string;
  readonly kind: 'json' | 'event' | 'field' | 'truncated';
  readonly message: string;
}

/** A line of a trace, counted from 1 in its own file: a record, or what is wrong. */
export type TraceEntry =
  | {
      readonly record: TraceRecord;
      readonly problem?: undefined;
      readonly line: number;
      readonly file: string;
    }
  | {
      readonly record?: undefined;
      readonly problem: TraceProblem;
      readonly line: number;
      readonly file: string;
    };

/** A line longer than this is no record (a list of a million registrations is a third of it), and is never kept in memory. */
const LONGEST_LINE = 2 ** 28;

export class Lines {
  readonly #file: string;
  readonly #longest: number;
  readonly #decoder = new StringDecoder('utf8');
  /** The line that has not ended yet, in the pieces in which it came: joined once, however many they are. */
  #begun: string[] = [];
  #begunLength = 0;
  #line = 0;

  constructor(file: string, longest = LONGEST_LINE) {
    this.#file = file;
    this.#longest = longest;
  }

  /** The entries of every line that ends in this piece. */
  take(piece: string | Uint8Array): TraceEntry[] {
    const text = typeof piece === 'string' ? piece : this.#decoder.write(piece);
    const entries: TraceEntry[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#begin(text.slice(from, end));
      this.#endLine(entries, 'json');
      from = end + 1;
    }
    if (from < text.length) this.#begin(from === 0 ? text : text.slice(from));
    return entries;
  }

  /** The entry of a last line that has no end, if there is one. A whole record is one even so. */
  end(): TraceEntry[] {
    const entries: TraceEntry[] = [];
    const rest = this.#decoder.end();
    if (rest !== '') this.#begin(rest);
    if (this.#begunLength > 0) this.#endLine(entries, 'truncated');
    return entries;
  }

  #begin(text: string): void {
    this.#begunLength += text.length;
    if (this.#begunLength <= this.#longest) this.#begun.push(text);
    else this.#begun = [];
  }

  #endLine(entries: TraceEntry[], ifBroken: 'json' | 'truncated'): void {
    const line = ++this.#line;
    const length = this.#begunLength;
    const text = this.#begun.length === 1 ? this.#begun[0] : this.#begun.join('');
    this.#begun = [];
    this.#begunLength = 0;
    const file = this.#file;
    if (length > this.#longest) {
      const message = `the line has ${length} characters, more than any record has`;
      entries.push({ problem: { line, file, kind: ifBroken, message }, line, file });
      return;
    }
    let value: unknown;
    try {
      // Some programs put a mark at the beginning of every text file.
      value = JSON.parse(line === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text);
    } catch {
      if (text.trim() === '') return;
      const fault = ifBroken === 'truncated' ? 'the last line was cut off' : 'the line is not JSON';
      entries.push({
        problem: { line, file, kind: ifBroken, message: `${fault}: ${beginningOf(text)}` },
        line,
        file,
      });
      return;
    }
    const checked = checkRecord(value);
    if ('event' in checked) entries.push({ record: checked, line, file });
    else entries.push({ problem: { line, file, ...checked }, line, file });
  }
}

const beginningOf = (text: string): string => `"${visible(text, 60)}"`;
