/** Requests of operators through a store of a test clock (I1–I4): `control` works in a test as it does outside. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { control, createScheduler, hours, type Store, sqlite } from '../../src/index.ts';
import { createTestClock } from '../../src/testing/index.ts';
import { PATIENT } from './moved-clock.ts';

const INNER: Readonly<Record<string, (path: string) => Store | undefined>> = {
  'in memory': () => undefined,
  'in a file': (path) => sqlite(path),
};

for (const [kind, innerOf] of Object.entries(INNER))
  test(`I1 I3 a store ${kind} takes requests by the test clock: no time passes before they are heard`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const clock = createTestClock('2026-06-01T12:30:00Z', PATIENT);
    const store = clock.store(innerOf(join(folder, 'store.db')));
    const scheduler = createScheduler({ clock, store, timeZone: 'UTC', logger: false });
    const starts: number[] = [];
    const run = ({ reason }: { readonly reason: string }): void =>
      void starts.push(reason === 'manual' ? -1 : clock.now());
    await scheduler.initialize([['a', '0 * * * *', run, 0]]);
    await control(store).pause('a', { wait: 0 });
    await clock.advance(hours(3));
    assert.deepEqual(starts, []);
    await control(store).run('a', { wait: 0 });
    await clock.settle();
    assert.deepEqual(starts, [-1]);
    await control(store).resume('a', { wait: 0 });
    await clock.advance(hours(1));
    assert.deepEqual(starts, [-1, Date.parse('2026-06-01T16:00:00Z')]);
    await scheduler.stop();
    // Nobody hears of this one: it waits for the next scheduler.
    assert.equal((await control(store).run('a', { wait: 0 })).state, 'waiting');
    await createScheduler({ clock, store, timeZone: 'UTC' }).initialize([['a', '0 * * * *', run, 0]]);
    await clock.settle();
    assert.deepEqual(starts.slice(2), [-1]);
    await clock.crash();
  });
