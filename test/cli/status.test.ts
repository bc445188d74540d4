/** `obbligato status`, beside a real scheduler in another process, and on what it leaves behind. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { statusCommand } from '../../src/cli/commands/status.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import { MIGRATIONS } from '../../src/store/sqlite-schema.ts';
import { temporaryFolder } from '../store/kit.ts';
import {
  begin,
  call,
  NOW,
  obbligato,
  program,
  type Running,
  schedulerProgram,
  writeConfig,
} from './commands-kit.ts';

/** A scheduler in another process: one task runs, one has failed, one is not due. Resolves when all that has happened. */
async function runningScheduler(t: TestContext, folder: string): Promise<Running> {
  const path = schedulerProgram(
    folder,
    `['runs', '* * * * *', forever, hours(1)],
     ['fails', '* * * * *', fails, hours(1)],
     ['rests', '0 0 29 2 *', () => {}, hours(1)]`,
  );
  const scheduler = program(t, [path], { cwd: folder });
  await scheduler.says(/up\n/);
  await scheduler.says(/TaskRunStarted runs\n/);
  await scheduler.says(/TaskRunFailed fails\n/);
  return scheduler;
}

interface Task {
  readonly name: string;
  readonly state: string;
  readonly lastOutcome: string | null;
  readonly nextDueAt: string | null;
}

const statesIn = (out: string): Record<string, string> =>
  Object.fromEntries(JSON.parse(out).tasks.map(({ name, state }: Task) => [name, state]));

/** Asks again until the ends that were told as events are durable too. */
async function statusUntil(t: TestContext, folder: string, holds: (out: string) => boolean): Promise<string> {
  for (let look = 0; look < 30; look++) {
    const { out } = await obbligato(t, ['status', 'store.db', '--json', '--tz', 'UTC'], { cwd: folder });
    if (holds(out)) return out;
  }
  return assert.fail('it never came to that');
}

