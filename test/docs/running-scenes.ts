/** Scenes in which a scheduler runs, or has run: as a real process, on a file or on a database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { FIRST_CONFIG } from '../../src/cli/init/first-config.ts';
import { parseCron } from '../../src/cron/index.ts';
import { cron } from '../../src/index.ts';
import { freshSchema, type Server, startServer } from '../store/postgres/server.ts';
import { root } from './pages.ts';
import { NOTHING, type Scene, writeConfig } from './scene.ts';
import type { Place } from './stage.ts';

/** Runs what is in the configuration until its store looks like this. */
async function runUntil(
  { jobs, env }: Place,
  settled: RegExp,
  store = 'obbligato.db',
): Promise<ChildProcess> {
  const begin = (...words: string[]): ChildProcess =>
    spawn(process.execPath, [join(root, 'src/cli/main.ts'), ...words], {
      cwd: jobs,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const scheduler = begin('run', '--json', '--store', store);
  scheduler.stdout?.resume();
  const watch = begin('status', store, '--watch', '--json');
  // It tells every change of the store, so it tells the one that is waited for.
  for await (const line of createInterface({ input: watch.stdout ?? Readable.from([]) }))
    if (settled.test(line)) break;
  watch.kill('SIGKILL');
  return scheduler;
}

const MINUTE_MS = 60_000;
const QUIET_MS = 12 * MINUTE_MS;
const FOREVER = '() => new Promise(() => {})';

/** A minute begins now for every process of the place, so each task that is due in every minute has run once when a command looks. */
const beginMinute = (place: Place): void => setBack(place, Date.now() % MINUTE_MS);

/** Sets the clock of every process of the place back. */
function setBack({ env }: Place, byMs: number): void {
  env.BEHIND_MS = String(byMs);
  env.NODE_OPTIONS = `--import ${new URL('fixtures/behind.ts', import.meta.url).href}`;
}

/** A scheduler runs, one task waits for its retry, and one goes on until it is ended. */
export const running: Scene = async (place) => {
  beginMinute(place);
  writeConfig(place.jobs, [
    ['mail', '* * * * *', "() => { throw new Error('the server is away'); }"],
    ['poll', '* * * * *'],
    // Never due while this runs, or it would be shown as a task that has run.
    ['report', '0 6 1 1 *'],
    ['sync', '* * * * *', FOREVER],
  ]);
  const scheduler = await runUntil(
    place,
    /"name":"mail".*"state":"retry".*"name":"poll".*"state":"waiting".*"name":"sync".*"state":"running"/,
  );
  return () => scheduler.kill('SIGKILL');
};

/**
 * Sets the clock of the place back to the latest instant at which nothing of these is due, and from which on nothing comes due until the
 * transcript is over. Returns by how much, in milliseconds: nothing if that instant is now.
 */
export function setQuiet(place: Place, ...expressions: readonly string[]): number {
  const schedules = expressions.map((each) => parseCron(each, { timeZone: 'Europe/Stockholm' }));
  const now = Date.now();
  const isQuiet = (at: number): boolean =>
    schedules.every((each) => each.next(new Date(at - MINUTE_MS)).getTime() > at + QUIET_MS);
  let behindMs = 0;
  while (!isQuiet(now - behindMs)) behindMs += MINUTE_MS;
  if (behindMs > 0) setBack(place, behindMs);
  return behindMs;
}

/** What `init` wrote was run, and its process killed while a task ran. The page shows what a reader sees who has done so in Stockholm. */
export const killed: Scene = async (place) => {
  place.env.TZ = 'Europe/Stockholm';
  writeFileSync(join(place.jobs, 'obbligato.config.ts'), FIRST_CONFIG);
  // The others have not run, so nothing of theirs may come due now.
  setQuiet(place, '30 3 * * *', cron('*/15 9-17 * * mon-fri'));
  const scheduler = await runUntil(place, /"name":"hello".*"state":"running"/);
  scheduler.kill('SIGKILL');
  await once(scheduler, 'exit');
  return undefined;
};

/** A database, which commands find as `$DATABASE_URL`, and a scheduler that runs on it. */
async function runOnDatabase(
  place: Place,
  callback: string,
  settled: RegExp,
): Promise<[Server, ChildProcess]> {
  const server = await startServer();
  const url = `${server.url}#${freshSchema()}`;
  place.env.DATABASE_URL = url;
  writeConfig(place.jobs, [
    // Never due while this runs, so that it starts when it is asked for.
    ['report', '0 6 1 1 *'],
    ['sync', '* * * * *', callback],
  ]);
  return [server, await runUntil(place, settled, url)];
}

export const cluster: Scene = async (place) => {
  const [server, scheduler] = await runOnDatabase(place, FOREVER, /"name":"sync".*"state":"running"/);
  return () => {
    scheduler.kill('SIGKILL');
    void server.stop();
  };
};

/** The scheduler on the database has stopped. */
export const stopped: Scene = async (place) => {
  const [server, scheduler] = await runOnDatabase(place, NOTHING, /"name":"sync".*"state":"waiting"/);
  scheduler.kill('SIGTERM');
  await once(scheduler, 'exit');
  return () => void server.stop();
};
