/** `obbligato history`: what a scheduler in another process has left behind, while it runs and after it was killed (J1). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { historyCommand } from '../../src/cli/commands/history.ts';
import { newRecord, startOf, successOf } from '../../src/store/conformance-kit.ts';
import { type EndChange, sqlite } from '../../src/store/index.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, NOW, obbligato, program, type Said, schedulerProgram } from './commands-kit.ts';

/** A store with three tasks and four runs of the last hours; `c` has never run. */
async function storeIn(folder: string): Promise<string> {
  const path = join(folder, 'obbligato.db');
  const session = await sqlite(path).open({ waitMs: 0 });
  await session.commit({ puts: ['a', 'b\u001b[2J', 'c'].map((name) => newRecord(name)) });
  const error = {
    name: 'TypeError',
    message: 'no such thing\u001b',
    text: 'TypeError: no such thing\n    at x',
  };
  const runs: readonly [string, number, number, Partial<EndChange>][] = [
    ['a', 1, 180, {}],
    ['b\u001b[2J', 2, 120, { outcome: 'failure', error, pendingRetryUntil: NOW, failures: 1 }],
    ['a', 3, 60, { work: { key: 'k', scheduledFor: NOW - 70 * 60_000, attempt: 1 } }],
    ['b\u001b[2J', 4, 1, { reason: 'retry', work: { key: 'k', scheduledFor: NOW, attempt: 2 } }],
  ];
  for (const [place, [name, attempt, minutesAgo, over]] of runs.entries()) {
    const endedAt = NOW - minutesAgo * 60_000;
    const end = { ...successOf(name, attempt), calledAt: endedAt - 1500, endedAt, ...over };
    const version = place < 2 ? 1 : 3; // a start and an end write the record once each
    await session.commit({ starts: [startOf(name, attempt, version)] });
    await session.commit({ ends: [end] });
  }
  await session.close();
  return path;
}

/** A store with one run of each outcome that an end can have. */
async function storeOfOutcomes(folder: string): Promise<void> {
  const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
  const outcomes = ['success', 'failure', 'gave up', 'timed out', 'cancelled'] as const;
  await session.commit({ puts: outcomes.map((name) => newRecord(name)) });
  for (const [place, outcome] of outcomes.entries()) {
    await session.commit({ starts: [startOf(outcome, place, 1)] });
    await session.commit({ ends: [{ ...successOf(outcome, place), outcome }] });
  }
  await session.close();
}

const at = (cwd: string) => ({ cwd, columns: 120 });
const ask = (folder: string, ...words: string[]): Promise<Said> =>
  call(historyCommand, [...words, '--tz', 'UTC'], at(folder));

const tasksIn = (out: string): string[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).task);

