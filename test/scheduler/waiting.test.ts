/** D7, E6: whoever waits for the store can be told to stop, and says what it waits for. Real files. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createScheduler, type Logger, sqlite } from '../../src/index.ts';
import { temporaryFolder } from '../store/kit.ts';

/** A logger whose first warning somebody waits for. */
function warned(): { readonly logger: Logger; readonly warning: Promise<string> } {
  const { promise: warning, resolve } = Promise.withResolvers<string>();
  return { logger: { debug() {}, info() {}, warn: resolve, error() {} }, warning };
}

describe('waiting for the store', () => {
  test('D7 E6 stop ends it: initialize rejects as if the time were up, and the same object can try again', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const owner = createScheduler({ store: sqlite(path) });
    await owner.initialize([]);
    const { logger, warning } = warned();
    const standby = createScheduler({
      store: sqlite(path),
      lockWaitMs: Number.POSITIVE_INFINITY,
      logger,
    });
    const refused = assert.rejects(standby.initialize([]), { name: 'StoreLockedError' });
    assert.match(await warning, /store\.db is in use by another scheduler; waiting for it to let go/);
    await standby.stop();
    await refused;
    await owner.stop();
    await standby.initialize([]);
    await standby.stop();
  });

  test('E6 it is let in when the owner goes, however long that takes', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const owner = createScheduler({ store: sqlite(path) });
    await owner.initialize([]);
    const { logger, warning } = warned();
    const standby = createScheduler({
      store: sqlite(path),
      lockWaitMs: Number.POSITIVE_INFINITY,
      logger,
    });
    const begun = standby.initialize([]);
    await warning;
    await owner.stop();
    await begun;
    await standby.stop();
  });
});
