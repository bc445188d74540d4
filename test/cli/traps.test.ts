/** The five traps that new users and operators fell into, replayed: each ends well. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { importCommand } from '../../src/cli/commands/import.ts';
import {
  type Config,
  createScheduler,
  days,
  history,
  hours,
  inspect,
  minutes,
  type RunContext,
  type SchedulerEvent,
  task,
} from '../../src/index.ts';
import { createTestClock } from '../../src/testing/index.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, NOW, root } from './commands-kit.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {}, failure() {} };
const IDIOM = '59 23 28-31 * * [ "$(date -d tomorrow +\\%d)" = "01" ] && month-end\n';

/** Imports a crontab, and loads what was written with programs that are played: `play` is called instead of each. */
async function imported(
  t: TestContext,
  crontab: string,
  play: (line: string) => void,
): Promise<{ tasks: Config['tasks']; note: string }> {
  const folder = await temporaryFolder(t);
  const installed = join(folder, 'node_modules', 'obbligato');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  const library = pathToFileURL(join(root, 'src/index.ts')).href;
  writeFileSync(
    join(installed, 'index.js'),
    `export * from ${JSON.stringify(library)};\nexport const command = (line) => () => globalThis.playedProgram(line);\n`,
  );
  Reflect.set(globalThis, 'playedProgram', play);
  t.after(() => Reflect.deleteProperty(globalThis, 'playedProgram'));
  writeFileSync(join(folder, 'crontab'), crontab);
  const { code, out } = await call(importCommand, ['crontab'], { cwd: folder });
  assert.equal(code, 0);
  const { default: config } = await import(pathToFileURL(join(folder, 'obbligato.config.ts')).href);
  return { tasks: config.tasks, note: out };
}

describe('the five traps', () => {
  test('1 H2 the month-end idiom of a crontab closes each month once, and nothing is tried again', async (t) => {
    const clock = createTestClock('2027-01-26T12:00:00Z');
    const closed: string[] = [];
    let calls = 0;
    const { tasks, note } = await imported(t, IDIOM, () => {
      calls++;
      const tomorrow = new Date(clock.now() + 86_400_000);
      if (tomorrow.getUTCDate() !== 1) throw new Error('exit code 1'); // as the shell does
      closed.push(new Date(clock.now()).toISOString());
    });
    assert.match(note.replace(/\s+/g, ' '), /give the task "days: lastDayOfMonth\(\)"/);
    const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC', logger: QUIET });
    await scheduler.initialize(tasks);
    await clock.advance(days(40));
    await scheduler.stop();
    assert.deepEqual(closed, ['2027-01-31T23:59:00.000Z', '2027-02-28T23:59:00.000Z']);
    assert.equal(calls, 5, 'on the 28th to the 31st of January, and on the 28th of February');
  });

  test('2 a task that fails every minute for a day raises an alert by the documented advice', async (t) => {
    const page = readFileSync(join(root, 'docs/operating.md'), 'utf8');
    const [, code] = /```ts\n(\/\/ alert\.ts\n.*?)```/s.exec(page) ?? [];
    const file = join(await temporaryFolder(t), 'alert.ts');
    writeFileSync(file, code);
    const { alertOnFailures } = await import(file);
    const clock = createTestClock(new Date(NOW).toISOString());
    const said: string[] = [];
    const onEvent = alertOnFailures((text: string) => said.push(text));
    const scheduler = createScheduler({
      clock,
      store: clock.store(),
      timeZone: 'UTC',
      logger: QUIET,
      onEvent,
    });
    const fails = (): never => {
      throw new Error('no route');
    };
    await scheduler.initialize([['mail', '* * * * *', fails, minutes(5)]]);
    await clock.advance(hours(24));
    await scheduler.stop();
    assert.deepEqual(said, ['mail has failed 3 times in a row: Error: no route']);
  });

  test('3 H2 giving up is no success: not in the record, not in the history, not as an event', async () => {
    const clock = createTestClock(new Date(NOW).toISOString());
    const store = clock.store();
    const events: string[] = [];
    const attempts: number[] = [];
    const scheduler = createScheduler({
      clock,
      store,
      timeZone: 'UTC',
      logger: QUIET,
      onEvent: (event: SchedulerEvent) => {
        if ('task' in event) events.push(event.type);
      },
    });
    const run = ({ attempt }: RunContext): never => {
      attempts.push(attempt);
      throw new Error('no route');
    };
    await scheduler.initialize([
      task({ name: 'send', cron: '0 12 * * *', run, retry: { delay: minutes(1), max: 3 } }),
    ]);
    await clock.advance(hours(2));
    await scheduler.stop();
    assert.deepEqual(attempts, [1, 2, 3]);
    assert.ok(!events.includes('TaskRunCompleted'));
    assert.ok(events.includes('TaskGaveUp'));
    const { records } = await inspect(store);
    assert.deepEqual([records[0].lastSuccessAt, records[0].failures], [null, 3]);
    const outcomes: string[] = [];
    for await (const { outcome } of history(store)) outcomes.push(outcome);
    assert.deepEqual(outcomes, ['gave up', 'failure', 'failure']);
  });

  test('4 H8 createScheduler({ timezone }) is refused, with the name that was meant', () => {
    assert.throws(
      () => createScheduler({ timezone: 'Europe/Berlin' } as never),
      /timezone.*did you mean "?timeZone/,
    );
  });

  // 5: a typed line never reaches the shell: test/cli/live-keys.test.ts plays it on a real terminal, with a real shell.
});
