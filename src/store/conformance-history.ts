/** Conformance: what is left of runs that are over (J1, J2). A store that keeps no history passes these by having no `history`. */
import assert from 'node:assert/strict';
import {
  applyToModel,
  type CheckBody,
  cutOffOf,
  expectRecords,
  expectRefused,
  failureOf,
  fullRecord,
  inTurn,
  interruptedOf,
  Model,
  modelOf,
  newRecord,
  startOf,
  successOf,
  unstartOf,
  withSession,
} from './conformance-kit.ts';
import { overlayOf } from './overlay.ts';
import type { Batch, HistoryQuery, PastRun, Store, StoreSession } from './port.ts';

async function historyOf(store: Store, query: HistoryQuery = {}): Promise<PastRun[]> {
  const runs: PastRun[] = [];
  for await (const run of store.history?.(query) ?? []) runs.push(structuredClone(run));
  return runs;
}

/** What the history must be after these batches, the newest first. */
export function pastOf(...batches: readonly Batch[]): PastRun[] {
  const model = new Model();
  const past: PastRun[] = [];
  for (const batch of batches) {
    past.push(...overlayOf(model, batch, 'model').past);
    applyToModel(model, batch);
  }
  return past.reverse();
}

const puts = [newRecord('a'), fullRecord('b'), newRecord('c')];

/** Three tasks and seven runs that end, one of them twice and one wrongly. */
const story = inTurn(
  { puts },
  { starts: [startOf('a'), startOf('c')] },
  { ends: [failureOf('a', 1)], unstarts: [unstartOf('c', 1)] },
  { starts: [startOf('a', 2)], ends: [successOf('b')] },
  { ends: [successOf('a', 2), successOf('b')], starts: [startOf('b', 3)] },
  { ends: [failureOf('b', 3), successOf('c', 9)] },
  { starts: [startOf('c', 4)] },
  { ends: [successOf('c', 4)], starts: [startOf('b', 5), startOf('a', 6)] },
  { ends: [failureOf('b', 5), interruptedOf('a', 6)] },
);

const play = async (session: StoreSession): Promise<void> => {
  for (const batch of story) await session.commit(batch);
};

/** A check for stores that have a history. */
const ofHistory =
  (check: CheckBody): CheckBody =>
  async (subject) => {
    if (subject.store.history !== undefined) await check(subject);
  };

