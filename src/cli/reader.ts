/**
 * Is there still somebody who reads? `obbligato … | head -1` may have gone long before there is something new to say, and a pipe tells
 * so only to whoever writes into it; nothing in Node watches the other end. A socket, as Node itself gives its children, refuses even an
 * empty write then. A pipe of a shell takes that, so a blank is written into it: in front of a JSON document, or on a line of
 * its own, it is white space that nobody sees. The error is heard where every error of the streams is.
 */
import { fstatSync } from 'node:fs';
import type { Output } from './args/command.ts';

export class Reader {
  readonly #output: Output;
  readonly #kind: Kind;
  #hasBlanks = false;

  constructor(output: Output) {
    this.#output = output;
    this.#kind = kindOf(output);
  }

  /** Makes a reader that has gone show as an error of the stream. A file or a terminal has none that could. */
  ask(): void {
    if (this.#kind === 'neither') return;
    if (this.#kind === 'pipe') this.#hasBlanks = true;
    this.#output.write(this.#kind === 'pipe' ? ' ' : '');
  }

  /** What to put before a text, so that it begins a line: nothing, if nothing was asked since the last one. */
  lineBreak(): '' | '\n' {
    const text = this.#hasBlanks ? '\n' : '';
    this.#hasBlanks = false;
    return text;
  }
}

type Kind = 'pipe' | 'socket' | 'neither';

function kindOf(output: Output): Kind {
  if (output.fd === undefined) return 'neither';
  const status = fstatSync(output.fd);
  return status.isFIFO() ? 'pipe' : status.isSocket() ? 'socket' : 'neither';
}
