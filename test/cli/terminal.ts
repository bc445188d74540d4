/** The command line on a real pseudo-terminal. */
import { after } from 'node:test';
import { repeatUntil } from '../patience.ts';
import { environment, folder, main } from './kit.ts';
import { Pty, type PtyOptions } from './pty.ts';

export interface TerminalOptions extends Partial<Pick<PtyOptions, 'columns' | 'rows' | 'cwd' | 'program'>> {
  readonly env?: Record<string, string | undefined>;
}

export class Terminal extends Pty {
  /** With `program`, that one instead of the command line itself. */
  constructor(words: readonly string[], options: TerminalOptions = {}) {
    const { columns = 100, rows = 24, cwd = folder, env = {}, program } = options;
    super({
      program: program ?? [process.execPath, main, ...words],
      columns,
      rows,
      cwd,
      env: environment(env),
    });
    terminals.add(this);
  }

  override hangUp(): void {
    terminals.delete(this);
    super.hangUp();
  }
}

const terminals = new Set<Terminal>();
after(() => {
  for (const terminal of terminals) terminal.kill('SIGKILL'); // a test that fails leaves them behind
});

export const CTRL_C = '\u0003';
export const CTRL_Z = '\u001a';
export const CTRL_BACKSLASH = '\u001c';

/** `run` on a terminal, in a folder. */
export function show(cwd: string, options: TerminalOptions = {}, ...words: string[]): Terminal {
  return new Terminal(['run', ...words], { cwd, ...options });
}

/** Presses Ctrl-C until it has left: the second one counts only some time after the first, as a person would press it. */
export const pressUntilLeft = (terminal: Terminal): Promise<number> =>
  repeatUntil('its end by Ctrl-C', terminal.exited, () => terminal.press(CTRL_C));

/** Whether the cursor was hidden last. */
export const isHidden = ({ raw }: Terminal): boolean =>
  raw.lastIndexOf('\u001b[?25l') > raw.lastIndexOf('\u001b[?25h');
