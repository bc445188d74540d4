/**
 * Watches over a configuration while it is loaded, which is code that may do anything: wait for what never comes, end the process, or
 * throw where nobody catches it. Each is a mistake in the configuration, and told as one.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { placeIn } from './config/load.ts';
import { ConfigError } from './config-error.ts';
import { MISUSED } from './exit-codes.ts';

/** What `load` resolves to, or throws; or what came in between. */
export async function watched<T>(path: string, load: () => Promise<T>): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  // Nothing is left to do, and so nothing can happen any more that it waits for.
  const stuck = (): void =>
    reject(
      new ConfigError(`${path} never finished loading: it waits (await) for something that never happens`),
    );
  const left = (): void => {
    const place = placeIn(new Error().stack ?? '', path) ?? path;
    process.stderr.write(`error: ${place} ended the process while it was loaded (process.exit)\n`);
    process.exitCode = MISUSED;
  };
  process.on('beforeExit', stuck);
  process.on('uncaughtException', reject);
  process.on('exit', left);
  try {
    const loaded = await Promise.race([load(), interrupted]);
    // A rejection that nobody handles is told at the end of the turn.
    await Promise.race([nextTurn(), interrupted]);
    return loaded;
  } finally {
    process.off('beforeExit', stuck);
    process.off('uncaughtException', reject);
    process.off('exit', left);
  }
}
