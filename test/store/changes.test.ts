/**
 * What who looks again and again is told to have changed: after every batch and every step of the fold, what was known before and the changes are together
 * what a first look finds.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { dice, failureOf, newRecord, startOf, successOf } from '../../src/store/conformance-kit.ts';
import { unpackPage } from '../../src/store/page-records.ts';
import type { Batch } from '../../src/store/port.ts';
import { changesIn, type OpenLook, openLook } from '../../src/store/sqlite-changes.ts';
import type { LookMark } from '../../src/store/sqlite-messages.ts';
import { holdFile, look } from './held-file.ts';
import { temporaryFolder } from './kit.ts';

const pathFor = async (t: TestContext): Promise<string> => join(await temporaryFolder(t), 'store.db');
const NAMES = Array.from({ length: 9 }, (_, index) => `task ${index}`);

/** Somebody who looks again and again, in this thread. */
class Watcher {
  readonly #path: string;
  #former: OpenLook | undefined;
  #mark: LookMark | undefined;
  #known = new Map<number, unknown>();

  constructor(path: string) {
    this.#path = path;
  }

  get records(): readonly unknown[] {
    return [...this.#known].sort(([a], [b]) => a - b).map(([, record]) => record);
  }

  /** The numbers of the rows that have changed; `all` if every row had to be read. */
  look(): readonly number[] | 'all' {
    this.#former = openLook({ path: this.#path, busyTimeoutMs: 0 }, this.#former);
    const { reader, close } = this.#former;
    try {
      const { mark, rows } = changesIn(this.#former, this.#mark);
      this.#mark = mark;
      const { page, ids } = rows ?? reader.pageAfter(Number.MIN_SAFE_INTEGER, 1e6);
      if (rows === undefined) this.#known = new Map();
      const records: unknown[] = [];
      unpackPage(page, records);
      for (const [index, id] of ids.entries()) this.#known.set(id, records[index]);
      return rows === undefined ? 'all' : [...ids].sort((a, b) => a - b);
    } finally {
      close();
    }
  }
}

describe('what has changed since a former look', () => {
  test('is what the journal says, while nothing else was written', async (t) => {
    const path = await pathFor(t);
    const file = await holdFile(path);
    t.after(() => file.close());
    file.commit({ puts: NAMES.map((name) => newRecord(name)) });
    const watcher = new Watcher(path);
    assert.equal(watcher.look(), 'all', 'the first look');
    assert.deepEqual(watcher.look(), []);
    file.commit({ starts: [startOf('task 3', 1), startOf('task 5', 1)] });
    assert.deepEqual(watcher.look(), [4, 6]);
    file.commit({ ends: [successOf('task 3', 1)] });
    file.commit({ ends: [failureOf('task 5', 1)], starts: [startOf('task 0', 1)] });
    assert.deepEqual(watcher.look(), [1, 4, 6]);
    file.commit({ answers: [{ id: 'x', at: 1, state: 'applied', text: '' }] });
    assert.deepEqual(watcher.look(), [], 'an answer to an operator is no change of a task');
    file.commit({ pauses: [{ name: 'task 1', pausedAt: 7 }] });
    assert.equal(watcher.look(), 'all', 'a pause is not in the journal');
    assert.deepEqual(watcher.records, look(path).records);
  });

  test('is not known after a fold that may have pruned entries, nor when another scheduler has come', async (t) => {
    const path = await pathFor(t);
    const first = await holdFile(path);
    first.commit({ puts: NAMES.map((name) => newRecord(name)) });
    const watcher = new Watcher(path);
    watcher.look();
    first.commit({ starts: [startOf('task 3', 1)] });
    first.foldAll();
    assert.equal(watcher.look(), 'all');
    assert.deepEqual(watcher.look(), []);
    first.close();
    const second = await holdFile(path);
    t.after(() => second.close());
    assert.equal(watcher.look(), 'all');
    assert.deepEqual(watcher.records, look(path).records);
  });

  test('with what was known before is what a first look finds, whatever batches and folds come between', async (t) => {
    const path = await pathFor(t);
    const roll = dice(11);
    let file = await holdFile(path);
    t.after(() => file.close());
    const watcher = new Watcher(path);
    const seen = { all: 0, some: 0 };
    for (let round = 1; round <= 200; round++) {
      file.commit(chance(roll, round));
      if (roll(6) === 0) file.foldAll();
      else if (roll(3) === 0 && !file.folder.isResting) file.folder.step();
      if (roll(25) === 0) {
        file.close();
        file = await holdFile(path);
      }
      if (roll(3) === 0) continue;
      seen[watcher.look() === 'all' ? 'all' : 'some']++;
      assert.deepEqual(watcher.records, look(path).records, `round ${round}`);
    }
    assert.ok(seen.all > 10 && seen.some > 10, JSON.stringify(seen));
  });
});

/** Mostly starts and ends, now and then something else. Ends and starts that make no sense are refused, and change nothing. */
function chance(roll: (sides: number) => number, round: number): Batch {
  const some = (): string[] => NAMES.filter(() => roll(4) === 0);
  const [names, others] = [some(), some()];
  return {
    ...(roll(8) === 0 && { puts: some().map((name) => newRecord(name, { lastDurationMs: round })) }),
    ...(roll(12) === 0 && { removes: some() }),
    ...(roll(8) === 0 && { pauses: some().map((name) => ({ name, pausedAt: round })) }),
    ends: others.map((name) => successOf(name, round - 1)),
    starts: names.map((name) => startOf(name, round)),
  };
}