describe('obbligato history', () => {
  test('J1 shows the runs, the newest first, in a table', async (t) => {
    const folder = await temporaryFolder(t);
    await storeIn(folder);
    const { code, out } = await ask(folder);
    assert.equal(code, 0);
    const [head, ...lines] = out.trimEnd().split('\n');
    assert.match(head, /^ENDED +OUTCOME +TOOK +DUE +REASON +TASK +ERROR$/);
    assert.equal(lines.length, 4);
    assert.match(
      lines[0],
      /^2027-01-10 11:59 \+00:00 +success +1\.5 s +12:00 +retry, attempt 2 +b\\u\{1b\}\[2J$/,
    );
    assert.match(lines[1], /success +1\.5 s +10:50 +due +a$/);
    assert.match(lines[2], /failure .* TypeError: no such thing\\u\{1b\}$/);
    assert.ok(!out.includes('\u001b'));
  });

  test('J1 --errors shows what a run threw, below its line', async (t) => {
    const folder = await temporaryFolder(t);
    await storeIn(folder);
    const { out } = await ask(folder, '--failed', '--errors');
    const lines = out.trimEnd().split('\n');
    assert.equal(lines.length, 4);
    assert.deepEqual(lines.slice(2), ['    TypeError: no such thing', '        at x']);
  });

  test('J1 a task, an outcome, a time and a number choose', async (t) => {
    const folder = await temporaryFolder(t);
    await storeIn(folder);
    const cases: ReadonlyArray<readonly [string[], string[]]> = [
      [['a'], ['a', 'a']],
      [['--outcome', 'failure'], ['b\u001b[2J']],
      [
        ['--since', '90m'],
        ['b\u001b[2J', 'a'],
      ],
      [['--since', '2027-01-10T11:30'], ['b\u001b[2J']],
      [['-n', '1'], ['b\u001b[2J']],
      [['a', '--limit', '1'], ['a']],
    ];
    for (const [words, expected] of cases) {
      const { code, out } = await ask(folder, ...words, '--json');
      assert.deepEqual([code, tasksIn(out)], [0, expected], words.join(' '));
    }
  });

  test('J1 every outcome that the table shows can be chosen, and --failed leaves no failed run out', async (t) => {
    const folder = await temporaryFolder(t);
    await storeOfOutcomes(folder);
    const cases: ReadonlyArray<readonly [string[], string[]]> = [
      [['--outcome', 'gave up'], ['gave up']],
      [['--outcome', 'gave-up'], ['gave up']],
      [['--outcome', 'cancelled'], ['cancelled']],
      [['--outcome', 'timed out'], ['timed out']],
      [
        ['--outcome', 'cancelled, timed out'],
        ['cancelled', 'timed out'],
      ],
      [['--failed'], ['timed out', 'gave up', 'failure']],
    ];
    for (const [words, expected] of cases) {
      const { code, out } = await ask(folder, ...words, '--json');
      assert.deepEqual([code, tasksIn(out)], [0, expected], words.join(' '));
    }
    assert.equal((await ask(folder, '--outcome', 'cut off')).out, '');
  });

  test('J1 --json has every field, with instants as texts', async (t) => {
    const folder = await temporaryFolder(t);
    await storeIn(folder);
    const { out } = await ask(folder, '--failed', '--json');
    assert.deepEqual(JSON.parse(out), {
      task: 'b\u001b[2J',
      runId: 'run 2',
      instanceId: 'instance-1',
      reason: 'due',
      key: 'key of 1',
      attempt: 2,
      outcome: 'failure',
      error: {
        name: 'TypeError',
        message: 'no such thing\u001b',
        text: 'TypeError: no such thing\n    at x',
      },
      scheduledFor: '2025-01-01T00:01:00.000Z',
      calledAt: '2027-01-10T09:59:58.500Z',
      endedAt: '2027-01-10T10:00:00.000Z',
      durationMs: 1500,
    });
  });

  test('says when there is nothing, and what may have been meant', async (t) => {
    const folder = await temporaryFolder(t);
    const path = await storeIn(folder);
    const never = await ask(folder, 'c');
    assert.deepEqual([never.code, never.out], [0, '']);
    assert.equal(never.err, `No run of "c" is in the history of ${path}.\n`);
    const none = await ask(folder, '--outcome', 'cancelled');
    assert.equal(none.err, `No such run is in the history of ${path}.\n`);
    const wrong = await ask(folder, 'cc');
    assert.equal(wrong.code, 1);
    assert.equal(wrong.err, `${path} knows no task "cc": did you mean "c"?\n`);
  });

  test('refuses what makes no sense, with what to write', async (t) => {
    const folder = await temporaryFolder(t);
    await storeIn(folder);
    const cases: ReadonlyArray<readonly [string[], RegExp]> = [
      [
        ['--outcome', 'ok'],
        /--outcome takes success, failure, "gave up", "timed out", cancelled, "cut off" or interrupted; got "ok"/,
      ],
      [['--outcome', 'failure,'], /got ""/],
      [
        ['--failed', '--outcome', 'success'],
        /--failed is the same as --outcome failure,"gave up","timed out"; give one of the two/,
      ],
      [['--since', 'yesterday'], /"yesterday" is not a date or a time/],
      [['--limit', '0'], /--limit takes a whole number from 1/],
    ];
    for (const [words, said] of cases) await assert.rejects(ask(folder, ...words), said);
    await assert.rejects(
      call(historyCommand, ['--store', 'memory:'], at(folder)),
      /only the process of its scheduler/,
    );
    const missing = await obbligato(t, ['history', '--store', 'none.db'], { cwd: folder });
    assert.equal(missing.code, 1);
    assert.match(missing.err, /none\.db/);
  });
});

/** What the history of a store has, from another process. */
async function outcomes(t: TestContext, folder: string): Promise<string[]> {
  const { out } = await obbligato(t, ['history', '--store', 'store.db', '--json'], { cwd: folder });
  return out === ''
    ? []
    : out
        .trim()
        .split('\n')
        .map((line) => `${JSON.parse(line).task} ${JSON.parse(line).outcome}`);
}

test('J1 a run that a kill cut off is in the history once the next scheduler has found it', async (t) => {
  const folder = await temporaryFolder(t);
  const path = schedulerProgram(folder, "['runs', '* * * * *', forever, hours(1)]");
  const first = program(t, [path], { cwd: folder });
  await first.says(/TaskRunStarted runs\n/);
  assert.deepEqual(await outcomes(t, folder), []);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = program(t, [path], { cwd: folder });
  await second.says(/TaskRunStarted runs\n/);
  assert.deepEqual(await outcomes(t, folder), ['runs cut off']);
});
