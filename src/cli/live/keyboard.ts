/**
 * The keyboard of the live view. The terminal is in raw mode while it is open: it shows nothing of what is typed, and hands every key to us
 * at once. So nothing that is typed is left for the shell that comes after us. What has arrived and was not yet read is thrown away when it
 * closes.
 *
 *     closed ──open, in the foreground──▶ open ──close──▶ closed
 *
 * In raw mode the terminal sends no signals, so we send those of Ctrl-C, Ctrl-Z and Ctrl-\ ourselves, to the same processes as it would.
 * A process in the background must not touch the terminal: the system would stop it. There it stays closed.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { type Key, keysIn } from './keys.ts';

const SIGNALS: Readonly<Record<Key, NodeJS.Signals>> = {
  'ctrl-c': 'SIGINT',
  'ctrl-z': 'SIGTSTP',
  'ctrl-\\': 'SIGQUIT',
};
/** Every process of our own group, as the terminal does. */
const OWN_GROUP = 0;

export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #pressed: (key: Key) => void;
  isOpen = false;
  readonly #read = (chunk: Buffer | string): void => {
    for (const key of keysIn(chunk.toString())) {
      if (Object.hasOwn(SIGNALS, key)) process.kill(OWN_GROUP, SIGNALS[key]);
      else this.#pressed(key);
    }
  };

  constructor(input: NodeJS.ReadStream, pressed: (key: Key) => void) {
    this.#input = input;
    this.#pressed = pressed;
  }

  open(): void {
    if (this.isOpen || this.#input.isTTY !== true || !isForeground()) return;
    this.isOpen = true;
    this.#input.setRawMode(true);
    this.#input.on('data', this.#read);
    this.#input.resume();
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#input.off('data', this.#read);
    this.#input.pause();
    discardTyped();
    this.#input.setRawMode(false);
  }
}

/** Takes what was typed and not yet read out of the terminal. It must work while the process exits, so it does not wait. */
function discardTyped(): void {
  try {
    const terminal = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      const typed = Buffer.alloc(4096);
      while (readSync(terminal, typed) > 0);
    } finally {
      closeSync(terminal);
    }
  } catch {
    // There is nothing more to read (EAGAIN), or the terminal is gone.
  }
}

/** Whether the terminal belongs to our process group right now. */
function isForeground(): boolean {
  try {
    const [own, foreground] = groups();
    return own === foreground;
  } catch {
    return false; // without an answer the terminal is left alone
  }
}

/** Our process group, and the one in the foreground of our terminal. */
function groups(): string[] {
  if (process.platform === 'linux') {
    // The name of the program stands in parentheses and may hold anything; the numbers follow behind the last one.
    const status = readFileSync('/proc/self/stat', 'utf8');
    const [, , , group, , , foreground] = status.slice(status.lastIndexOf(')') + 1).split(' ');
    return [group, foreground];
  }
  const answer = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  return answer.trim().split(/\s+/);
}
