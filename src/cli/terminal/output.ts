/**
 * Standard output belongs to the command. Anything else that writes there, such as a configuration that prints while it is loaded,
 * is sent to standard error, so that `--json` is JSON whatever the configuration does.
 */
import { fstatSync } from 'node:fs';
import type { Output } from '../args/command.ts';

/** The way to the real standard output, which from here on is the only one. */
export function claimStdout(abandon: () => void): Output {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  // Looked up at each write: `run` has both streams for itself while tasks run.
  stdout.write = (
    chunk: Uint8Array | string,
    encodingOrDone?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean =>
    typeof encodingOrDone === 'function'
      ? stderr.write(chunk, encodingOrDone)
      : stderr.write(chunk, encodingOrDone, done);
  return {
    write: (text, taken) => write(text, undefined, taken),
    abandon,
    fd: stdout.fd,
    isTTY: stdout.isTTY,
    get columns() {
      return stdout.columns;
    },
    get rows() {
      return stdout.rows;
    },
  };
}

/**
 * Tells whether anything still reads the output. `obbligato … | head -1` may end long before there is something new to say, and a pipe
 * tells so only to a writer; nothing in Node watches the other end. A socket, as Node itself gives its children, then refuses even an
 * empty write. A pipe of a shell takes an empty write, so a blank is written into it: before a JSON document, or on a line of its own,
 * it is white space without effect. The error arrives where all errors of the streams do.
 */
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
