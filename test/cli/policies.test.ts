/** What the command line says of tasks with policies and pauses: their own zone, days, jitter, clock changes (H3, H5, I3). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Command } from '../../src/cli/args/command.ts';
import { explainCommand } from '../../src/cli/commands/explain.ts';
import { healthCommand } from '../../src/cli/commands/health.ts';
import { listCommand } from '../../src/cli/commands/list.ts';
import { nextCommand } from '../../src/cli/commands/next.ts';
import { planCommand } from '../../src/cli/commands/plan.ts';
import { previewCommand } from '../../src/cli/commands/preview.ts';
import { statusCommand } from '../../src/cli/commands/status.ts';
import { createScheduler, hours, inspect, lastDayOfMonth, sqlite, task } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, NOW, root, type Said, writeConfig } from './commands-kit.ts';

const SETTINGS = `run: nothing, retry: false`;
const MONTH_END = `task({ name: 'close', cron: '59 23 * * *', days: lastDayOfMonth(), ${SETTINGS} })`;
const LIST = `timeZone: 'UTC', tasks: [${MONTH_END},
  task({ name: 'abroad', cron: '0 9 * * *', timeZone: 'Asia/Tokyo', ${SETTINGS} }),
  task({ name: 'spread', cron: '0 13 * * *', jitter: hours(1), ${SETTINGS} })]`;

async function projectOf(t: TestContext, fields = LIST): Promise<string> {
  const folder = await temporaryFolder(t);
  t.after(() => process.chdir(root)); // loading a configuration moves the process into its folder
  writeConfig(folder, fields, ['hours', 'lastDayOfMonth', 'task']);
  return folder;
}

const ask = (command: Command, folder: string, ...words: string[]): Promise<Said> =>
  call(command, words, { cwd: folder });

async function put(folder: string, ...records: ReturnType<typeof newRecord>[]): Promise<void> {
  const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
  await session.commit({ puts: records });
  await session.close();
}

describe('tasks with policies', () => {
  test('H3 H5 list shows the start that the scheduler will make, and the days in words', async (t) => {
    const folder = await projectOf(t);
    const { tasks } = JSON.parse((await ask(listCommand, folder, '--json')).out);
    const next = Object.fromEntries(
      tasks.map(({ name, next: [start] }: { name: string; next: { local: string }[] }) => [
        name,
        start.local,
      ]),
    );
    assert.equal(next.close, '2027-01-31T23:59:00+00:00');
    assert.equal(next.abroad, '2027-01-11T09:00:00+09:00');
    assert.match(next.spread, /^2027-01-10T13:[0-5]\d:[0-5]\d/);
    assert.notEqual(next.spread, '2027-01-10T13:00:00+00:00');
    assert.match(
      (await ask(listCommand, folder)).out,
      /At 23:59 every day, only on the last day of the month/,
    );
  });

  test('H3 next and explain know the days of a task', async (t) => {
    const folder = await projectOf(t);
    const { out } = await ask(nextCommand, folder, 'close', '-n', '2');
    assert.match(out, /^close, only on the last day of the month\n/);
    assert.deepEqual(out.match(/\d{4}-\d\d-\d\d \d\d:\d\d/g), ['2027-01-31 23:59', '2027-02-28 23:59']);
    assert.match((await ask(explainCommand, folder, 'close')).out, /Next: Sun 2027-01-31 23:59/);
  });

  test('H3 preview counts only the days that count', async (t) => {
    const folder = await projectOf(t, `timeZone: 'UTC', tasks: [${MONTH_END}]`);
    const { out } = await ask(previewCommand, folder, '--days', '60', '--from', '2027-01-01', '--json');
    assert.equal(JSON.parse(out).starts, 2);
  });

  test('H1 plan says what of a policy changes', async (t) => {
    const folder = await projectOf(t, `timeZone: 'UTC', tasks: [${MONTH_END}]`);
    const scheduler = createScheduler({ store: sqlite(join(folder, 'obbligato.db')), timeZone: 'UTC' });
    await scheduler.initialize([
      task({
        name: 'close',
        cron: '59 23 * * *',
        run: () => {},
        retry: false,
        days: lastDayOfMonth(1),
        jitter: hours(1),
      }),
    ]);
    await scheduler.stop();
    const { code, out } = await ask(planCommand, folder);
    assert.equal(code, 3);
    assert.match(out, /~ close: days \{"last":1\} → \{"last":0\}, jitterMs 3600000 → default/);
  });
});

describe('a paused task', () => {
  const paused = {
    ...newRecord('close', { cron: '* * * * *' }),
    servedThrough: NOW - 3_600_000,
    pausedAt: NOW - 3_600_000,
  };

  test('I3 is paused in status and list, has no next start, and is not late', async (t) => {
    const folder = await projectOf(t, `timeZone: 'UTC', tasks: [${MONTH_END}]`);
    await put(folder, paused);
    const status = await ask(statusCommand, folder);
    assert.match(status.out, /^close +paused +for 1 h +never +none +\* \* \* \* \*$/m);
    const document = JSON.parse((await ask(statusCommand, folder, '--json')).out);
    assert.deepEqual(
      [document.tasks[0].state, document.tasks[0].pausedAt, document.tasks[0].nextDueAt],
      ['paused', '2027-01-10T11:00:00.000Z', null],
    );
    const list = JSON.parse((await ask(listCommand, folder, '--json')).out);
    assert.deepEqual([list.tasks[0].state, list.tasks[0].next], ['paused', []]);
    const health = await ask(healthCommand, folder, '--tz', 'UTC', '--ignore', 'owner');
    assert.deepEqual([health.code, /all is well/.test(health.out)], [0, true]);
  });

  test('E7 a policy that makes no sense hides nothing of its task', async (t) => {
    const folder = await projectOf(t);
    await put(folder, { ...newRecord('odd'), policy: '{"timeZone":"Nowhere/Land","days":7}' });
    assert.equal((await inspect(join(folder, 'obbligato.db'))).records.length, 1);
    assert.match((await ask(statusCommand, folder)).out, /^odd +waiting/m);
  });
});
