/** `obbligato list`: the tasks of a configuration, before the first run and after. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { listCommand } from '../../src/cli/commands/list.ts';
import { type Inspection, sqlite, type TaskRecord } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, NOW, obbligato, root, type Said, writeConfig } from './commands-kit.ts';

const TASKS = `timeZone: 'Europe/Stockholm', tasks: [
  ['backup', '30 2 * * *', nothing, 0], ['Poll', '0,15,30,45 * * * *', nothing, 0], ['mail', '5 * * * *', nothing, 0],
]`;

async function projectWith(t: TestContext, records: readonly TaskRecord[]): Promise<string> {
  const folder = await temporaryFolder(t);
  // Loading a configuration moves the process into its folder, which is removed after the test.
  t.after(() => process.chdir(root));
  writeConfig(folder, TASKS);
  if (records.length === 0) return folder;
  const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
  await session.commit({ puts: records });
  await session.close();
  return folder;
}

const list = (folder: string, ...words: string[]): Promise<Said> =>
  call(listCommand, [folder, ...words], { cwd: folder });

interface Task {
  readonly name: string;
  readonly state: string;
  readonly next: readonly { readonly local: string; readonly inMs: number }[];
  readonly failures: number;
}

const documentOf = async (
  folder: string,
  ...words: string[]
): Promise<{ tasks: Task[]; owner: Inspection['owner'] }> =>
  JSON.parse((await list(folder, ...words, '--json')).out);

describe('obbligato list', () => {
  test('before the first run shows every task, the next to start first, in words and local time', async (t) => {
    const { code, out } = await list(await projectWith(t, []));
    assert.equal(code, 0);
    assert.equal(
      out,
      `TASK    STATE  NEXT                  IN           WHEN                       LAST END  ZONE
mail    new    Sun 2027-01-10 13:05  5 min        At minute 5 of every hour  none      Europe/Stockholm
Poll    new    Sun 2027-01-10 13:15  15 min       Every 15 minutes           none      Europe/Stockholm
backup  new    Mon 2027-01-11 02:30  13 h 30 min  At 02:30 every day         none      Europe/Stockholm
`,
    );
  });

  test('takes states from the store: what is owed comes first, a retry is a start, a failing task says since when', async (t) => {
    const minute = 60_000;
    const folder = await projectWith(t, [
      { ...newRecord('Poll'), servedThrough: NOW - 40 * minute },
      {
        ...newRecord('mail'),
        servedThrough: NOW,
        lastAttemptAt: NOW - minute,
        lastFailureAt: NOW - minute,
        pendingRetryUntil: NOW + minute,
        failures: 7,
        failingSince: NOW - 180 * minute,
        lastError: { name: 'Error', message: 'no route' },
        work: { key: 'k', scheduledFor: NOW - minute, attempt: 7 },
      },
      { ...newRecord('old'), servedThrough: NOW },
    ]);
    const { out } = await list(folder);
    assert.match(
      out,
      /\nPoll {4}owed .*\nmail {4}retry +Sun 2027-01-10 13:01 +1 min .*failed 1 min ago, 7 times in 3 h: no route/,
    );
    assert.match(out, /\nbackup {2}new /);
    assert.match(out, /\n\nNot in the configuration, and so forgotten at the next start: old\n$/);
    const { tasks, owner } = await documentOf(folder, '-n', '2');
    assert.equal(owner, 'free');
    assert.deepEqual(
      tasks.map(({ name, state, failures }) => [name, state, failures]),
      [
        ['Poll', 'owed', 0],
        ['mail', 'retry', 7],
        ['backup', 'new', 0],
      ],
    );
    assert.deepEqual(
      tasks[1].next.map(({ inMs }) => inMs),
      [minute, 5 * minute],
    );
  });

  test('I3 a paused task has no next start, whether its run goes on or was cut off', async (t) => {
    const run = {
      runId: 'r',
      instanceId: 'i',
      startedAt: NOW - 5000,
      reason: 'due',
      cutOffAt: null,
    } as const;
    const work = { key: 'k', scheduledFor: NOW - 60_000, attempt: 1 };
    const folder = await projectWith(t, [
      { ...newRecord('Poll'), servedThrough: NOW, pausedAt: NOW - 60_000, run, work },
    ]);
    assert.match((await list(folder)).out, /\nPoll {4}paused {2,}Every 15 minutes /);
    const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
    assert.match((await list(folder)).out, /\nPoll {4}running, paused {2,}Every 15 minutes /);
    await session.close();
  });

  test('--filter, --limit and --count choose', async (t) => {
    const folder = await projectWith(t, []);
    const names = async (...words: string[]): Promise<string[]> =>
      (await documentOf(folder, ...words)).tasks.map(({ name }) => name);
    assert.deepEqual(await names('--filter', 'PO'), ['Poll']);
    assert.deepEqual(await names('--limit', '2'), ['mail', 'Poll']);
    assert.match((await list(folder, '--limit', '1')).out, /\n\n2 more tasks not shown\n$/);
    const [mail] = (await documentOf(folder, '--count', '3', '--tz', 'UTC')).tasks;
    assert.deepEqual(
      mail.next.map(({ local }) => local),
      ['2027-01-10T12:05:00+00:00', '2027-01-10T13:05:00+00:00', '2027-01-10T14:05:00+00:00'],
    );
  });

  test('a store that cannot be read is a warning, and the tasks are shown', async (t) => {
    const folder = await projectWith(t, []);
    writeFileSync(
      join(folder, 'obbligato.db'),
      'no database at all, but long enough to be looked at'.repeat(40),
    );
    const { code, out, err } = await obbligato(t, ['ls'], { cwd: folder });
    assert.equal(code, 0);
    assert.match(err, /^warning: the states are not known: /);
    assert.match(out, /\nbackup {2}new /);
  });

  test('in a narrow terminal the name, the state and the next start stay', async (t) => {
    const folder = await projectWith(t, []);
    const { out } = await call(listCommand, [folder], {
      cwd: folder,
      isTTY: true,
      columns: 40,
      env: { NO_COLOR: '1' },
    });
    for (const line of out.split('\n')) assert.ok(line.length <= 40, line);
    assert.match(out, /^TASK +STATE +NEXT/);
    assert.match(out, /\nbackup {2}new +Mon 2027-01-11 02:30/);
  });
});
