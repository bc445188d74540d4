/**
 * The journal and its fold, step by step in this thread: after every step another program sees the same records and the same history,
 * which is also what a crash at that point would leave.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { TaskRecord } from '../../src/core/record.ts';
import { pastOf } from '../../src/store/conformance-history.ts';
import {
  applyToModel,
  cutOffOf,
  decidedBy,
  dice,
  failureOf,
  inOrder,
  Model,
  modelOf,
  moveOf,
  newRecord,
  startOf,
  successOf,
  unstartOf,
} from '../../src/store/conformance-kit.ts';
import type { Batch } from '../../src/store/port.ts';
import { holdFile, KEEP_ALL, look } from './held-file.ts';
import { temporaryFolder } from './kit.ts';

const pathFor = async (t: TestContext): Promise<string> => join(await temporaryFolder(t), 'store.db');
const NAMES = Array.from({ length: 12 }, (_, index) => `task ${index}`);

/** A batch of chance; `round` numbers its runs, so that no two are alike. */
function chance(roll: (sides: number) => number, present: Model, round: number): Batch {
  const some = [...present.values()].filter(() => roll(3) === 0);
  const running = some.filter(({ run }) => run !== null);
  const idle = some.filter(({ run }) => run === null);
  const attemptOf = ({ run }: TaskRecord): number => Number(run?.runId.slice('run '.length));
  const [ends, others] = [
    running.filter(() => roll(4) > 0),
    [...idle, ...running.filter(() => roll(9) === 0)],
  ];
  const takenBack = running.filter((record) => !ends.includes(record) && roll(2) === 0);
  return decidedBy(present, {
    cutOffs: running.filter(() => roll(4) === 0).map((record) => cutOffOf(record)),
    removes: [...present.keys()].filter(() => roll(20) === 0 && ends.length === 0 && some.length === 0),
    puts: NAMES.filter((name) => !present.has(name) && roll(4) === 0).map((name) => newRecord(name)),
    ends: ends.map((record) =>
      roll(3) === 0 ? failureOf(record.name, attemptOf(record)) : successOf(record.name, attemptOf(record)),
    ),
    unstarts: takenBack.map((record) => unstartOf(record.name, attemptOf(record))),
    moves: idle.filter(() => roll(5) === 0).map((record) => moveOf(record, roll(1e9))),
    starts: others.filter((record) => !takenBack.includes(record)).map(({ name }) => startOf(name, round)),
  });
}

