/**
 * The terminal as a screen: the alternate one, so that what was there before comes back, with the cursor hidden.
 *
 *     closed ──open──▶ open ──draw, resized──▶ open ──close──▶ closed
 *
 * The caller that opens it must close it on every way out of the process; closing twice is harmless. Only the codes below
 * are ever sent; every terminal of the last thirty years knows them, or ignores them (the last pair: draw a frame at once).
 */
import type { Output } from '../args/command.ts';
import type { Size } from '../live/render.ts';

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[H\u001b[2J';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR = '\u001b[2J';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';
/**
 * Where the cursor waits. Unless the keyboard is ours (keyboard.ts), the terminal itself shows what is typed, wherever the cursor is: in the
 * corner, at the end of the first row, it can neither scroll the screen nor fill more than a cell (nothing wraps), and the next frame draws
 * over it. If the keyboard is ours it waits at the bottom, where a shell can go on if we are killed.
 */
const PARKS = { corner: '\u001b[1;999H', bottom: '\u001b[999;1H' } as const;
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';

export class Screen {
  readonly #out: Output;
  #isOpen = false;
  #shown = '';

  constructor(out: Output) {
    this.#out = out;
  }

  get size(): Size {
    // A terminal that does not know its size says 0.
    return { columns: this.#out.columns || 80, rows: this.#out.rows || 24 };
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#shown = '';
    this.#out.write(ENTER);
  }

  draw(lines: readonly string[], park: keyof typeof PARKS): void {
    if (!this.#isOpen) return;
    const frame = lines.map((line) => `${line}${REST_OF_LINE}`).join('\r\n');
    if (frame === this.#shown) return;
    this.#shown = frame;
    this.#out.write(`${BEGIN_FRAME}${HOME}${frame}${REST_OF_SCREEN}${PARKS[park]}${END_FRAME}`);
  }

  /** The size has changed, and the terminal may have moved everything about. */
  resized(): void {
    if (!this.#isOpen) return;
    this.#shown = '';
    this.#out.write(CLEAR);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#out.write(LEAVE);
  }
}
