/** How far a large file has been read: one line on standard error, if that is a terminal, drawn over itself and then gone. */
import type { Io } from '../command.ts';
import { roomOf } from '../room.ts';
import { styleFor } from '../style.ts';
import { fill, printable, truncate } from '../text.ts';

/** Less is read before anybody could read this. */
const LARGE_BYTES = 2 ** 20;
const DRAW_EVERY_MS = 100;
const BAR_COLUMNS = 24;
const TO_LINE_START = '\r\u001b[K';

export class Progress {
  readonly #io: Io;
  readonly #name: string;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(io: Io, name: string) {
    this.#io = io;
    this.#name = printable(name);
  }

  read(bytesRead: number, bytesTotal: number | undefined): void {
    const { stderr, env } = this.#io;
    const now = performance.now();
    const isSeen = stderr.isTTY === true && env.TERM !== 'dumb';
    if (!isSeen || (bytesTotal ?? bytesRead) < LARGE_BYTES || now - this.#drawnAt < DRAW_EVERY_MS) return;
    this.#drawnAt = now;
    stderr.write(TO_LINE_START + truncate(this.#line(bytesRead, bytesTotal), roomOf(stderr) - 1));
  }

  /** Whatever is said next begins at the start of an empty line. */
  end(): void {
    if (this.#drawnAt > 0) this.#io.stderr.write(TO_LINE_START);
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }

  #line(bytesRead: number, bytesTotal: number | undefined): string {
    if (bytesTotal === undefined) return `judging ${this.#name}: ${megabytes(bytesRead)} MB`;
    // A trace that is still being written may grow while it is read.
    const part = Math.min(1, bytesRead / bytesTotal);
    const { symbols } = styleFor(this.#io.stderr, this.#io.env);
    const bar = fill(symbols.progress.repeat(Math.round(part * BAR_COLUMNS)), BAR_COLUMNS);
    const size = `${megabytes(bytesRead)} of ${megabytes(bytesTotal)} MB`;
    return `judging ${this.#name} ${symbols.bar}${bar}${symbols.bar} ${Math.floor(part * 100)} % (${size})`;
  }
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
