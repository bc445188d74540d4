/** H8: failures are heard, with a logger and without one. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { task } from '../../src/index.ts';
import { FailureLog } from '../../src/scheduler/failure-log.ts';
import type { Logger, TaskFailure } from '../../src/scheduler/logger.ts';
import { createScheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import { MovedClock } from '../testing/moved-clock.ts';
import { failsBefore, gate, TroubledStore, through } from './fixtures/troubled-store.ts';
import { MINUTE } from './scenario.ts';

const NOON = '2026-03-02T12:00:00Z';

/** What `console.error` gets while a test runs. */
function standardError(t: TestContext): string[] {
  const lines: string[] = [];
  t.mock.method(console, 'error', (line: string) => lines.push(line));
  return lines;
}

function collected(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const at = (level: string) => (line: string) => lines.push(`${level} ${line}`);
  return { logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

/** A task that fails for so many minutes, and then works. */
async function failFor(count: number, logger: Logger | false | undefined): Promise<void> {
  const clock = new MovedClock(NOON);
  let runs = 0;
  const run = (): void => {
    if (++runs <= count) throw new Error(`failure ${runs}`, { cause: new TypeError('the gate is shut') });
  };
  const scheduler = createScheduler({
    store: memory(),
    timeZone: 'UTC',
    clock,
    ...(logger === undefined ? {} : { logger }),
  });
  await scheduler.initialize([task({ name: 'a', cron: '* * * * *', run, retry: { delay: 60 * MINUTE } })]);
  await clock.advance(count * MINUTE);
  await scheduler.stop();
}

describe('H8 failures are heard', () => {
  test('H8 without a logger: the first failure, those at which their number has doubled, and the recovery', async (t) => {
    const lines = standardError(t);
    await failFor(20, undefined);
    const heads = lines.map((line) => line.split('\n')[0].replace(/; next.*?\)/, ')'));
    assert.deepEqual(heads, [
      'obbligato: task "a" failed (attempt 1): Error: failure 1',
      'obbligato: task "a" failed (attempt 1, 2 failures in a row): Error: failure 2',
      'obbligato: task "a" failed (attempt 1, 4 failures in a row): Error: failure 4',
      'obbligato: task "a" failed (attempt 1, 8 failures in a row): Error: failure 8',
      'obbligato: task "a" failed (attempt 1, 16 failures in a row): Error: failure 16',
      'obbligato: task "a" works again, after 20 failures in a row',
    ]);
    assert.match(lines[0], /failures-heard\.test\.ts/, 'with the stack');
    assert.match(lines[0], /TypeError: the gate is shut/, 'and the causes');
  });

  test('H8 with a logger each failure is one line at error, and a recovery one at info', async (t) => {
    const silent = standardError(t);
    const { logger, lines } = collected();
    await failFor(5, logger);
    assert.deepEqual(
      lines.map((line) => line.split(' ')[0]),
      ['error', 'error', 'error', 'error', 'error', 'info'],
    );
    assert.match(
      lines[2],
      /task "a" failed \(attempt 1, 3 failures in a row; next try at 2026-03-02T13:02:00\.000Z\)/,
    );
    assert.deepEqual(silent, []);
  });

  test('H8 logger: false is silence', async (t) => {
    const lines = standardError(t);
    await failFor(3, false);
    assert.deepEqual(lines, []);
  });

  test('H8 a logger with a method `failure` gets each failure as an object instead', async () => {
    const { logger, lines } = collected();
    const failures: TaskFailure[] = [];
    await failFor(2, { ...logger, failure: (failure) => failures.push(failure) });
    assert.deepEqual(
      failures.map(({ task: name, attempt, outcome, failures: count }) => [name, attempt, outcome, count]),
      [
        ['a', 1, 'failure', 1],
        ['a', 1, 'failure', 2],
      ],
    );
    assert.ok(failures[0].error instanceof Error);
    assert.deepEqual(lines, ['info task "a" works again, after 2 failures in a row']);
  });

  test('H8 without a logger: given-up work, a timeout that is not obeyed, and store trouble are heard', async (t) => {
    const lines = standardError(t);
    const clock = new MovedClock(NOON);
    const store = new TroubledStore();
    const scheduler = createScheduler({ store, timeZone: 'UTC', clock });
    const run = (): never => {
      throw new Error('no');
    };
    await scheduler.initialize([task({ name: 'a', cron: '* * * * *', run, retry: false })]);
    await clock.settle();
    store.commits = failsBefore;
    await clock.advance(MINUTE);
    store.commits = through;
    await clock.advance(MINUTE);
    await scheduler.stop();
    assert.ok(lines.some((line) => /task "a" failed and was given up/.test(line)));
    assert.ok(lines.some((line) => /the store is in trouble, starts wait and ends are kept/.test(line)));
  });

  test('H8 a start that is more than a minute late is a line', () => {
    const { logger, lines } = collected();
    const late = { unnoticedMs: 0, queuedMs: 5, storeMs: 7 };
    const log = new FailureLog(logger, true);
    log.late('a', { ...late, lateMs: 60_000 });
    log.late('a', { ...late, lateMs: 60_001 });
    assert.deepEqual(lines, [
      'error task "a" was called 60001 ms late (5 ms in the queue, 7 ms for the store)',
    ]);
  });

  test('H8 a scheduler says it of a start that its store has held up', async () => {
    const { logger, lines } = collected();
    const clock = new MovedClock('2026-03-02T11:59:30Z');
    const store = new TroubledStore();
    const scheduler = createScheduler({ store, timeZone: 'UTC', clock, logger });
    await scheduler.initialize([['a', '0 12 * * *', () => {}, 0]]);
    const { commits, open } = gate();
    store.commits = commits;
    await clock.advance(3 * MINUTE);
    open();
    await clock.settle();
    await scheduler.stop();
    const late = lines.filter((line) => line.includes('late'));
    assert.deepEqual(late, [
      'error task "a" was called 150000 ms late (0 ms in the queue, 150000 ms for the store)',
    ]);
  });
});
