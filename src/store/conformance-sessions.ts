/** Conformance: opening, owning, reading and closing. */
import assert from 'node:assert/strict';
import type { ControlRequest } from '../core/control.ts';
import {
  type CheckBody,
  expectRecords,
  fullRecord,
  inOrder,
  modelOf,
  NASTY_NAMES,
  newRecord,
  startOf,
  withSession,
} from './conformance-kit.ts';
import type { Batch } from './port.ts';

export const sessionChecks: Readonly<Record<string, CheckBody>> = {
  'a new store is empty': ({ store }) =>
    withSession(store, async (session) => assert.deepEqual(await session.read(), [])),

  'a store says where it is': async ({ store }) => {
    assert.equal(typeof store.location, 'string');
    assert.notEqual(store.location, '');
  },

  'E5 what is committed survives the session': async ({ store, again }) => {
    const puts = [newRecord('a'), fullRecord('b')];
    await withSession(store, (session) => session.commit({ puts }));
    await withSession(again(), (session) => expectRecords(session, puts));
  },

  'B2 the zone of the latest initialize is there for the next session, and for who looks': async ({
    store,
    again,
  }) => {
    const seen = (zone: string | undefined) =>
      withSession(again(), async (session) => {
        // A store that keeps no zone passes.
        if (session.timeZone === undefined) return;
        assert.equal(await session.timeZone(), zone);
        if (store.inspect !== undefined) assert.equal((await again().inspect?.())?.timeZone, zone);
      });
    const write = (batch: Batch) => withSession(store, (session) => session.commit(batch));
    await write({ puts: [newRecord('a')] });
    await seen(undefined);
    await write({ timeZone: 'Asia/Tokyo' });
    await seen('Asia/Tokyo');
    await write({ removes: ['a'], timeZone: 'America/New_York' });
    await write({ puts: [newRecord('b')] });
    await seen('America/New_York');
    // What is not committed is not there.
    await withSession(store, (session) =>
      assert.rejects(
        session.commit({
          timeZone: 'Asia/Kolkata',
          configures: [{ name: 'absent', version: 1, cron: '* * * * *', retryDelayMs: 1, policy: null }],
        }),
      ),
    );
    await seen('America/New_York');
  },

  'I1 a look shows the requests that nobody has answered, the oldest first, until they are': async ({
    store,
    again,
  }) => {
    const requests: readonly ControlRequest[] = [
      { id: 'b', kind: 'pause', task: 'späte "Rechnung"', askedAt: 5, catchUp: false },
      { id: 'a', kind: 'resume', task: 'x', askedAt: 6, catchUp: true },
    ];
    const shown = async (): Promise<unknown> => (await again().inspect?.())?.requests;
    await withSession(store, async (session) => {
      await session.commit({ puts: [newRecord('x')] });
      // A store that takes no requests, or does not say which wait, passes.
      if (store.ask === undefined || (await shown()) === undefined) return;
      assert.deepEqual(await shown(), []);
      for (const request of requests) await (await store.ask(request)).close();
      assert.deepEqual(await shown(), requests);
      await session.commit({ answers: [{ id: 'b', at: 7, state: 'applied', text: 'paused' }] });
      assert.deepEqual(await shown(), requests.slice(1));
    });
  },

  'E6 an owned store is refused to others, by name': async ({ store, again }) => {
    await withSession(store, async () => {
      for (const other of [store, again()]) {
        await assert.rejects(other.open({ waitMs: 0 }), (error: Error) => {
          assert.equal(error.name, 'StoreLockedError');
          assert.ok(error.message.includes(store.location), error.message);
          return true;
        });
      }
    });
  },

  'E6 a refused session harms neither owner nor records': async ({ store, again }) => {
    await withSession(store, async (session) => {
      await session.commit({ puts: [newRecord('a')] });
      await assert.rejects(again().open({ waitMs: 0 }));
      await session.commit({ starts: [startOf('a')] });
      await expectRecords(session, modelOf({ puts: [newRecord('a')] }, { starts: [startOf('a')] }).values());
    });
    await withSession(again(), async (session) => assert.equal((await session.read()).length, 1));
  },

  'E6 a session that waits gets the store when its owner lets go': async ({ store, again }) => {
    const owner = await store.open({ waitMs: 0 });
    let closed = false;
    const waiting = again()
      .open({ waitMs: 5000 })
      .then((session) => {
        assert.ok(closed, 'opened while owned');
        return session;
      });
    waiting.catch(() => {}); // it is awaited below
    for (let count = 0; count < 10; count++) await owner.commit({ puts: [newRecord('a')] });
    closed = true;
    await owner.close();
    const session = await waiting;
    // The first commit has put the record, and each later one has written it once more.
    await expectRecords(session, [newRecord('a', { version: 10 })]);
    await session.close();
  },

  'E6 waiting has an end': async ({ store, again }) => {
    await withSession(store, async () => {
      await assert.rejects(again().open({ waitMs: 1 }), { name: 'StoreLockedError' });
    });
  },

  'reads those of the given names and leaves absent ones out': ({ store }) =>
    withSession(store, async (session) => {
      const puts = ['a', 'b', 'c'].map((name) => fullRecord(name));
      await session.commit({ puts });
      assert.deepEqual(inOrder(await session.read(['c', 'absent', 'a'])), inOrder([puts[0], puts[2]]));
      assert.deepEqual(await session.read(['absent']), []);
      assert.deepEqual(await session.read([]), []);
    }),

  'names are kept apart, whatever is in them': ({ store }) =>
    withSession(store, async (session) => {
      const puts = NASTY_NAMES.map((name) => newRecord(name));
      const starts = NASTY_NAMES.map((name, index) => startOf(name, index + 1, 1));
      await session.commit({ puts });
      await session.commit({ starts });
      await expectRecords(session, modelOf({ puts, starts }).values());
      for (const [index, name] of NASTY_NAMES.entries()) {
        const [record, ...more] = await session.read([name]);
        assert.deepEqual(more, []);
        assert.deepEqual(structuredClone(record), { ...puts[index], ...starts[index], version: 2 });
      }
      await session.commit({ removes: NASTY_NAMES.slice(1) });
      await expectRecords(session, modelOf({ puts: [puts[0]], starts: [starts[0]] }).values());
    }),

  'nothing is shared with the caller': ({ store }) =>
    withSession(store, async (session) => {
      const given = structuredClone(fullRecord('a'));
      await session.commit({ puts: [given] });
      for (const value of [given, ...(await session.read())]) {
        if (typeof value !== 'object' || value === null) continue;
        Reflect.set(value, 'cron', 'changed');
        Reflect.set(Object(Reflect.get(value, 'work')), 'attempt', 99);
        Reflect.set(Object(Reflect.get(value, 'run')), 'runId', 'changed');
      }
      await expectRecords(session, [fullRecord('a')]);
    }),

  'closing waits for the commits called before': async ({ store, again }) => {
    const session = await store.open({ waitMs: 0 });
    const commits = Promise.all(['a', 'b', 'c'].map((name) => session.commit({ puts: [newRecord(name)] })));
    commits.catch(() => {}); // it is awaited below
    await session.close();
    await commits;
    await withSession(again(), async (later) => assert.equal((await later.read()).length, 3));
  },

  'closing twice is harmless, at once and later': async ({ store, again }) => {
    const session = await store.open({ waitMs: 0 });
    await Promise.all([session.close(), session.close()]);
    await withSession(again(), async (next) => {
      await session.close();
      await assert.rejects(again().open({ waitMs: 0 }), { name: 'StoreLockedError' });
      await next.commit({ puts: [newRecord('a')] });
    });
  },

  'a closed session refuses to read and to commit': async ({ store, again }) => {
    const session = await store.open({ waitMs: 0 });
    await session.close();
    await assert.rejects(session.commit({ puts: [newRecord('a')] }));
    await assert.rejects(session.commit({}));
    await assert.rejects(session.read());
    await withSession(again(), async (next) => assert.deepEqual(await next.read(), []));
  },

  'a store that can be inspected shows what it holds and whether it is owned': async ({ store, again }) => {
    if (store.inspect === undefined) return;
    const puts = [newRecord('a'), fullRecord('b')];
    const look = async (owner: string, written: number): Promise<void> => {
      const snapshot = await again().inspect?.();
      const records = puts.map((put) => ({ ...put, version: written }));
      assert.deepEqual(inOrder(snapshot?.records ?? []), inOrder(records));
      assert.equal(snapshot?.owner, owner);
    };
    await withSession(store, async (session) => {
      await session.commit({ puts });
      await look('held', 1);
      await session.commit({ puts });
    });
    await look('free', 2);
  },
};
