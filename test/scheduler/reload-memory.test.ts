/** I5: lists that were replaced are let go of, however many there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScheduler, memory, type Registration } from '../../src/index.ts';
import { collector } from '../collector.ts';
import { until } from '../patience.ts';

/** A list whose callback nobody else holds. */
function listOf(delayMs: number, called: () => void): { list: Registration[]; callback: WeakRef<object> } {
  const callback = (): void => called();
  return { list: [['a', '* * * * *', callback, delayMs]], callback: new WeakRef(callback) };
}

test('I5 a list that was replaced is not kept in memory, nor its callbacks', async () => {
  const collect = collector();
  const scheduler = createScheduler({ store: memory(), timeZone: 'UTC', reload: true, logger: false });
  let calls = 0;
  const callbacks: WeakRef<object>[] = [];
  for (let delayMs = 0; delayMs < 4; delayMs++) {
    const { list, callback } = listOf(delayMs, () => calls++);
    callbacks.push(callback);
    await scheduler.initialize(list);
    if (delayMs === 0) await until(() => calls > 0);
  }
  const replaced = callbacks.slice(0, -1);
  await until(() => {
    collect();
    return replaced.every((callback) => callback.deref() === undefined);
  });
  assert.notEqual(callbacks.at(-1)?.deref(), undefined, 'the list in force is there');
  await scheduler.stop();
});
