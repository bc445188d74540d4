/** What every store must do that several schedulers share (K2 to K5), as the sessions of two instances see it. */
import assert from 'node:assert/strict';
import type { TaskRecord } from '../../src/core/record.ts';
import { newRecord, unstartOf } from '../../src/store/conformance-kit.ts';
import type { MoveChange } from '../../src/store/port.ts';
import { Instance } from './shared-instance.ts';
import { type Check, REQUEST_CHECKS, type SharedSubject } from './shared-requests.ts';

const CHECKS: Readonly<Record<string, Check>> = {
  'K1 two instances are there at the same time, and know of each other': async ({ connect }, a) => {
    const c = await Instance.join(connect(), 'c');
    assert.deepEqual([...c.sharing.members].sort(), ['a', 'b', 'c']);
    await Promise.all([a, c].map(({ session }) => session.close()));
  },

  'K2 the second claim is refused, and the answer has the record; the same claim again is granted': async (
    _,
    a,
    b,
  ) => {
    const record = await a.record('t');
    const claim = a.claim(record);
    assert.equal(await a.start(claim), 'granted');
    const shown = await b.start(b.claim(record));
    assert.notEqual(shown, 'granted');
    assert.equal(Object(shown).run?.runId, 'a-1');
    assert.equal(await a.start(claim), 'granted');
  },

  'K2 a claim that was decided by what is no longer so is refused': async (_, a, b) => {
    const before = await a.record('t');
    await a.start(a.claim(before));
    await a.session.commit({ ends: [a.end('t')] });
    assert.notEqual(await b.start(b.claim(before)), 'granted');
    assert.equal(await b.start(b.claim(await b.record('t'))), 'granted');
  },

  'K3 who leaves hands over what it runs': async (_, a, b) => {
    await a.start(a.claim(await a.record('t')));
    await a.session.close();
    const [left, ...more] = await b.sharing.leftBehind();
    assert.deepEqual(more, []);
    assert.notEqual(Object(left).run.cutOffAt, null);
    assert.equal(await b.start(b.claim(await b.record('t'))), 'granted');
  },

  'K4 what a dead instance asks for is not done, and it hears that it is lost': async (
    { declareDead },
    a,
    b,
  ) => {
    await a.start(a.claim(await a.record('t')));
    await declareDead('a');
    assert.equal(await b.start(b.claim(await b.record('t'))), 'granted');
    const current = await b.record('t');
    for (const batch of [
      { ends: [a.end('t')] },
      { unstarts: [{ ...unstartOf('t'), runId: 'a-1' }] },
      { starts: [a.claim(await b.record('u'), 7)] },
    ])
      await assert.rejects(a.session.commit(batch), { name: 'StoreLostError' });
    assert.deepEqual(await b.record('t'), current);
  },

  'K4 the end of a run that is not current is refused': async (_, a, b) => {
    await a.start(a.claim(await a.record('t')));
    const { refused } = await b.session.commit({ ends: [{ ...b.end('t'), runId: 'a-1' }] });
    assert.deepEqual(
      refused.map(({ change, name }) => [change, name]),
      [['end', 't']],
    );
  },

  'K5 a list that was planned from old records is stale': async (_, a, b) => {
    await a.record('t');
    await b.initialize(['t', 'u', 'v']);
    assert.equal(await a.sharing.initialize({ puts: [newRecord('w')] }, ['t', 'w']), 'stale');
  },

  'K5 a claim by old configurations is refused': async (_, a, b) => {
    const record = await a.record('t');
    await b.record('t');
    const configured = {
      name: 't',
      version: record.version,
      cron: '1 * * * *',
      retryDelayMs: 1,
      policy: null,
    };
    await b.sharing.initialize({ configures: [configured] }, ['t', 'u']);
    assert.notEqual(await a.start(a.claim(record)), 'granted');
    await a.initialize(['t', 'u']);
    assert.equal(await a.start(a.claim(await a.record('t'))), 'granted');
  },

  'K5 who removes a name that others have, or one that nobody has, knows no more of their configurations than before':
    async (_, a, b) => {
      const record = await a.record('t');
      await b.record('t');
      const configured = {
        name: 't',
        version: record.version,
        cron: '1 * * * *',
        retryDelayMs: 1,
        policy: null,
      };
      await b.sharing.initialize({ configures: [configured] }, ['t', 'u']);
      for (const name of ['u', 'never there']) {
        await a.session.commit({ removes: [name] });
        assert.notEqual(await a.start(a.claim(record)), 'granted', name);
      }
      await a.initialize(['t', 'u']);
      assert.equal(await a.start(a.claim(await a.record('t'))), 'granted');
    },

  'K5 who gives up a name that others have makes a new epoch, and who never had it makes none': async (
    { connect },
    a,
    b,
  ) => {
    const isKnown = async (attempt: number): Promise<boolean> => {
      const started = await b.start(
        b.claim(await b.session.read(['t']).then(([t]) => t as TaskRecord), attempt),
      );
      if (started === 'granted') await b.session.commit({ ends: [b.end('t', attempt)] });
      return started === 'granted';
    };
    await b.initialize(['t', 'u']);
    const c = await Instance.join(connect(), 'c');
    assert.deepEqual(await c.initialize(['t'], ['u']), ['u']);
    const isKnownStill = await isKnown(1);
    await c.session.close();
    assert.ok(isKnownStill, 'who never had the name changes nothing');
    assert.deepEqual(await a.initialize(['t'], ['u']), ['u']);
    assert.ok(!(await isKnown(2)), 'by a list');
    await b.initialize(['t', 'u']);
    assert.ok(await isKnown(3));
    await a.session.commit({ removes: ['u'] });
    assert.ok(!(await isKnown(4)), 'at the end of a run that it had dropped');
  },

  'K2 K5 a move is refused once the task is configured anew, with the record; one that is made already is granted again':
    async (_, a, b) => {
      const record = await b.record('t');
      const move = a.move(record, record.servedThrough + 5);
      const isGranted = async (moves: readonly MoveChange[]): Promise<boolean> =>
        (await a.session.commit({ moves })).refused.length === 0;
      assert.ok(await isGranted([move]));
      assert.ok(await isGranted([move]), 'the record shows it');
      const before = await b.record('t');
      const { version } = before;
      const configured = { name: 't', version, cron: '1 * * * *', retryDelayMs: 1, policy: null };
      await b.sharing.initialize({ configures: [configured] }, ['t', 'u']);
      const { refused } = await a.session.commit({ moves: [a.move(before, record.servedThrough + 6)] });
      const after = await b.record('t');
      assert.deepEqual(refused, [{ change: 'move', name: 't', record: after }]);
      assert.ok(await isGranted([a.move(after, record.servedThrough + 7)]));
      assert.equal((await b.record('t')).servedThrough, record.servedThrough + 7);
    },

  'K2 of two moves by one version one is granted; a cursor ahead of the clock goes back (B5)': async (
    _,
    a,
    b,
  ) => {
    const record = await b.record('t');
    const { servedThrough: from } = record;
    const movedBy = async (instance: typeof a, move: MoveChange): Promise<readonly unknown[]> =>
      (await instance.session.commit({ moves: [move] })).refused.map(({ record: now }) => now?.servedThrough);
    const [far, near] = [a.move(record, from + 9), b.move(record, from + 7)];
    assert.deepEqual(await movedBy(a, far), []);
    assert.deepEqual(await movedBy(b, near), [from + 9]);
    assert.deepEqual(await movedBy(a, far), [], 'the record shows it');
    const now = a.sharing.now();
    assert.deepEqual(await movedBy(b, b.move(await b.record('t'), now + 7_200_000)), []);
    assert.deepEqual(await movedBy(a, a.move(await b.record('t'), now)), []);
    assert.equal((await b.record('t')).servedThrough, now);
  },

  'K2 K3 a run that is cut off raises the version, and so do its end and a pause': async (_, a, b) => {
    const seen = [(await b.record('t')).version];
    const look = async (): Promise<number> => seen.push((await b.record('t')).version);
    await a.start(a.claim(await a.record('t')));
    await look();
    await a.session.commit({ ends: [a.end('t')] });
    await look();
    await a.session.commit({ pauses: [{ name: 't', pausedAt: 5 }] });
    await a.session.commit({ pauses: [{ name: 't', pausedAt: null }] });
    await a.start(a.claim(await a.record('t'), 2));
    await look();
    await a.session.close();
    await look();
    const [first] = seen;
    assert.deepEqual(
      seen.map((version) => version - first),
      [0, 1, 2, 5, 6],
    );
  },

  'K5 a name is forgotten once no other instance has it, and until then the answer says that it stays':
    async (_, a, b) => {
      assert.deepEqual(await a.initialize(['t'], ['u', 'never there']), ['u']);
      assert.equal((await b.record('u')).name, 'u');
      await b.session.close();
      assert.deepEqual(await a.initialize(['t'], ['u', 'never there']), []);
      assert.deepEqual(await a.session.read(['u']), []);
    },

  'K5 a name that another instance runs is not forgotten': async (_, a, b) => {
    await b.start(b.claim(await b.record('u')));
    assert.deepEqual(await b.initialize(['t']), []);
    assert.deepEqual(await a.initialize(['t'], ['u']), ['u']);
    await b.session.commit({ ends: [b.end('u')] });
    assert.deepEqual(await a.initialize(['t'], ['u']), []);
  },

  'K7 of some dues, those come back that lack a start': async (_, a, b) => {
    const { servedThrough } = await a.record('t');
    await a.start(a.claim(await a.record('t')));
    const dues = ['t', 'u'].map((name) => ({ name, dueAt: servedThrough + 1 }));
    const unserved = await b.sharing.unserved(dues);
    assert.deepEqual(
      unserved.map((record) => Object(record).name),
      ['u'],
    );
    assert.deepEqual(await b.sharing.unserved([{ name: 'u', dueAt: servedThrough }]), []);
  },

  ...REQUEST_CHECKS,
};

/** The checks, each on a cluster of its own in which a and b have the tasks t and u. */
export function sharedConformance(
  create: () => Promise<SharedSubject>,
): ReadonlyArray<{ readonly name: string; run(): Promise<void> }> {
  return Object.entries(CHECKS).map(([name, check]) => ({
    name,
    async run() {
      const subject = await create();
      const joined: Instance[] = [];
      try {
        for (const id of ['a', 'b']) {
          const instance = await Instance.join(subject.connect(), id);
          joined.push(instance);
          await instance.initialize(['t', 'u']);
        }
        const [a, b] = joined;
        // Both know the configurations that hold.
        await a.initialize(['t', 'u']);
        await check(subject, a, b);
      } finally {
        await Promise.all(joined.map(({ session }) => session.close()));
        await subject.cleanup();
      }
    },
  }));
}
