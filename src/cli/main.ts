#!/usr/bin/env node
/** The bin: the command line on this process, its streams and its exit code. */
import { complaintAbout } from './node-version.ts';
import { readVersion } from './version.ts';

const complaint = complaintAbout(process.versions.node);
if (complaint !== undefined) {
  process.stderr.write(`error: ${complaint}\n`);
  process.exit(1);
}

/** Nobody reads on: `obbligato … | head` has seen enough, or the terminal was closed. */
const isUnheard = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'EIO';

/** A command that has something to bring to an end listens to SIGPIPE, and others just leave. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!isUnheard(error)) throw error;
    if (process.listenerCount('SIGPIPE') > 0) process.emit('SIGPIPE', 'SIGPIPE');
    else process.exit();
  });
}

/** Loads the rest only now: an older Node could not, and whoever asks for the version should not wait for it. */
async function dispatch(words: readonly string[]): Promise<number> {
  const { cli } = await import('./cli.ts');
  return cli(words, {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
    now: () => Date.now(),
  });
}

const words = process.argv.slice(2);
if (['--version', '-v', '-V'].includes(words[0])) process.stdout.write(`${readVersion()}\n`);
else process.exitCode = await dispatch(words);

/** Whatever was written is out; a pipe takes it later than `write` returns. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write('', () => resolve());
  });

await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
// The command is over. A connection that somebody's configuration has opened must not keep the process.
process.exit();
