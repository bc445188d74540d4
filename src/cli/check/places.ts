/**
 * Where things stand in a trace of several files. The monitor knows one number for a line, so the lines of all files are counted
 * through for it, and what it says of them is told by file and line again.
 */
import { basename, dirname, join } from 'node:path';
import type { Evidence, Verdict, Violation } from '../../theory/verdict/verdict.ts';

/** Evidence with the file in which its line is counted; absent if there is only one. */
export interface PlacedEvidence extends Evidence {
  readonly file?: string;
}

interface Segment {
  readonly file: string;
  /** How many lines there are in the files before it. */
  readonly before: number;
  lines: number;
}

export class Places {
  readonly #name: string;
  readonly #segments: Segment[] = [];

  /** Of a trace as it was named; the rotated files lie beside it. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The number of a line among all lines. Files come one after the other, and so do their lines. */
  count(file: string, line: number): number {
    let last = this.#segments.at(-1);
    if (last === undefined || last.file !== file) {
      last = { file, before: last === undefined ? 0 : last.before + last.lines, lines: 0 };
      this.#segments.push(last);
    }
    last.lines = line;
    return last.before + line;
  }

  /** The verdict with every line told in its own file. */
  placed(verdict: Verdict): Verdict {
    if (this.#segments.length < 2) return verdict;
    const axioms = Object.entries(verdict.axioms).map(([id, axiom]) => [
      id,
      { ...axiom, violations: axiom.violations.map((violation) => this.#violation(violation)) },
    ]);
    return { ...verdict, axioms: Object.fromEntries(axioms) };
  }

  /** "line 3", with its file if there are several. */
  text(counted: number): string {
    const { file, line } = this.#place(counted);
    return this.#segments.length < 2 ? `line ${line}` : `${file}, line ${line}`;
  }

  #violation(violation: Violation): Violation {
    const events = violation.events.map(
      (event): PlacedEvidence =>
        event.line === undefined ? event : { ...event, ...this.#place(event.line) },
    );
    const because = violation.because.replace(
      MALFORMED_LINE,
      (_, words, line) => words + this.text(Number(line)),
    );
    return { ...violation, because, events };
  }

  #place(counted: number): { file: string; line: number } {
    const { file, before } = this.#segments.findLast((segment) => segment.before < counted) ?? {
      file: this.#name,
      before: 0,
    };
    return { file: join(dirname(this.#name), basename(file)), line: counted - before };
  }
}

/** The one sentence of the monitor's that names a line itself. */
const MALFORMED_LINE = /^(The trace is malformed: )line (\d+)(?=: )/;
