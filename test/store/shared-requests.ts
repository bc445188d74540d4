/** What every store that several schedulers share must do with requests of operators (I1). */
import assert from 'node:assert/strict';
import { unstartOf } from '../../src/store/conformance-kit.ts';
import type { Batch, Store } from '../../src/store/port.ts';
import type { Instance } from './shared-instance.ts';

export interface SharedSubject {
  /** The store as a process sees it. */
  readonly connect: () => Store;
  /** Makes another instance declare these dead. */
  readonly declareDead: (...ids: readonly string[]) => Promise<void>;
  readonly cleanup: () => Promise<void>;
}

export type Check = (subject: SharedSubject, a: Instance, b: Instance) => Promise<void>;

const STARTED = { id: 'q1', at: 5, state: 'applied', text: 'started' } as const;

/** Asks for a run of t; answers also what a batch has that starts it. */
async function askToRun(store: Store) {
  const asked = await store.ask?.({ id: 'q1', kind: 'run', task: 't', askedAt: 1, catchUp: false });
  assert.ok(asked);
  return { asked, asking: { answers: [{ ...STARTED, start: 't' }] } satisfies Batch };
}

export const REQUEST_CHECKS: Readonly<Record<string, Check>> = {
  'E9 I1 a pause counts while its request is open: sent again, it does not undo a later resume': async (
    { connect },
    a,
    b,
  ) => {
    const asked = { task: 't', askedAt: 1, catchUp: true };
    await connect().ask?.({ id: 'q1', kind: 'pause', ...asked });
    await connect().ask?.({ id: 'q2', kind: 'resume', ...asked });
    const control = (id: string, pausedAt: number | null, more: Batch = {}): Batch => ({
      pauses: [{ name: 't', pausedAt, request: id }],
      answers: [{ id, at: 5, state: 'applied', text: 'done' }],
      ...more,
    });
    await a.session.commit(control('q1', 5));
    assert.equal((await b.record('t')).pausedAt, 5);
    // With a change of the same task, which is written after it.
    const { version, servedThrough, pendingRetryUntil } = await b.record('t');
    const moves = [{ name: 't', version: version + 1, servedThrough, pendingRetryUntil }];
    await b.session.commit(control('q2', null, { moves }));
    assert.equal((await b.record('t')).pausedAt, null);
    const { refused } = await a.session.commit(control('q1', 5));
    const record = await b.record('t');
    assert.equal(record.pausedAt, null);
    assert.deepEqual(refused, [{ change: 'pause', name: 't', record }]);
  },

  'I1 the answer to a request to run is stored with the start that is granted, and not with one that is refused':
    async ({ connect }, a, b) => {
      const { asked, asking } = await askToRun(connect());
      const before = await a.record('t');
      await b.start(b.claim(before));
      await a.session.commit({ starts: [a.claim(before)], ...asking });
      assert.equal(await asked.answer(), undefined);
      // With a change of the same task, which is written before it.
      await b.session.commit({ ends: [b.end('t')], starts: [b.claim(before, 2)], ...asking });
      assert.equal(await asked.answer(), undefined);
      const start = a.claim(await a.record('t'));
      await a.session.commit({ starts: [start], ...asking });
      assert.deepEqual(await asked.answer(), STARTED);
      await asked.close();
    },

  'I1 the answer to a request to run is stored with a start that follows the end of its task': async (
    { connect },
    a,
  ) => {
    const { asked, asking } = await askToRun(connect());
    await a.start(a.claim(await a.record('t')));
    const ended = a.end('t');
    const record = await a.record('t');
    const start = { ...a.claim(record, 2), version: record.version + 1 };
    const { refused } = await a.session.commit({ ends: [ended], starts: [start], ...asking });
    assert.deepEqual(refused, []);
    assert.deepEqual(await asked.answer(), STARTED);
    await asked.close();
  },

  'I1 a start that is taken back opens its request again, and does so once': async ({ connect }, a, b) => {
    const { asked, asking } = await askToRun(connect());
    await a.session.commit({ starts: [a.claim(await a.record('t'))], ...asking });
    const unstarts = [{ ...unstartOf('t'), runId: 'a-1', requests: ['q1'] }];
    await a.session.commit({ unstarts });
    assert.equal(await asked.answer(), undefined);
    await b.session.commit({ starts: [b.claim(await b.record('t'))], ...asking });
    await a.session.commit({ unstarts });
    assert.deepEqual(await asked.answer(), STARTED);
    await asked.close();
  },
};