describe('fold', () => {
  test('E5, J1 after every batch and every step the file says the same, from outside and from inside', async (t) => {
    const path = await pathFor(t);
    const file = await holdFile(path);
    t.after(() => file.close());
    const roll = dice(20_261_116);
    const model = new Model();
    const batches: Batch[] = [];
    let steps = 0;
    for (let round = 1; round <= 150; round++) {
      const batch = chance(roll, model, round);
      batches.push(batch);
      const refused = applyToModel(model, batch).map(({ record: _, ...refusal }) => refusal);
      assert.deepEqual(file.commit(batch), refused);
      for (let count = roll(6); count > 0 && !file.folder.isResting; count--, steps++) {
        file.folder.step();
        assert.deepEqual(inOrder(look(path).records), inOrder([...model.values()]), `round ${round}`);
      }
      const seen = look(path);
      assert.deepEqual(inOrder(file.records()), inOrder([...model.values()]), `round ${round}`);
      assert.deepEqual(inOrder(seen.records), inOrder([...model.values()]), `round ${round}`);
      if (round % 10 === 0) assert.deepEqual(seen.history, pastOf(...batches), `round ${round}`);
    }
    assert.ok(steps > 200, `only ${steps} steps`);
    file.foldAll();
    assert.deepEqual(look(path).history, pastOf(...batches));
    const left = file.db
      .prepare("SELECT count(*) AS n FROM journal WHERE part IN ('starts', 'resets')")
      .get();
    assert.equal(left?.n, 0);
  });

  test('E5 a batch that fails leaves nothing behind, in the file or in memory', async (t) => {
    const path = await pathFor(t);
    const file = await holdFile(path);
    t.after(() => file.close());
    const before: Batch = { puts: [newRecord('a'), newRecord('b')], starts: [startOf('a', 1)] };
    file.commit(before);
    const bad: Batch = { ends: [successOf('a', 1)], starts: [startOf('b', 2, 1)] };
    file.db.exec(`CREATE TEMP TRIGGER no_starts BEFORE INSERT ON journal WHEN new.part = 'starts'
      BEGIN SELECT raise(ABORT, 'no starts'); END`);
    assert.throws(() => file.commit(bad), /no starts/);
    file.db.exec('DROP TRIGGER no_starts');
    const left = inOrder([...modelOf(before).values()]);
    assert.deepEqual(inOrder(file.records()), left);
    assert.deepEqual(file.commit({ ends: [successOf('b', 2)] }), [{ change: 'end', name: 'b' }]);
    file.foldAll();
    assert.deepEqual(inOrder(look(path).records), left);
    assert.deepEqual(look(path).history, []);
  });

  test('E5 the rows of a folded file say everything', async (t) => {
    const path = await pathFor(t);
    const file = await holdFile(path);
    file.commit({ puts: [newRecord('a'), newRecord('b')] });
    file.commit({ starts: [startOf('a', 1), startOf('b', 2, 1)] });
    file.commit({ ends: [failureOf('b', 2)] });
    const before = file.db.prepare('SELECT run_id FROM task ORDER BY id').all();
    assert.deepEqual(
      before.map((row) => row.run_id),
      [null, null],
    );
    file.foldAll();
    const after = file.db
      .prepare('SELECT run_id, run_reason, failures, last_error FROM task ORDER BY id')
      .all();
    assert.deepEqual(
      after.map((row) => ({ ...row })),
      [
        { run_id: 'run 1', run_reason: 'due', failures: 0, last_error: null },
        { run_id: null, run_reason: null, failures: 2, last_error: after[1].last_error },
      ],
    );
    assert.match(String(after[1].last_error), /^\{"name":".+","message":".+"\}$/);
    file.close();
  });

  test('J1 many small entries become few, and the history stays the same', async (t) => {
    const path = await pathFor(t);
    const file = await holdFile(path);
    t.after(() => file.close());
    const batches: Batch[] = [{ puts: [newRecord('a'), newRecord('b')] }];
    for (let round = 1; round <= 150; round++) {
      const ends = round % 3 === 0 ? [failureOf('a', round)] : [successOf('a', round)];
      batches.push({ starts: [startOf('a', round)] }, { ends });
    }
    for (const batch of batches) file.commit(batch);
    file.foldAll();
    const { history } = look(path);
    assert.deepEqual(history, pastOf(...batches));
    const entries = file.db.prepare('SELECT count(*) AS n, sum(runs) AS runs FROM journal').get();
    assert.deepEqual({ ...entries }, { n: 1, runs: 150 });
  });

  test('J1 a large entry between small ones keeps its place', async (t) => {
    const path = await pathFor(t);
    const file = await holdFile(path);
    t.after(() => file.close());
    const many = Array.from({ length: 2500 }, (_, index) => `many ${index}`);
    const batches: Batch[] = [{ puts: ['a', ...many].map((name) => newRecord(name)) }];
    for (let round = 1; round <= 80; round++) {
      batches.push({ starts: [startOf('a', round)] }, { ends: [successOf('a', round)] });
      if (round === 40)
        batches.push(
          { starts: many.map((name) => startOf(name, round, 1)) },
          { ends: many.map((name) => successOf(name, round)) },
        );
    }
    for (const batch of batches) file.commit(batch);
    file.foldAll();
    const [seen, expected] = [look(path).history, pastOf(...batches)];
    assert.equal(seen.length, expected.length);
    assert.equal(
      seen.findIndex(({ task, runId }, at) => task !== expected[at].task || runId !== expected[at].runId),
      -1,
    );
    const entries = file.db.prepare('SELECT runs FROM journal ORDER BY seq').all();
    assert.deepEqual(
      entries.map(({ runs }) => runs),
      [40, 2500, ...Array.from({ length: 40 }, () => 1)],
    );
  });

  test('J2 what is beyond the bounds goes, the oldest first; the names of removed tasks go with it', async (t) => {
    const path = await pathFor(t);
    const file = await holdFile(path, { ...KEEP_ALL, keepRuns: 3 });
    t.after(() => file.close());
    file.commit({ puts: [newRecord('a'), newRecord('gone')] });
    for (let round = 1; round <= 6; round++) {
      const name = round === 1 ? 'gone' : 'a';
      // Another task has had the first run.
      file.commit({ starts: [startOf(name, round, round === 1 ? 1 : 2 * round - 3)] });
      file.commit({ ends: [successOf(name, round)] });
    }
    file.commit({ removes: ['gone'] });
    // What is started while it prunes does not count.
    file.folder.step();
    file.commit({
      puts: [newRecord('b'), newRecord('c')],
      starts: ['b', 'c'].map((name) => startOf(name, 1, 4)),
    });
    assert.deepEqual(
      look(path).history.map(({ task }) => task),
      ['a', 'a', 'a', 'a', 'a', 'gone'],
    );
    file.foldAll();
    assert.deepEqual(
      look(path).history.map(({ runId }) => runId),
      ['run 6', 'run 5', 'run 4'],
    );
    const forgotten = () => file.db.prepare('SELECT count(*) AS n FROM forgotten').get()?.n;
    assert.equal(forgotten(), 1);
    for (let round = 7; round <= 9; round++) {
      file.commit({ starts: [startOf('a', round, 2 * round - 3)] });
      file.commit({ ends: [successOf('a', round)] });
    }
    file.foldAll();
    assert.equal(forgotten(), 0);
  });

  test('J2 runs that ended too long before the newest go', async (t) => {
    const path = await pathFor(t);
    const file = await holdFile(path, { ...KEEP_ALL, keepDays: 1 });
    t.after(() => file.close());
    file.commit({ puts: [newRecord('a')], starts: [startOf('a', 1)] });
    file.commit({ ends: [successOf('a', 1)], starts: [startOf('a', 2)] });
    const late = successOf('a', 2);
    file.commit({ ends: [{ ...late, endedAt: late.endedAt + 86_400_000 }] });
    file.foldAll();
    assert.deepEqual(
      look(path).history.map(({ runId }) => runId),
      ['run 2'],
    );
  });

  test('J2 runs of many days go by their age, however few there are a day, and those of one day become one entry', async (t) => {
    const path = await pathFor(t);
    const file = await holdFile(path, { ...KEEP_ALL, keepDays: 30 });
    t.after(() => file.close());
    file.commit({ puts: [newRecord('a')] });
    const [day, perDay] = [86_400_000, 12];
    let latest = 0;
    for (let round = 1; round <= 50 * perDay; round++) {
      file.commit({ starts: [startOf('a', round)] });
      const end = successOf('a', round);
      latest = end.endedAt + (round * day) / perDay;
      file.commit({ ends: [{ ...end, endedAt: latest }] });
      if (round % perDay === 0) file.foldAll();
    }
    const { history } = look(path);
    const kept = (latest - (history.at(-1)?.endedAt ?? 0)) / day;
    assert.ok(kept >= 30 - 1 / perDay && kept <= 31 + 1 / perDay, `the oldest run is ${kept} days old`);
    assert.ok(history.length >= 30 * perDay, `${history.length} runs are kept`);
    // One per day, and those that are too few to be worth a merge.
    const entries = file.db.prepare('SELECT count(*) AS n FROM journal').get();
    assert.ok(Number(entries?.n) < 31 + 64, `${entries?.n} entries`);
  });

  test('a number is never given to another name, nor to another entry', async (t) => {
    const path = await pathFor(t);
    let file = await holdFile(path, false);
    const idOf = (name: string) =>
      file.db.prepare('SELECT id FROM task WHERE name = ?').get(JSON.stringify(name))?.id;
    file.commit({ puts: [newRecord('a')], starts: [startOf('a', 1)] });
    file.commit({ removes: ['a'] });
    file.foldAll();
    assert.equal(file.db.prepare('SELECT count(*) AS n FROM journal').get()?.n, 0);
    file.close();
    file = await holdFile(path, false);
    t.after(() => file.close());
    file.commit({ puts: [newRecord('b')], starts: [startOf('b', 2)] });
    assert.equal(idOf('b'), 2);
    assert.equal(file.db.prepare('SELECT min(seq) AS first FROM journal').get()?.first, 3);
  });
});
