/** D7, E6: whoever waits for the store can be told to stop, and says what it waits for. Real files. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createScheduler, type Scheduler, sqlite } from '../../src/index.ts';
import { temporaryFolder } from '../store/kit.ts';

interface Waiting {
  readonly owner: Scheduler;
  readonly standby: Scheduler;
  /** The first warning of the one that waits. */
  readonly warning: Promise<string>;
}

/** A scheduler that owns a file, and another one that would wait for it for ever. */
async function ownerAndStandby(t: TestContext): Promise<Waiting> {
  const path = join(await temporaryFolder(t), 'store.db');
  const owner = createScheduler({ store: sqlite(path) });
  await owner.initialize([]);
  const { promise: warning, resolve: warn } = Promise.withResolvers<string>();
  const logger = { debug() {}, info() {}, warn, error() {} };
  const lockWait = Number.POSITIVE_INFINITY;
  return { owner, standby: createScheduler({ store: sqlite(path), lockWait, logger }), warning };
}

describe('waiting for the store', () => {
  test('D7 E6 stop ends it: initialize rejects as if the time were up, and the same object can try again', async (t) => {
    const { owner, standby, warning } = await ownerAndStandby(t);
    const refused = assert.rejects(standby.initialize([]), { name: 'StoreLockedError' });
    assert.match(
      await warning,
      /store\.db" is in use by another scheduler \(pid \d+ on .+\); waiting for it to let go/,
    );
    await standby.stop();
    await refused;
    await owner.stop();
    await standby.initialize([]);
    await standby.stop();
  });

  test('E6 it is let in when the owner goes, however long that takes', async (t) => {
    const { owner, standby, warning } = await ownerAndStandby(t);
    const begun = standby.initialize([]);
    await warning;
    await owner.stop();
    await begun;
    await standby.stop();
  });
});
