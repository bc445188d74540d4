/** How far a large file has been read. */
import type { Io } from '../args/command.ts';
import { bar, ProgressLine } from '../terminal/progress.ts';
import { printable } from '../terminal/text.ts';

/** Less is read before anybody could read this. */
const LARGE_BYTES = 2 ** 20;

export class ReadingProgress {
  readonly #io: Io;
  readonly #name: string;
  readonly #line: ProgressLine;

  constructor(io: Io, name: string) {
    this.#io = io;
    this.#name = printable(name);
    this.#line = new ProgressLine(io);
  }

  read(bytesRead: number, bytesTotal: number | undefined): void {
    if ((bytesTotal ?? bytesRead) >= LARGE_BYTES) this.#line.draw(() => this.#text(bytesRead, bytesTotal));
  }

  end(): void {
    this.#line.end();
  }

  #text(bytesRead: number, bytesTotal: number | undefined): string {
    if (bytesTotal === undefined) return `judging ${this.#name}: ${megabytes(bytesRead)} MB`;
    const size = `${megabytes(bytesRead)} of ${megabytes(bytesTotal)} MB`;
    return `judging ${this.#name} ${bar(this.#io, bytesRead / bytesTotal)} (${size})`;
  }
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
