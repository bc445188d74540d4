/** Cuts what a program or a callback writes into lines, in whatever pieces it comes. */
import { StringDecoder } from 'node:string_decoder';

/** A longer line is passed on in pieces of this many characters: a program that never ends its line must not fill the memory. */
const LONGEST_LINE = 16_384;

export class Lines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array | string): void {
    this.#rest += typeof chunk === 'string' ? chunk : this.#decoder.write(Buffer.from(chunk));
    let start = 0;
    for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n', start)) {
      this.#tell(this.#rest.slice(start, end));
      start = end + 1;
    }
    this.#rest = this.#rest.slice(start);
    while (this.#rest.length > LONGEST_LINE) {
      this.#tell(this.#rest.slice(0, LONGEST_LINE));
      this.#rest = this.#rest.slice(LONGEST_LINE);
    }
  }

  /** There will be no more: what is left is a line too. */
  end(): void {
    this.#rest += this.#decoder.end();
    if (this.#rest !== '') this.#tell(this.#rest);
    this.#rest = '';
  }

  /** Of a line that was written over itself, as progress bars are, the last state counts. */
  #tell(line: string): void {
    const written = line.replace(/\r+$/, '');
    this.#onLine(written.slice(written.lastIndexOf('\r') + 1));
  }
}
