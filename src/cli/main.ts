#!/usr/bin/env node
/** The bin: the command line on this process, its streams and its exit code. */
import { version } from '../version.ts';
import { complaintAbout } from './versions.ts';

const complaint = complaintAbout(process.versions.node);
if (complaint !== undefined) {
  process.stderr.write(`error: ${complaint}\n`);
  process.exit(1);
}

/** With the way to each, since a command redirects what others write. */
const streams = [process.stdout, process.stderr].map((stream) => ({
  stream,
  write: stream.write.bind(stream),
}));

/** Nothing reads the output any more: `obbligato … | head` has seen enough, or the terminal was closed. */
const isUnread = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'EIO';
let isCut = false;
/** A command that was asked to end does not wait for a reader that has stopped. */
let isAbandoned = false;

/** A command that has something to bring to an end listens to SIGPIPE, and others just leave. */
const leave = (code?: number): void => {
  if (process.listenerCount('SIGPIPE') > 0) process.emit('SIGPIPE', 'SIGPIPE');
  else process.exit(code);
};

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isUnread(error)) return leave();
  // The disk is full, or the file may grow no more: what was asked for is not there, and that is a failure.
  if (!isCut) streams[1].write(`error: The output could not be written: ${error.message}\n`);
  isCut = true;
  leave(1);
});
// Any other error on standard error cannot be reported anywhere; the exit code says enough.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (isUnread(error)) leave();
});

/** Loads the rest only now: an older Node could not, and `--version` should not wait for it. */
async function dispatch(words: readonly string[]): Promise<number> {
  const [{ cli }, { claimStdout }] = await Promise.all([import('./cli.ts'), import('./terminal/output.ts')]);
  return cli(words, {
    stdout: claimStdout(() => {
      isAbandoned = true;
    }),
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
    now: () => Date.now(),
  });
}

const words = process.argv.slice(2);
if (['--version', '-v', '-V', 'version'].includes(words[0])) process.stdout.write(`${version()}\n`);
else process.exitCode = await dispatch(words);

/** What was written is out, or its error was reported; a pipe takes it later than `write` returns. */
const flushed = ({ stream, write }: (typeof streams)[number]): Promise<void> =>
  new Promise((resolve) => {
    if (isAbandoned || stream.destroyed || stream.writableLength === 0) setImmediate(resolve);
    else write('', undefined, () => resolve());
  });

await Promise.all(streams.map(flushed));
if (isCut) process.exitCode ||= 1;
// The command is over. A connection that a configuration has opened must not keep the process.
process.exit();
