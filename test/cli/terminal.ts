/**
 * A command on a real pseudo-terminal, whose screen is kept by a terminal emulator that somebody else wrote: what a test sees is what
 * a user would see.
 */

import { after } from 'node:test';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { environment, folder, main } from './kit.ts';

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  readonly env?: Record<string, string | undefined>;
  /** Instead of the command line itself. */
  readonly program?: readonly [file: string, ...args: string[]];
}

export class Terminal {
  /** Everything that was sent to the terminal. */
  raw = '';
  readonly exited: Promise<number>;
  readonly #pty: IPty;
  readonly #emulator: InstanceType<typeof xterm.Terminal>;
  readonly #waiting = new Set<() => void>();
  #hasExited = false;

  constructor(words: readonly string[], options: TerminalOptions = {}) {
    const { columns = 100, rows = 24, cwd = folder, env = {}, program } = options;
    const [file, ...args] = program ?? [process.execPath, main, ...words];
    this.#emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    this.#pty = spawn(file, args, { cols: columns, rows, cwd, env: withoutGaps(environment(env)) });
    this.#pty.onData((data) => {
      this.raw += data;
      this.#emulator.write(data, () => this.#look());
    });
    this.exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        // The last words may still be on their way through the emulator.
        this.#emulator.write('', () => {
          this.#hasExited = true;
          this.#look();
          resolve(exitCode);
        });
      });
    });
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

  /** The screen, once it shows this. */
  shows(pattern: RegExp | ((screen: string) => boolean)): Promise<string> {
    const holds = typeof pattern === 'function' ? pattern : (screen: string) => pattern.test(screen);
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const { screen } = this;
        if (holds(screen)) resolve(screen);
        else if (this.#hasExited) reject(new Error(`it left without showing ${pattern}:\n${screen}`));
        else return;
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
  }

  press(keys: string): void {
    this.#pty.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#hasExited) process.kill(this.#pty.pid, signal);
  }

  /** Closes the terminal, as closing its window does. */
  hangUp(): void {
    terminals.delete(this);
    Reflect.get(this.#pty, 'destroy').call(this.#pty);
  }

  #look(): void {
    for (const look of this.#waiting) look();
  }
}

export const CTRL_C = '\u0003';
export const CTRL_Z = '\u001a';

const withoutGaps = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

const terminals = new Set<Terminal>();
after(() => {
  for (const terminal of terminals) terminal.kill('SIGKILL'); // a test that fails leaves them behind
});

/** `run` on a terminal, in a folder. */
export function show(cwd: string, options: TerminalOptions = {}, ...words: string[]): Terminal {
  const terminal = new Terminal(['run', ...words], { cwd, ...options });
  terminals.add(terminal);
  void terminal.exited.then(() => terminals.delete(terminal));
  return terminal;
}

/** Presses Ctrl-C until it has left: the second one counts only some time after the first, as a person would press it. */
export async function pressUntilLeft(terminal: Terminal): Promise<number> {
  const pressing = setInterval(() => terminal.press(CTRL_C), 50);
  const code = await terminal.exited;
  clearInterval(pressing);
  return code;
}

/** Whether the cursor was hidden last. */
export const isHidden = ({ raw }: Terminal): boolean =>
  raw.lastIndexOf('\u001b[?25l') > raw.lastIndexOf('\u001b[?25h');