describe('obbligato status', () => {
  test('shows every task from another process while the scheduler runs, and after it was killed', async (t) => {
    const folder = await temporaryFolder(t);
    const scheduler = await runningScheduler(t, folder);
    const out = await statusUntil(t, folder, (each) => statesIn(each).fails !== 'running');
    const { owner, tasks, version } = JSON.parse(out);
    assert.deepEqual([owner, version], ['held', MIGRATIONS.length]);
    assert.deepEqual(
      tasks.map(({ name, lastOutcome }: Task) => [name, lastOutcome]),
      [
        ['fails', 'failure'],
        ['rests', null],
        ['runs', null],
      ],
    );
    const { runs, rests, fails } = statesIn(out);
    // At the turn of a minute the failed one is due again, and may be looked at before it has started.
    assert.ok(['retry', 'owed', 'running'].includes(fails), fails);
    assert.deepEqual([runs, rests], ['running', 'waiting']);
    assert.equal(tasks[1].nextDueAt, '2028-02-29T00:00:00.000Z');
    const text = await obbligato(t, ['status', 'store.db'], { cwd: folder });
    assert.equal(text.code, 0);
    assert.match(
      text.out,
      /store\.db: a scheduler runs on it \(pid \d+, since \d\d:\d\d\), 3 tasks {2}UTC\n\nTASK +STATE +NEXT +LAST START +LAST END +CRON\n/,
    );
    assert.match(text.out, /^runs +running +for \d+ (s|min)/m);
    assert.match(text.out, /^rests +waiting +in \d+ d .* never +none +0 0 29 2 \*$/m);

    scheduler.child.kill('SIGKILL');
    await scheduler.ended;
    const after = await obbligato(t, ['status', 'store.db'], { cwd: folder });
    assert.match(after.out, /no scheduler runs on it/);
    assert.match(after.out, /^runs +cut off +at the next start/m);
  });

  test('--watch into a pipe prints once for each change, waits for a store to come, and Ctrl-C leaves cleanly', async (t) => {
    const folder = await temporaryFolder(t);
    const watch = begin(t, ['status', 'store.db', '--watch'], { cwd: folder });
    await watch.says(/no store at .*store\.db yet; waiting/);
    const scheduler = await runningScheduler(t, folder);
    await watch.says(/^runs +running/m);
    scheduler.child.kill('SIGKILL');
    const said = await watch.says(/^runs +cut off/m);
    assert.equal(said.match(/yet; waiting/g)?.length, 1, 'what has not changed is not told again');
    watch.child.kill('SIGINT');
    const { code, signal, err } = await watch.ended;
    assert.deepEqual([code, signal, err], [0, null, '']);
  });

  test('--watch --json is one document a line', async (t) => {
    const folder = await temporaryFolder(t);
    const session = await sqlite(join(folder, 'store.db')).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('one')] });
    const watch = begin(t, ['status', 'store.db', '--watch', '--json'], { cwd: folder });
    await watch.says(/\n/);
    await session.commit({ puts: [newRecord('two')] });
    await watch.says(/\n.*\n/);
    await session.close();
    await watch.says(/\n.*\n.*\n/);
    watch.child.kill('SIGTERM');
    const { code, out } = await watch.ended;
    assert.equal(code, 0);
    const documents = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      documents.map(({ tasks, owner }) => [tasks.length, owner]),
      [
        [1, 'held'],
        [2, 'held'],
        [2, 'free'],
      ],
    );
  });

  for (const [rows, height] of [
    [10, 10],
    [0, 24],
  ]) {
    test(`--watch on a terminal of ${rows} rows draws over itself, fits its height, and gives the cursor back`, async (t) => {
      const folder = await temporaryFolder(t);
      const session = await sqlite(join(folder, 'store.db')).open({ waitMs: 0 });
      await session.commit({ puts: Array.from({ length: 50 }, (_, index) => newRecord(`task ${index}`)) });
      await session.close();
      const known = new Set(process.listeners('SIGINT'));
      const shown = call(statusCommand, ['store.db', '--watch', '--tz', 'UTC'], {
        cwd: folder,
        isTTY: true,
        rows,
      });
      // It listens before it draws; its own listener is called, since a real SIGINT would end the tests.
      const [leave] = await new Promise<NodeJS.SignalsListener[]>((resolve) => {
        const look = (): void => {
          const added = process.listeners('SIGINT').filter((each) => !known.has(each));
          if (added.length > 0) resolve(added);
          else setImmediate(look);
        };
        look();
      });
      leave('SIGINT');
      const { code, out } = await shown;
      assert.equal(code, 0);
      assert.ok(out.startsWith('\u001b[?25l\u001b[H\u001b[J'), 'the cursor is hidden');
      assert.ok(out.endsWith('\u001b[?25h'), 'and shown again');
      const lines = stripVTControlCharacters(out).trimEnd().split('\n');
      assert.equal(lines.length, height - 1);
      assert.match(lines.at(-1) ?? '', /^… and \d+ more lines$/);
      assert.deepEqual(
        process.listeners('SIGINT').filter((each) => !known.has(each)),
        [],
        'nobody listens any more',
      );
    });
  }

  test('the store of the configuration, and its zone', async (t) => {
    const folder = await temporaryFolder(t);
    writeConfig(folder, `tasks: [], timeZone: 'Asia/Tokyo', store: 'data.db'`);
    const session = await sqlite(join(folder, 'data.db')).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('x', { cron: '0 6 * * *', servedThrough: NOW })] });
    await session.close();
    const { code, out } = await obbligato(t, ['status', '--json'], { cwd: folder });
    const { timeZone, tasks, location } = JSON.parse(out);
    assert.deepEqual([code, timeZone, location], [0, 'Asia/Tokyo', join(folder, 'data.db')]);
    assert.equal(tasks[0].nextDueAt, '2027-01-10T21:00:00.000Z');
    assert.equal(tasks[0].phase, 'AwaitingRun');
  });

  test('no store, somebody else’s file, and damaged records are told', async (t) => {
    const folder = await temporaryFolder(t);
    const missing = await obbligato(t, ['status'], { cwd: folder });
    assert.deepEqual([missing.code, missing.out], [1, '']);
    assert.match(missing.err, /There is no store at ".*obbligato\.db"/);
    writeFileSync(join(folder, 'text.db'), 'x'.repeat(4096));
    const foreign = await obbligato(t, ['status', 'text.db'], { cwd: folder });
    assert.equal(foreign.code, 1);
    assert.match(foreign.err, /is not a database/);
  });

  test('a store in memory can be seen by nobody else, and so is refused', async (t) => {
    const folder = await temporaryFolder(t);
    writeConfig(folder, `tasks: [], store: 'memory:'`);
    const { code, err } = await obbligato(t, ['status'], { cwd: folder });
    assert.equal(code, 2);
    assert.match(err, /only the process of its scheduler can see/);
  });

  test('in a narrow terminal no line is too long, and no name can harm it', async (t) => {
    const folder = await temporaryFolder(t);
    const session = await sqlite(join(folder, 'store.db')).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('a'.repeat(100)), newRecord('evil \u001b[2J')] });
    await session.close();
    for (const columns of [30, 50, 80]) {
      const { out } = await call(statusCommand, ['store.db', '--tz', 'UTC'], {
        cwd: folder,
        isTTY: true,
        columns,
        env: { NO_COLOR: '1' },
      });
      assert.doesNotMatch(out, /(?!\n)\p{Cc}/u);
      for (const line of out.split('\n').slice(2)) assert.ok(line.length <= columns, line);
    }
  });
});
