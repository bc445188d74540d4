/**
 * A program on a real pseudo-terminal, whose screen is kept by a terminal emulator that somebody else wrote: what is seen here is
 * what a user would see.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { bounded, Conditions } from '../patience.ts';
import type { User } from '../unprivileged.ts';

export interface PtyOptions {
  readonly program: readonly [file: string, ...args: string[]];
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Another user, for whom it runs. */
  readonly user?: Partial<User>;
  /** Called when the program has said something. */
  readonly heard?: () => void;
}

/** Neighbouring characters that look the same. */
export interface Run {
  readonly column: number;
  readonly text: string;
  /** A number of the palette; undefined for the terminal's own colour. */
  readonly colour: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

export class Pty {
  /** Everything that was sent to the terminal. */
  raw = '';
  /** The exit code, however long it takes. */
  readonly ended: Promise<number>;
  readonly #pty: IPty;
  readonly #heard: () => void;
  readonly #emulator: InstanceType<typeof xterm.Terminal>;
  readonly #decoder = new StringDecoder('utf8');
  readonly #conditions = new Conditions();
  #hasExited = false;

  constructor({ program: [file, ...args], columns, rows, cwd, env, user, heard = () => {} }: PtyOptions) {
    this.#heard = heard;
    this.#emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    const options = { cols: columns, rows, cwd, env: withoutGaps(env), encoding: null, ...user };
    this.#pty = spawn(file, args, options);
    this.#pty.onData((data) => this.#hear(Buffer.from(data)));
    this.#readToTheEnd();
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        // The last words may still be on their way through the emulator.
        this.#emulator.write('', () => {
          this.#hasExited = true;
          this.#conditions.happened();
          resolve(exitCode);
        });
      });
    });
  }

  #hear(bytes: Buffer): void {
    const text = this.#decoder.write(bytes);
    this.raw += text;
    this.#heard();
    this.#emulator.write(text, () => this.#conditions.happened());
  }

  /**
   * Sees to it that the last words of a program are heard, however late this process gets to read them. libuv before 1.52 takes a terminal
   * whose program is gone for read to its end after the first 4 KB. So this process keeps the other end open as well: the program's
   * end is then no end of the terminal. node-pty closes the terminal a moment after the program has ended, read or not. What is left is read
   * before that.
   */
  #readToTheEnd(): void {
    const socket = Reflect.get(this.#pty, '_socket');
    const fd: number = Reflect.get(this.#pty, 'fd');
    const otherEnd = openSync(Reflect.get(this.#pty, 'ptsName'), constants.O_RDWR | constants.O_NOCTTY);
    const destroy: () => void = socket.destroy.bind(socket);
    socket.destroy = () => {
      socket.destroy = destroy;
      for (const bytes of whatIsLeft(fd)) this.#hear(bytes);
      closeSync(otherEnd);
      destroy();
    };
  }

  /** The exit code, which comes soon. */
  get exited(): Promise<number> {
    return bounded('the end of the program on a terminal', this.ended, () => this.screen);
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get isAlternate(): boolean {
    return this.#emulator.buffer.active.type === 'alternate';
  }

  /** The screen as it is, without blanks at the ends of lines and empty lines at the end. */
  get screen(): string {
    const { active } = this.#emulator.buffer;
    const lines = Array.from({ length: this.#emulator.rows }, (_, row) =>
      (active.getLine(active.baseY + row)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.join('\n').trimEnd();
  }

  /** What is shown inverse: the selected row. */
  get selected(): string {
    const { active } = this.#emulator.buffer;
    let text = '';
    for (let row = 0; row < this.#emulator.rows; row++) {
      const line = active.getLine(active.baseY + row);
      for (let column = 0; column < (line?.length ?? 0); column++) {
        const cell = line?.getCell(column);
        if (cell !== undefined && cell.isInverse() !== 0) text += cell.getChars();
      }
    }
    return text;
  }

  /** The screen as it is, a list of runs for each line. */
  get cells(): readonly (readonly Run[])[] {
    const { active } = this.#emulator.buffer;
    return Array.from({ length: this.#emulator.rows }, (_, row) =>
      runsOf(active.getLine(active.baseY + row)),
    );
  }

  /** The screen, once it shows this. A frame that comes in pieces is looked at when the program says that it is whole. */
  shows(pattern: RegExp | ((screen: string) => boolean)): Promise<string> {
    const holds = typeof pattern === 'function' ? pattern : (screen: string) => pattern.test(screen);
    return this.#conditions.find(
      `a screen with ${pattern}`,
      () => {
        const { screen } = this;
        const isWhole = this.#hasExited || !this.#emulator.modes.synchronizedOutputMode;
        if (isWhole && holds(screen)) return screen;
        if (this.#hasExited) throw new Error(`it left without showing ${pattern}:\n${screen}`);
        return undefined;
      },
      () => this.screen,
    );
  }

  press(keys: string): void {
    this.#pty.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#hasExited) return;
    try {
      process.kill(this.#pty.pid, signal);
    } catch {
      // It has ended, and we have not heard of it yet.
    }
  }

  /** Closes the terminal, as closing its window does. */
  hangUp(): void {
    Reflect.get(this.#pty, 'destroy').call(this.#pty);
  }
}

/** What can be read without waiting. */
function* whatIsLeft(fd: number): Generator<Buffer> {
  const bytes = Buffer.alloc(65_536);
  try {
    for (;;) yield bytes.subarray(0, readSync(fd, bytes));
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'EAGAIN') throw error;
  }
}

const withoutGaps = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

type Line = ReturnType<InstanceType<typeof xterm.Terminal>['buffer']['active']['getLine']>;

function runsOf(line: Line): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < (line?.length ?? 0); column++) {
    const cell = line?.getCell(column);
    // The second half of a wide character is no character.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const look = {
      colour: cell.isFgPalette() ? cell.getFgColor() : undefined,
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
    };
    const text = cell.getChars() === '' ? ' ' : cell.getChars();
    const last = runs.at(-1);
    const isSame =
      last !== undefined &&
      last.colour === look.colour &&
      last.isBold === look.isBold &&
      last.isDim === look.isDim;
    if (isSame) runs[runs.length - 1] = { ...last, text: last.text + text };
    else runs.push({ column, text, ...look });
  }
  return runs;
}
