/** D2, E5 on a real file: an initialize that is rejected leaves it as it was. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ScheduleTaskError, StoreFullError } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import { inspect } from '../../src/store/inspect.ts';
import { sqlite, sqliteForTests } from '../../src/store/sqlite.ts';
import { createWorld } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'obbligato-'));
after(() => rmSync(folder, { recursive: true }));

const NOON = '2026-01-01T12:00:00Z';
const callback = (): void => {};
const list: Registration[] = [
  ['a', '0 0 1 1 *', callback, 0],
  ['b', '30 12 * * *', callback, 5],
];
const refused: Readonly<Record<string, unknown>> = {
  RegistrationsNotArrayError: null,
  RegistrationShapeError: [...list, []],
  InvalidRegistrationError: [...list, ['', '* * * * *', callback, 0]],
  ScheduleDuplicateTaskError: [...list, ...list],
  CronExpressionInvalidError: [...list, ['c', '@daily', callback, 0]],
  NegativeRetryDelayError: [...list, ['c', '* * * * *', callback, -1]],
};

describe('D2 on a real file', () => {
  test('D2 a rejected initialize leaves the file byte-identical, and makes none where there was none', async () => {
    const path = join(folder, 'identical.db');
    const { scheduler } = createWorld(NOON, { store: sqlite(path) });
    const isRefused = async (name: string, wrong: unknown): Promise<void> => {
      await assert.rejects(Reflect.apply(scheduler.initialize, undefined, [wrong]), { name });
    };
    for (const [name, wrong] of Object.entries(refused)) await isRefused(name, wrong);
    assert.equal(existsSync(path), false);
    await scheduler.initialize(list);
    await scheduler.stop();
    const before = readFileSync(path);
    for (const [name, wrong] of Object.entries(refused)) {
      await isRefused(name, wrong);
      assert.deepEqual(readFileSync(path), before, name);
    }
  });

  test('E5 a transaction that finds the disk full leaves the previous state, and its error is the cause', async () => {
    const path = join(folder, 'full.db');
    const small = createWorld(NOON, { store: sqliteForTests(path, { maxPages: 8 }) });
    await small.scheduler.initialize(list);
    await small.scheduler.stop();
    const before = (await inspect(path)).records;
    assert.equal(before.length, 2);
    const many = Array.from(
      { length: 2_000 },
      (_, index): Registration => [`c${index}`, '* * * * *', callback, 0],
    );
    await assert.rejects(
      small.scheduler.initialize([['a', '1 1 1 1 *', callback, 99], ...many]),
      (error: unknown) => {
        assert.ok(error instanceof ScheduleTaskError);
        assert.ok(error.cause instanceof StoreFullError);
        assert.equal(error.details.cause, error.cause);
        return true;
      },
    );
    assert.deepEqual((await inspect(path)).records, before);
    await small.scheduler.initialize(list);
    await small.scheduler.stop();
  });
});
