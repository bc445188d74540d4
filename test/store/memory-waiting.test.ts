/** E6: who waits for a store in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memory } from '../../src/index.ts';

test('E6 whoever gave up waiting has no place in the line: the next close leaves the store open to all', async () => {
  const store = memory();
  const owner = await store.open({ waitMs: 0 });
  await assert.rejects(store.open({ waitMs: 1 }), { name: 'StoreLockedError' });
  await owner.close();
  const next = await store.open({ waitMs: 0 });
  await next.close();
});
