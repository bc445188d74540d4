/** E7: another program deletes a row of the file under a running scheduler. One task stops, loudly, and everything else goes on. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { control, inspect, sqlite } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { checkTrace } from '../../src/theory/check.ts';
import { createWorld, heldCallback, type World } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'obbligato-aside-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What another program does to the file. */
function elsewhere(file: string, use: (db: DatabaseSync) => void): void {
  const db = new (loadSqlite().DatabaseSync)(file);
  try {
    use(db);
  } finally {
    db.close();
  }
}

/** Deletes the record of a task. */
const remove = (file: string, name: string): void =>
  elsewhere(file, (db) => void db.prepare('DELETE FROM task WHERE name = ?').run(JSON.stringify(name)));

const removedOf = ({ trace }: World): readonly string[] =>
  trace.flatMap((entry) => (entry.event === 'Removed' ? [entry.task] : []));

async function mustBeAccepted({ trace }: World): Promise<void> {
  const { conformant, axioms } = await checkTrace(trace);
  const broken = Object.entries(axioms).filter(([, { status }]) => status === 'violated');
  assert.deepEqual([conformant, broken], [true, []]);
}

test('E7 a record that another program deletes stops its task alone, until the next initialize', async () => {
  const file = join(folder, 'deleted.db');
  const lines: string[] = [];
  const quiet = (): void => {};
  const logger = { debug: quiet, info: quiet, warn: quiet, error: (line: string) => lines.push(line) };
  const world = createWorld('2026-01-01T11:59:30Z', { store: sqlite(file), logger });
  const calls: string[] = [];
  const each = (name: string) => [name, '0,1,2,3,4,5 12 * * *', () => calls.push(name), 60_000] as const;
  const list = [each('a'), each('b'), each('c')];
  await world.scheduler.initialize(list);
  remove(file, 'b');
  const aside = world.next('TaskSetAside');
  await world.clock.advance(30_000);
  const { task, error } = await aside;
  assert.deepEqual([task, error.name, Reflect.get(error, 'taskName')], ['b', 'StoreRecordMissingError', 'b']);
  await world.clock.advance(120_000);
  while (calls.length < 6) await world.clock.advance(1);
  assert.deepEqual([...calls].sort(), ['a', 'a', 'a', 'c', 'c', 'c'], 'and nothing of it runs meanwhile');
  assert.equal(world.events.filter(({ type }) => type === 'TaskSetAside').length, 1, 'reported once');
  assert.match(
    lines.join(),
    /^the record of b is gone .* until the next initialize, which brings it back as a new task/,
  );
  assert.deepEqual(removedOf(world), ['b']);
  assert.ok(world.events.every(({ type }) => type !== 'StoreTroubleStarted'));
  const { records } = await inspect(file);
  assert.deepEqual(
    records.map(({ name }) => name).sort(),
    ['a', 'c'],
    'nothing is shown of a name that is not stored',
  );
  await world.scheduler.stop();
  await world.scheduler.initialize(list);
  while (!calls.includes('b')) await world.clock.advance(1000);
  await world.scheduler.stop();
  const b = (await inspect(file)).records.find(({ name }) => name === 'b');
  assert.ok(b !== undefined && b.firstSeenAt >= Date.parse('2026-01-01T12:02:00Z'), 'it begins anew (E2)');
  await mustBeAccepted(world);
});

for (const how of ['succeed', 'fail'] as const)
  test(`E7 D7 a record that goes while its task runs, which then ${how}s: the end is dropped, and all else goes on`, async () => {
    const file = join(folder, `running-${how}.db`);
    const world = createWorld('2026-01-01T12:00:00Z', { store: sqlite(file) });
    const running = heldCallback();
    let calls = 0;
    const begun = world.next('TaskRunStarted');
    const list: Registration[] = [
      ['running', '0 12 * * *', running.callback, 1000],
      ['other', '1 12 * * *', () => calls++, 60_000],
    ];
    await world.scheduler.initialize(list);
    await begun;
    remove(file, 'running');
    const aside = world.next('TaskSetAside');
    running.runs[0][how]();
    assert.equal((await aside).task, 'running');
    await world.clock.advance(60_000);
    while (calls === 0) await world.clock.advance(1);
    assert.equal(running.runs.length, 1, 'no retry');
    await world.scheduler.stop();
    assert.equal(calls, 1);
    const { records } = await inspect(file);
    assert.deepEqual(
      records.map(({ name }) => name),
      ['other'],
    );
    await mustBeAccepted(world);
  });

test('E7 a record that is put back by hand counts from the next initialize on', async () => {
  const file = join(folder, 'back.db');
  const world = createWorld('2026-01-01T11:59:30Z', { store: sqlite(file) });
  const calls: string[] = [];
  const each = (name: string) => [name, '* 12 * * *', () => calls.push(name), 60_000] as const;
  await world.scheduler.initialize([each('a'), each('b')]);
  let row: Record<string, unknown> = {};
  elsewhere(file, (db) => {
    row = { ...db.prepare(`SELECT * FROM task WHERE name = '"b"'`).get() };
  });
  remove(file, 'b');
  const aside = world.next('TaskSetAside');
  await world.clock.advance(30_000);
  await aside;
  elsewhere(file, (db) => {
    const values = Object.values(row) as Array<string | number | null>;
    db.prepare(`INSERT INTO task VALUES (${values.map(() => '?').join()})`).run(...values);
  });
  while (calls.length < 4) await world.clock.advance(1000);
  await world.scheduler.stop();
  assert.deepEqual(new Set(calls), new Set(['a']));
  assert.deepEqual((await inspect(file)).records.map(({ name }) => name).sort(), ['a', 'b']);
});

test('E7 I5 F2 a record goes while its task runs, and another list comes: the task does not overlap itself, and the next list brings it back', async () => {
  const file = join(folder, 'reloaded.db');
  const world = createWorld('2026-01-01T12:00:00Z', { store: sqlite(file), reload: true });
  const running = heldCallback();
  const begun = world.next('TaskRunStarted');
  const each = (callback: Registration[2]): Registration[] => [['a', '* * * * *', callback, 60_000]];
  await world.scheduler.initialize(each(running.callback));
  await begun;
  remove(file, 'a');
  let calls = 0;
  await world.scheduler.initialize(each(() => calls++));
  await world.clock.advance(120_000);
  assert.equal(calls, 0, 'its first run goes on');
  const setAside = world.next('TaskSetAside');
  running.runs[0].succeed();
  await setAside;
  assert.equal(calls, 0, 'no list has come since the scheduler knows it');
  await world.scheduler.initialize(each(() => calls++));
  while (calls === 0) await world.clock.advance(1000);
  await world.scheduler.stop();
});

test('E7 I2 a request for a task whose record is gone is refused, with the reason', async () => {
  const file = join(folder, 'asked.db');
  const world = createWorld('2026-01-01T12:00:00Z', { store: sqlite(file) });
  await world.scheduler.initialize([['a', '1 12 * * *', () => {}, 1000]]);
  remove(file, 'a');
  const aside = world.next('TaskSetAside');
  await world.clock.advance(60_000);
  await aside;
  const { state, text } = await control(file).run('a', { wait: 600_000 });
  assert.deepEqual(
    [state, text],
    ['refused', 'its record is gone from the store; the next initialize brings it back'],
  );
  await world.scheduler.stop();
});