export const historyChecks: Readonly<Record<string, CheckBody>> = {
  'J1 every end leaves one row, the newest first; what is refused or repeated leaves none': ofHistory(
    async ({ store, again }) => {
      const expected = pastOf(...story);
      assert.equal(expected.length, 7);
      await withSession(store, async (session) => {
        await play(session);
        assert.deepEqual(await historyOf(store), expected);
        assert.deepEqual(await historyOf(again()), expected);
      });
      assert.deepEqual(await historyOf(again()), expected);
    },
  ),

  'J1 a run that was cut off leaves one row, however often that is found': ofHistory(
    async ({ store, again }) => {
      const running = { puts: [fullRecord('a'), fullRecord('b')] };
      const found = { cutOffs: [cutOffOf(fullRecord('a'))] };
      const later = {
        cutOffs: [cutOffOf(fullRecord('a'), 7), { ...cutOffOf(fullRecord('b')), runId: 'another' }],
      };
      await withSession(store, async (session) => {
        for (const batch of [running, found, later]) await expectRefused(session, batch, []);
        await expectRecords(session, modelOf(running, found, later).values());
      });
      const expected = pastOf(running, found, later);
      assert.deepEqual(
        expected.map(({ outcome }) => outcome),
        ['cut off'],
      );
      assert.deepEqual(await historyOf(again()), expected);
    },
  ),

  'J1 the history of a task that is forgotten is kept, and the name may come back': ofHistory(
    async ({ store, again }) => {
      const back = inTurn(
        ...story,
        { removes: ['a', 'b'], cutOffs: [] },
        { puts: [newRecord('b')], starts: [startOf('b', 8)] },
        { ends: [successOf('b', 8)] },
      ).slice(story.length);
      await withSession(store, async (session) => {
        await play(session);
        for (const batch of back) await session.commit(batch);
      });
      const expected = pastOf(...story, ...back);
      assert.deepEqual(await historyOf(again()), expected);
      assert.deepEqual(
        await historyOf(again(), { task: 'b' }),
        expected.filter(({ task }) => task === 'b'),
      );
    },
  ),

  'J1 a run that ends leaves its row, also if its record goes or is written over in the same batch':
    ofHistory(async ({ store, again }) => {
      const running = { puts: [fullRecord('a'), fullRecord('b'), fullRecord('c'), fullRecord('d')] };
      const over: Batch = {
        ends: [successOf('a'), failureOf('b')],
        unstarts: [unstartOf('c')],
        cutOffs: [cutOffOf(fullRecord('d'))],
        removes: ['a', 'd'],
        puts: [newRecord('b'), newRecord('c')],
      };
      await withSession(store, async (session) => {
        for (const batch of [running, over]) await expectRefused(session, batch, []);
        await expectRecords(session, modelOf(running, over).values());
        assert.deepEqual(await historyOf(store), pastOf(running, over));
      });
      const past = await historyOf(again());
      assert.deepEqual(past, pastOf(running, over));
      assert.deepEqual(past.map(({ task, outcome }) => `${outcome} of ${task}`).sort(), [
        'cut off of d',
        'failure of b',
        'success of a',
      ]);
    }),

  'J1 the history can be asked for a task, an outcome, a time, and a number of runs': ofHistory(
    async ({ store, again }) => {
      const lastTry = inTurn(
        ...story,
        { starts: [startOf('c', 10)] },
        { ends: [{ ...failureOf('c', 10), outcome: 'gave up', pendingRetryUntil: null }] },
      ).slice(story.length);
      await withSession(store, async (session) => {
        await play(session);
        for (const batch of lastTry) await session.commit(batch);
      });
      const all = pastOf(...story, ...lastTry);
      const since = all[2].endedAt;
      const queries: ReadonlyArray<readonly [HistoryQuery, (run: PastRun) => boolean]> = [
        [{ task: 'a' }, ({ task }) => task === 'a'],
        [{ task: 'never there' }, () => false],
        [{ outcome: 'failure' }, ({ outcome }) => outcome === 'failure'],
        [
          { outcome: ['failure', 'gave up'] },
          ({ outcome }) => outcome === 'failure' || outcome === 'gave up',
        ],
        [{ outcome: 'interrupted' }, ({ outcome }) => outcome === 'interrupted'],
        [{ outcome: ['gave up', 'timed out'] }, ({ outcome }) => outcome === 'gave up'],
        [{ outcome: [] }, () => false],
        [{ since }, ({ endedAt }) => endedAt >= since],
        [{ since: since + 1 }, ({ endedAt }) => endedAt > since],
        [{ task: 'b', outcome: 'failure' }, ({ task, outcome }) => task === 'b' && outcome === 'failure'],
      ];
      for (const [query, isAskedFor] of queries) {
        const expected = all.filter(isAskedFor);
        assert.deepEqual(await historyOf(again(), query), expected);
        assert.deepEqual(await historyOf(again(), { ...query, limit: 1 }), expected.slice(0, 1));
      }
      assert.deepEqual(await historyOf(again(), { limit: 0 }), []);
    },
  ),

  'J1 a walk through the history may end early': ofHistory(async ({ store, again }) => {
    await withSession(store, play);
    for await (const run of again().history?.({}) ?? []) {
      assert.deepEqual(structuredClone(run), pastOf(...story)[0]);
      break;
    }
    await withSession(again(), (session) => expectRecords(session, modelOf(...story).values()));
  }),

  'J2 without a history nothing of a run is kept, and the records are the same': ofHistory(
    async ({ store, again }) => {
      const session = await store.open({ waitMs: 0, history: false });
      try {
        await play(session);
        await expectRecords(session, modelOf(...story).values());
      } finally {
        await session.close();
      }
      assert.deepEqual(await historyOf(again()), []);
      await withSession(again(), (next) => expectRecords(next, modelOf(...story).values()));
    },
  ),
};
