/** Cuts what a program or a callback writes into lines, in whatever pieces it comes. */

/** A longer line is passed on in pieces of this many characters: a program that never ends its line must not fill the memory. */
const LONGEST_LINE = 16_384;

export class Lines {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array | string): void {
    this.#rest += typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n', start)) {
      this.#emit(this.#rest.slice(start, end));
      start = end + 1;
    }
    this.#rest = this.#rest.slice(start);
    while (this.#rest.length > LONGEST_LINE) {
      this.#emit(this.#rest.slice(0, LONGEST_LINE));
      this.#rest = this.#rest.slice(LONGEST_LINE);
    }
  }

  /** There will be no more: what is left is a line too. */
  end(): void {
    this.#rest += this.#decoder.decode();
    if (this.#rest !== '') this.#emit(this.#rest);
    this.#rest = '';
  }

  /** A line that was written over itself, as progress bars are, counts as its last state. */
  #emit(line: string): void {
    const written = line.replace(/\r+$/, '');
    this.#onLine(written.slice(written.lastIndexOf('\r') + 1));
  }
}
