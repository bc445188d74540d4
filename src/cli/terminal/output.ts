/**
 * Standard output belongs to the command. Whatever else is written there, by a configuration that prints while it is loaded or by what
 * it has set going, goes to standard error, so that `--json` is JSON whatever the configuration does.
 */
import type { Output } from '../args/command.ts';

/** The way to the real standard output, which from here on is the only one. */
export function claimStdout(): Output {
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
    write: (text) => write(text),
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
