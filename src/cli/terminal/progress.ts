/** How far something long has come: a bar on a terminal, drawn over itself and then gone; elsewhere a line every ten per cent. */
import type { Io } from '../args/command.ts';
import { wholeDuration } from '../words.ts';
import { roomOf, styleFor } from './style.ts';
import { fill, printable, truncate } from './text.ts';

const DRAW_EVERY_MS = 100;
const BAR_COLUMNS = 24;
const TO_LINE_START = '\r\u001b[K';

type Screen = Pick<Io, 'stderr' | 'env'>;

/** Whether a line can be drawn over itself. */
const isDrawable = ({ stderr, env }: Screen): boolean => stderr.isTTY === true && env.TERM !== 'dumb';

/** One line of a terminal, drawn at most ten times a second. */
export class ProgressLine {
  readonly #screen: Screen;
  readonly isSeen: boolean;
  #drawnAt: number | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.isSeen = isDrawable(screen);
  }

  draw(line: () => string): void {
    const now = performance.now();
    if (!this.isSeen || (this.#drawnAt !== undefined && now - this.#drawnAt < DRAW_EVERY_MS)) return;
    this.#drawnAt = now;
    const { stderr } = this.#screen;
    stderr.write(TO_LINE_START + truncate(line(), roomOf(stderr) - 1));
  }

  /** Whatever is said next begins at the start of an empty line. */
  end(): void {
    if (this.#drawnAt !== undefined) this.#screen.stderr.write(TO_LINE_START);
    this.#drawnAt = undefined;
  }
}

/** "│█████     │ 40 %"; never more than all of it: a file may grow while it is read. */
export function bar({ stderr, env }: Screen, done: number): string {
  const part = Math.min(1, done);
  const { symbols } = styleFor(stderr, env);
  const filled = fill(symbols.progress.repeat(Math.round(part * BAR_COLUMNS)), BAR_COLUMNS);
  return `${symbols.bar}${filled}${symbols.bar} ${Math.floor(part * 100)} %`;
}

export interface Progress {
  advance(by?: number): void;
  /** One of the parts that are about to be counted has failed. */
  failed(): void;
  /** Takes the bar off the screen. */
  end(): void;
}

/** Of something whose parts can be counted. */
export function createProgress(screen: Screen, total: number, label: string): Progress {
  const line = new ProgressLine(screen);
  const startedAt = performance.now();
  let done = 0;
  let failed = 0;
  let shownTenth = 0;
  const figures = (): string => {
    const leftMs = ((performance.now() - startedAt) / done) * (total - done);
    const failures = failed === 0 ? '' : ` ${failed.toLocaleString('en')} failed,`;
    return `${Math.floor(done).toLocaleString('en')} of ${total.toLocaleString('en')} ${label},${failures} ${wholeDuration(leftMs)} left`;
  };
  return {
    advance(by = 1) {
      done += by;
      const tenth = Math.floor((done / total) * 10);
      if (line.isSeen) line.draw(() => `${bar(screen, done / total)} ${figures()}`);
      else if (tenth > shownTenth) {
        shownTenth = tenth;
        screen.stderr.write(`${Math.floor((done / total) * 100)} % ${figures()}\n`);
      }
    },
    failed() {
      failed++;
    },
    end: () => line.end(),
  };
}

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
