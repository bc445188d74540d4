/** `obbligato repair`, on real files with really damaged records. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { repairCommand } from '../../src/cli/commands/repair.ts';
import { createScheduler, inspect, sqlite } from '../../src/index.ts';
import { fullRecord, newRecord } from '../../src/store/conformance-kit.ts';
import { call, obbligato, writeConfig } from './commands-kit.ts';
import { backups, DAMAGE, DAMAGED_WORK, NAMES, storeWith } from './damaged-store.ts';

const registrations = NAMES.filter((name) => name !== 'nameless').map(
  (name) => [name, '0 6 * * 1-5', () => {}, 300_000] as const,
);

describe('obbligato repair', () => {
  test('E7 is the way out that run tells, with the task whose record is damaged', async (t) => {
    for (const [name, damage, whose] of [
      ['work', DAMAGED_WORK, `The store's record of "work"`],
      ['nameless', `UPDATE task SET name = '""' WHERE name = '"nameless"'`, 'A record of the store'],
    ]) {
      const { folder } = await storeWith(t, [fullRecord(name)], damage);
      writeConfig(folder, `tasks: [['${name}', '0 6 * * *', nothing, minutes(1)]]`);
      const { code, err } = await obbligato(t, ['run'], { cwd: folder });
      assert.equal(code, 1);
      const [error, way] = err.split('\n');
      assert.ok(error.startsWith(`error: ${whose} is damaged: Invalid `), err);
      assert.match(way, /^Nothing was changed\. "obbligato repair" looks at all of them/);
    }
  });

  test('E7 lists each problem with task, field and reason, repairs what can be repaired, removes the rest, and a scheduler starts again', async (t) => {
    const { folder, path } = await storeWith(t, NAMES.map(fullRecord), ...DAMAGE);
    const scheduler = createScheduler({ store: sqlite(path) });
    await assert.rejects(scheduler.initialize(registrations), { name: /^Task/ });
    const before = readFileSync(path);

    const { code, out, err } = await obbligato(t, ['repair', '--yes', '--json'], { cwd: folder });
    assert.deepEqual([code, err], [0, '']);
    const { repaired, removed, healthy, backup, changed } = JSON.parse(out);
    assert.deepEqual([healthy, changed], [1, true]);
    assert.deepEqual(
      repaired.map(({ task, field }: { task: string; field: string }) => `${task} ${field}`).sort(),
      [
        'cursor lastSuccessAt',
        'cursor servedThrough',
        'run pendingRetryUntil',
        'spelt name',
        'work work.attempt',
        'work work.key',
      ].sort(),
    );
    assert.deepEqual(removed, [
      { task: '(no name)', field: 'record', reason: 'Invalid task record: it has no name' },
    ]);

    const kept = new DatabaseSync(backup, { readOnly: true });
    const names = kept
      .prepare('SELECT name FROM task ORDER BY id')
      .all()
      .map(({ name }) => name);
    assert.deepEqual(
      names,
      ['"cursor"', '"work"', '"run"', 'spelt', '""', '"healthy"'],
      'the backup is as it was',
    );
    kept.close();
    assert.notDeepEqual(readFileSync(path), before);

    const { records, damaged } = await inspect(path);
    assert.deepEqual(damaged, []);
    assert.deepEqual(
      records.find(({ name }) => name === 'healthy'),
      fullRecord('healthy'),
    );
    const run = records.find(({ name }) => name === 'run');
    assert.deepEqual(
      run?.run,
      fullRecord('run').run,
      'a run that was cut off stays so, and is started again',
    );
    await scheduler.initialize(registrations);
    await scheduler.stop();
  });

  test('without a terminal and --yes it lists, refuses with 2, and changes nothing', async (t) => {
    const { folder, path } = await storeWith(t, NAMES.map(fullRecord), ...DAMAGE);
    const before = readFileSync(path);
    const { code, out, err } = await obbligato(t, ['repair'], { cwd: folder });
    assert.equal(code, 2);
    assert.match(out, /1 healthy record, 7 problems/);
    assert.match(
      out.replace(/\n {2}(?!repair|remove)/g, ' '),
      /repair work: Invalid value for field 'work\.key': it is empty; work\.key becomes a new key/,
    );
    assert.match(err, /no terminal to ask on .*--yes/);
    assert.deepEqual(readFileSync(path), before);
    assert.deepEqual(backups(folder), []);
  });

  test('--dry-run only tells, and exits with 1', async (t) => {
    const { folder, path } = await storeWith(t, NAMES.map(fullRecord), ...DAMAGE);
    const before = readFileSync(path);
    const { code, out } = await obbligato(t, ['repair', '--dry-run', '--json'], { cwd: folder });
    const { repaired, changed } = JSON.parse(out);
    assert.deepEqual([code, repaired.length, changed], [1, 6, false]);
    assert.deepEqual(readFileSync(path), before);
  });

  test('on a terminal it asks, and takes only a yes for one', async (t) => {
    const { folder, path } = await storeWith(t, NAMES.map(fullRecord), ...DAMAGE);
    for (const typed of ['\n', 'n\n', 'maybe\n', '']) {
      const { code, out, err } = await call(repairCommand, [], { cwd: folder, isTTY: true, typed });
      assert.equal(code, 1, JSON.stringify(typed));
      // Where a line is typed, the terminal itself ends it; where none comes, the cursor must not stay behind the question.
      assert.match(
        out,
        typed === '' ? /Repair .*obbligato\.db\? \[y\/N\] \n$/ : /Repair .*obbligato\.db\? \[y\/N\] $/,
      );
      assert.equal(err, 'Nothing was changed.\n');
    }
    assert.equal((await inspect(path)).damaged.length, 5);
    const { code, out } = await call(repairCommand, [], { cwd: folder, isTTY: true, typed: 'y\n' });
    assert.equal(code, 0);
    assert.match(out, /Repaired\. The store as it was is in .*obbligato\.db\.backup-20270110T120000Z\n$/);
    assert.deepEqual((await inspect(path)).damaged, []);
  });

  test('a healthy store is left alone', async (t) => {
    const { folder, path } = await storeWith(t, [fullRecord('a'), newRecord('b')]);
    const before = readFileSync(path);
    const { code, out } = await obbligato(t, ['repair'], { cwd: folder });
    assert.deepEqual([code, out], [0, `${path}: nothing to repair, 2 healthy records\n`]);
    assert.deepEqual(readFileSync(path), before);
    assert.deepEqual(backups(folder), []);
  });

  test('values of types that the table forbids, put in by a table without that rule', async (t) => {
    const { folder, path } = await storeWith(
      t,
      [fullRecord('a')],
      `CREATE TABLE loose AS SELECT * FROM task; DROP TABLE task; ALTER TABLE loose RENAME TO task;
       UPDATE task SET last_failure_at = 'yesterday', run_started_at = x'00ff', pending_retry_until = 1.5`,
    );
    const { code, out } = await obbligato(t, ['repair', '--yes', '--json'], { cwd: folder });
    assert.equal(code, 0);
    assert.deepEqual(
      JSON.parse(out)
        .repaired.map(({ field }: { field: string }) => field)
        .sort(),
      ['lastFailureAt', 'pendingRetryUntil', 'run.startedAt'],
    );
    assert.deepEqual((await inspect(path)).damaged, []);
  });

  test('two records of one name: the misspelt one goes', async (t) => {
    const { folder, path } = await storeWith(
      t,
      [fullRecord('a'), newRecord('b')],
      `UPDATE task SET name = 'a' WHERE name = '"b"'`,
    );
    const { out } = await obbligato(t, ['repair', '--yes', '--json'], { cwd: folder });
    assert.match(JSON.parse(out).removed[0].reason, /there is another record of that name/);
    assert.deepEqual((await inspect(path)).records, [fullRecord('a')]);
  });

  test('a file whose pages are broken is told of, with the way out, and not touched', async (t) => {
    const { folder, path } = await storeWith(
      t,
      Array.from({ length: 500 }, (_, index) => fullRecord(`task ${index}`)),
    );
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096 * 3, 4096 * 5);
    writeFileSync(path, bytes);
    const { code, err } = await obbligato(t, ['repair', '--yes'], { cwd: folder });
    assert.equal(code, 1);
    assert.match(err, /is damaged: put back a copy/);
    assert.deepEqual(readFileSync(path), bytes);
  });

  test('damage that no record shows, in the index of names, is found too, and the index is built again', async (t) => {
    const { folder, path } = await storeWith(t, ['a', 'b', 'work'].map(fullRecord), DAMAGED_WORK);
    const db = new DatabaseSync(path);
    const index = db.prepare(`SELECT rootpage FROM sqlite_schema WHERE type = 'index'`).get();
    db.close();
    const bytes = readFileSync(path);
    const start = (Number(index?.rootpage) - 1) * 4096;
    const place = bytes.indexOf('"b"', start);
    assert.ok(place > start && place < start + 4096, 'the name is in the index');
    bytes.write('"x"', place);
    writeFileSync(path, bytes);
    const dry = await obbligato(t, ['repair', '--dry-run'], { cwd: folder });
    assert.equal(dry.code, 1);
    assert.match(dry.out, /rebuild the index of names: .*index.*no record is lost/s);
    assert.deepEqual(readFileSync(path), bytes);
    const { code } = await obbligato(t, ['repair', '--yes'], { cwd: folder });
    assert.equal(code, 0);
    assert.deepEqual(readFileSync(join(folder, backups(folder)[0])).indexOf('"x"') > 0, true, 'as it was');
    const { records, damaged } = await inspect(path);
    assert.deepEqual([records.map(({ name }) => name), damaged], [['a', 'b', 'work'], []]);
    const again = await obbligato(t, ['repair', '--dry-run'], { cwd: folder });
    assert.equal(again.code, 0, again.out);
  });

  test('the backup may be read by whoever may read the store, and by nobody else', async (t) => {
    const { folder, path } = await storeWith(t, [fullRecord('work')], DAMAGED_WORK);
    await chmod(path, 0o600);
    await obbligato(t, ['repair', '--yes'], { cwd: folder });
    assert.equal(statSync(join(folder, backups(folder)[0])).mode & 0o777, 0o600);
  });
});
