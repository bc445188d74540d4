/**
 * A schedule inside a program of your own, without the command line, on an embedded store: the file obbligato.db in the working directory.
 * Run it with `npm run example:library`.
 *
 * Press Ctrl-C: it waits for what runs, then leaves. Kill it with `kill -9` while "slow" runs and start it again: "slow" is
 * started again at once, within the same minute under the same key, and nothing else is lost or repeated. Leave it off for an hour: one
 * start each.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createScheduler, type SchedulerEvent, seconds, sqlite } from 'obbligato';

const file = process.argv[2] ?? 'obbligato.db';
const scheduler = createScheduler({ store: sqlite(file), onEvent: print });

function print(event: SchedulerEvent): void {
  const { type, at, ...details } = event;
  const { key, runId, error, ...rest } = { key: '', runId: '', error: undefined, ...details };
  const what = Object.entries(rest)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(
      ([name, value]) =>
        `${name}=${name === 'scheduledFor' || name === 'pendingRetryUntil' ? time(value) : value}`,
    )
    .join(' ');
  console.log(
    `${time(at)}  ${type.padEnd(33)} ${what}${error instanceof Error ? ` error="${error.message}"` : ''}`,
  );
}

const time = (at: unknown): string => new Date(Number(at)).toISOString().slice(11, 19);

try {
  await scheduler.initialize([
    ['hello', '* * * * *', () => console.log('          Hello!'), seconds(10)],
    ['slow', '* * * * *', ({ signal }) => sleep(20_000, undefined, { signal }), seconds(10)],
    [
      'flaky',
      '* * * * *',
      ({ attempt }) => {
        if (attempt < 3) throw new Error(`attempt ${attempt} fails, the third will do`);
      },
      seconds(5),
    ],
  ]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

console.log('          Running; press Ctrl-C to stop.');
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.log('          Stopping: waiting for what runs.');
    scheduler.stop().catch((error) => {
      console.error(error.message);
      process.exitCode = 1;
    });
  });
}
