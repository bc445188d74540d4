/**
 * Where things stand in a trace of several files. The monitor knows one number for a line, so the lines of all files have numbers for it
 * that differ; what it says of a line is then given by file and line again.
 */
import { basename, dirname, join, relative } from 'node:path';
import type { Evidence, Verdict, Violation } from '../../theory/index.ts';
import { plainSentence } from './sentence.ts';

/** Evidence with the file in which its line is counted; absent if there is only one. */
export interface PlacedEvidence extends Evidence {
  readonly file?: string;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

abstract class Places {
  /** The number of a line among all lines. */
  abstract count(file: string, line: number): number;
  protected abstract readonly isOne: boolean;
  protected abstract place(counted: number): Place;

  /** The verdict with every line counted in its own file. */
  placed(verdict: Verdict): Verdict {
    if (this.isOne) return verdict;
    const axioms = Object.entries(verdict.axioms).map(([id, axiom]) => [
      id,
      { ...axiom, violations: axiom.violations.map((violation) => this.#violation(violation)) },
    ]);
    return { ...verdict, axioms: Object.fromEntries(axioms) };
  }

  /** "line 3", with its file if there are several. */
  text(counted: number): string {
    const { file, line } = this.place(counted);
    return this.isOne ? `line ${line}` : `${file}, line ${line}`;
  }

  #violation(violation: Violation): Violation {
    const events = violation.events.map(
      (event): PlacedEvidence => (event.line === undefined ? event : { ...event, ...this.place(event.line) }),
    );
    const parts = violation.parts.map((part) =>
      typeof part === 'object' && 'line' in part ? this.text(part.line) : part,
    );
    return { ...violation, because: plainSentence(parts), parts, events };
  }
}

export type { Places };

interface Segment {
  readonly file: string;
  /** How many lines there are in the files before it. */
  readonly before: number;
  lines: number;
}

/** One trace, with its rotated files: one file comes after the other, and the lines of all are counted through. */
export class PlacesInOne extends Places {
  readonly #name: string;
  readonly #segments: Segment[] = [];

  /** Of a trace as it was named; the rotated files are in the same folder. */
  constructor(name: string) {
    super();
    this.#name = name;
  }

  protected get isOne(): boolean {
    return this.#segments.length < 2;
  }

  count(file: string, line: number): number {
    let last = this.#segments.at(-1);
    if (last === undefined || last.file !== file) {
      last = { file, before: last === undefined ? 0 : last.before + last.lines, lines: 0 };
      this.#segments.push(last);
    }
    last.lines = line;
    return last.before + line;
  }

  protected place(counted: number): Place {
    const { file, before } = this.#segments.findLast((segment) => segment.before < counted) ?? {
      file: this.#name,
      before: 0,
    };
    return { file: join(dirname(this.#name), basename(file)), line: counted - before };
  }
}

/** More files than anybody merges: a number has room for the line and the file. */
const MOST_FILES = 2 ** 16;

/** Several traces that are merged: their lines come in any order. */
export class PlacesInMany extends Places {
  readonly #cwd: string;
  readonly #files: string[] = [];
  readonly #numbers = new Map<string, number>();
  protected readonly isOne = false;

  constructor(cwd: string) {
    super();
    this.#cwd = cwd;
  }

  count(file: string, line: number): number {
    let number = this.#numbers.get(file);
    if (number === undefined) {
      number = this.#files.push(file) - 1;
      this.#numbers.set(file, number);
    }
    return line * MOST_FILES + number;
  }

  protected place(counted: number): Place {
    const file = this.#files[counted % MOST_FILES] ?? '';
    return { file: relative(this.#cwd, file) || file, line: Math.floor(counted / MOST_FILES) };
  }
}
