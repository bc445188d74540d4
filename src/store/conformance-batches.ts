/** Conformance: what a batch means, that it is whole, ordered, and safe to repeat. */
import assert from 'node:assert/strict';
import {
  applyToModel,
  type CheckBody,
  cutOffOf,
  decidedBy,
  dice,
  expectRecords,
  expectRefused,
  failureOf,
  fullRecord,
  inOrder,
  inTurn,
  interruptedOf,
  Model,
  modelOf,
  moveOf,
  newRecord,
  startOf,
  successOf,
  unstartOf,
  withSession,
} from './conformance-kit.ts';
import type { Batch, ConfigureChange, EndChange, StoreSession } from './port.ts';

const configureOf = (
  name: string,
  cron: string,
  retryDelayMs: number,
  policy: string | null,
): ConfigureChange => ({ name, version: 1, cron, retryDelayMs, policy });

/** A store with these records, then this batch: the outcome must be the model's. */
const means =
  (...batches: readonly [Batch, Batch]): CheckBody =>
  ({ store, again }) =>
    withSession(store, async (session) => {
      const [before, batch] = inTurn(...batches);
      await session.commit(before);
      await expectRefused(session, batch, []);
      await expectRecords(session, modelOf(before, batch).values());
      await session.close();
      await withSession(again(), (next) => expectRecords(next, modelOf(before, batch).values()));
    });

const three: Batch = { puts: [newRecord('a'), fullRecord('b'), newRecord('c')] };
const running: Batch = { ...three, starts: [startOf('a'), startOf('b', 2)] };
const edge = 8.64e15;
const many = Array.from({ length: 20_000 }, (_, index) => `task ${index}`);

/** Every part at once: the order decides what is left. */
const four: Batch = { puts: [newRecord('a'), fullRecord('b'), newRecord('c'), fullRecord('e')] };
const everything: Batch = {
  ends: [failureOf('b')],
  unstarts: [unstartOf('e')],
  removes: ['a', 'c', 'never there'],
  puts: [fullRecord('a'), newRecord('d')],
  configures: [configureOf('a', '1 1 1 1 *', 0, '{"jitterMs":1000}')],
  pauses: [{ name: 'd', pausedAt: 7 }],
  moves: [moveOf(fullRecord('b'), 5), moveOf(fullRecord('e'), 6, 7), moveOf(newRecord('d'), 8)],
  starts: [startOf('b', 4), startOf('d')],
};
/** The same without whole records: they are written anew each time that they come. */
const { puts: _, ...repeatable } = everything;
const toRepeat: readonly [Batch, Batch] = [
  { puts: [fullRecord('a'), fullRecord('b'), newRecord('c'), newRecord('d'), fullRecord('e')] },
  { ...repeatable, removes: ['c', 'never there'] },
];

const missing: ReadonlyArray<readonly [string, Batch]> = [
  ['configures', { configures: [configureOf('absent', '* * * * *', 1, null)] }],
  ['cutOffs', { cutOffs: [{ name: 'absent', runId: 'run', at: 1 }] }],
];

/**
 * A batch of chance over a few names, and only over those that are there when their part takes effect. Most of its changes are of the run that the record
 * shows, some of another one. A run has one end, so that a store that knows runs by their ids can tell no more than the model.
 */
function chance(roll: (sides: number) => number, present: Model): Batch {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const some = (from: readonly string[]): string[] => from.filter(() => roll(3) === 0);
  const removes = some(names);
  const puts = some(names).map((name) => (roll(2) === 0 ? newRecord(name) : fullRecord(name)));
  const left = names.filter(
    (name) => puts.some((put) => put.name === name) || (present.has(name) && !removes.includes(name)),
  );
  const attemptOf = (name: string): number | undefined => {
    const runId = present.get(name)?.run?.runId ?? 'run-0';
    const shown = runId === 'run-0' ? undefined : Number(runId.slice('run '.length));
    return roll(4) === 0 ? 1 + roll(9) : shown;
  };
  const endOf = (name: string): EndChange => {
    const attempt = attemptOf(name);
    const [succeeds, fails] = [(attempt ?? 0) % 2 === 0, (attempt ?? 0) % 3 === 0];
    const end = (succeeds ? successOf : fails ? failureOf : interruptedOf)(name, attempt);
    return roll(3) === 0 ? { ...end, servedThrough: roll(1e9) } : end;
  };
  const batch: Batch = {
    ends: some([...present.keys()]).map(endOf),
    unstarts: some([...present.keys()]).map((name) =>
      unstartOf(name, attemptOf(name), { work: startOf(name, 1 + roll(9)).work, run: null }),
    ),
    removes,
    puts,
    configures: some(left).map((name) =>
      configureOf(
        name,
        `${roll(60)} * * * *`,
        roll(1000),
        roll(2) === 0 ? null : `{"jitterMs":${1000 * roll(5)}}`,
      ),
    ),
    pauses: some(left).map((name) => ({ name, pausedAt: roll(2) === 0 ? null : roll(1e9) })),
    moves: some(left).map((name) => moveOf(newRecord(name), roll(1e9), roll(2) || null)),
    starts: some(left).map((name) => startOf(name, 1 + roll(9))),
  };
  return nearly(roll, decidedBy(present, batch));
}

/** Some changes are decided by an older version, or by a newer one. */
function nearly(
  roll: (sides: number) => number,
  { configures = [], moves = [], starts = [], ...batch }: Batch,
): Batch {
  const about = <Change extends { readonly version: number }>(change: Change): Change =>
    roll(5) === 0 ? { ...change, version: change.version + roll(3) - 1 } : change;
  return {
    ...batch,
    configures: configures.map(about),
    moves: Array.from(moves, about),
    starts: Array.from(starts, about),
  };
}

const unversioned = (record: unknown): unknown => ({ ...Object(record), version: 0 });

export const batchChecks: Readonly<Record<string, CheckBody>> = {
  'puts insert, and write over what is there': means(three, { puts: [fullRecord('a'), newRecord('b')] }),
  'removes forget; a name never there is no matter': means(three, { removes: ['a', 'c', 'never there'] }),
  'configures change cron, delay and policy alone': means(three, {
    configures: [configureOf('b', '5 4 * * *', 0, '{"startWithinMs":5}')],
  }),
  'pauses change that alone': means(three, {
    pauses: [
      { name: 'a', pausedAt: 77 },
      { name: 'b', pausedAt: null },
      { name: 'never there', pausedAt: 5 },
    ],
  }),
  'moves change cursor and deadline alone': means(three, {
    moves: [moveOf(newRecord('a'), 7, 8), moveOf(fullRecord('b'), -7)],
  }),
  'A4 starts write work and run alone': means(three, { starts: [startOf('a'), startOf('b', 2)] }),
  'A4 unstarts bring back what was before': means(running, {
    unstarts: [unstartOf('a', 1), unstartOf('b', 2, fullRecord('b'))],
  }),
  'A6 a success ends the run and keeps the last failure': means(running, {
    ends: [successOf('a', 1), successOf('b', 2)],
  }),
  'A6 a failure ends the run and keeps the last success': means(running, {
    ends: [failureOf('a', 1), failureOf('b', 2)],
  }),
  'A13 an interrupted run stays, cut off by its end, and its attempt does not count': means(running, {
    ends: [interruptedOf('a', 1), { ...interruptedOf('b', 2), servedThrough: 5 }],
  }),
  'A13 what was interrupted is started again': means(
    { ...running, ends: [] },
    { ends: [interruptedOf('a', 1)], starts: [startOf('a', 5)] },
  ),
  'A13 E9 an interrupted run has ended: the same end again changes nothing, and everything else of that run is refused':
    ({ store, again }) =>
      withSession(store, async (session) => {
        const end = { ends: [interruptedOf('a', 1)] };
        for (const batch of inTurn(running, end)) await session.commit(batch);
        const { records } = modelOf(...inTurn(running, end));
        await expectRefused(session, end, []);
        for (const ends of [
          [successOf('a', 1)],
          [failureOf('a', 1)],
          [{ ...interruptedOf('a', 1), endedAt: 7 }],
        ])
          await expectRefused(session, { ends }, [{ change: 'end', name: 'a' }]);
        await expectRefused(session, { unstarts: [unstartOf('a', 1)] }, [{ change: 'unstart', name: 'a' }]);
        const cutOffs = [{ name: 'a', runId: interruptedOf('a', 1).runId, at: 5 }];
        await expectRefused(session, { cutOffs }, []);
        await expectRecords(session, records.values());
        await session.close();
        await withSession(again(), async (next) => {
          await expectRefused(next, end, []);
          await expectRecords(next, records.values());
        });
      }),
  'H9 an end may say that the cursor is another instant than the call': means(running, {
    ends: [
      { ...successOf('a', 1), servedThrough: successOf('a', 1).endedAt },
      { ...failureOf('b', 2), servedThrough: 5 },
    ],
  }),
  'a run may end and the next one start in one batch': means(three, {
    ends: [successOf('b')],
    starts: [startOf('b', 7)],
  }),
  'the parts take effect in their order': means(four, everything),
  'instants at the edges of time are kept': means(three, {
    puts: [
      newRecord('a', { firstSeenAt: -edge, servedThrough: edge, lastAttemptAt: 0, lastSuccessAt: -1 }),
      newRecord('d', { retryDelayMs: 0, pendingRetryUntil: edge, lastFailureAt: -edge }),
      newRecord('e', { retryDelayMs: Number.MAX_SAFE_INTEGER }),
    ],
  }),

  'an empty batch changes nothing': ({ store }) =>
    withSession(store, async (session) => {
      await session.commit(three);
      for (const nothing of [{}, { puts: [], removes: [], starts: [], ends: [] }]) {
        assert.deepEqual((await session.commit(nothing)).refused, []);
      }
      await expectRecords(session, modelOf(three).values());
    }),

  'E9 a batch committed again leaves the same records, but for versions': ({ store, again }) =>
    withSession(store, async (session) => {
      const [before, batch] = inTurn(...toRepeat);
      const records = inOrder([...modelOf(before, batch).values()]).map(unversioned);
      await session.commit(before);
      for (let time = 0; time < 2; time++) {
        await expectRefused(session, batch, []);
        assert.deepEqual(inOrder(await session.read()).map(unversioned), records);
      }
      await session.close();
      await withSession(again(), async (next) => {
        await expectRefused(next, batch, []);
        assert.deepEqual(inOrder(await next.read()).map(unversioned), records);
      });
    }),

  'K2 each change raises the version by one, in the order of the parts': ({ store, again }) =>
    withSession(store, async (session) => {
      await session.commit({ puts: [newRecord('a'), newRecord('b'), fullRecord('c')] });
      const versions = async (): Promise<unknown> =>
        inOrder(await session.read()).map((record) => Reflect.get(Object(record), 'version'));
      assert.deepEqual(await versions(), [1, 1, 1]);
      await expectRefused(session, { starts: [startOf('a')], cutOffs: [cutOffOf(fullRecord('c'))] }, []);
      assert.deepEqual(await versions(), [2, 1, 2]);
      const batch: Batch = {
        ends: [failureOf('a', 1)],
        configures: [{ ...configureOf('a', '1 * * * *', 0, null), version: 3 }],
        pauses: [{ name: 'a', pausedAt: 5 }],
        moves: [moveOf({ name: 'a', version: 5 }, 9)],
        puts: [newRecord('b')],
        starts: [startOf('a', 2, 6)],
      };
      await expectRefused(session, batch, []);
      assert.deepEqual(await versions(), [7, 2, 2]);
      await expectRefused(session, { unstarts: [unstartOf('a', 2)] }, []);
      assert.deepEqual(await versions(), [8, 2, 2]);
      await session.close();
      await withSession(again(), async (next) => {
        await expectRefused(next, { starts: [startOf('a', 3, 8), startOf('b', 1, 2)] }, []);
      });
    }),

  'K2 a name that comes back after it was forgotten has no version that it had before': ({ store, again }) =>
    withSession(store, async (session) => {
      const versionIn = async (from: StoreSession): Promise<number> =>
        Number(Reflect.get(Object((await from.read(['a']))[0]), 'version'));
      const seen = new Set<number>();
      const live = async (from: StoreSession): Promise<void> => {
        const { firstVersion } = await from.commit({ puts: [newRecord('a')] });
        const first = await versionIn(from);
        assert.equal(firstVersion, first, 'the answer says with which version a name begins');
        await from.commit({ starts: [startOf('a', 1, first)] });
        await from.commit({ ends: [successOf('a', 1)] });
        for (const version of [first, first + 1, await versionIn(from)]) {
          assert.ok(!seen.has(version), `version ${version} comes twice`);
          seen.add(version);
        }
      };
      await live(session);
      await session.commit({ removes: ['a'] });
      await live(session);
      // In one batch, too.
      const { firstVersion } = await session.commit({ removes: ['a'], puts: [newRecord('a')] });
      assert.ok(!seen.has(Number(firstVersion)));
      await session.commit({ removes: ['a'] });
      await session.close();
      await withSession(again(), live);
    }),

  'commits take effect in the order in which they were called': ({ store }) =>
    withSession(store, async (session) => {
      const batches: Batch[] = [three];
      for (let attempt = 1; attempt <= 40; attempt++) {
        batches.push(
          { starts: [startOf('a', attempt)] },
          attempt % 10 === 0
            ? { puts: many.slice(0, 6000).map((name) => newRecord(name)) }
            : { removes: ['c'] },
          { ends: [attempt % 2 === 0 ? successOf('a', attempt) : failureOf('a', attempt)] },
        );
      }
      // None is awaited before the next: a read sees every commit called before it, and none called after.
      const last: Batch = { removes: ['a'], puts: [newRecord('z')] };
      const calls = [
        ...batches.map((batch) => session.commit(batch)),
        session.read(['a', 'c', 'z']),
        session.commit(last),
      ];
      const results = await Promise.all(calls);
      assert.deepEqual(structuredClone(results.at(-2)), [modelOf(...batches).get('a')]);
      const left = [modelOf(...batches, last).get('z')];
      assert.deepEqual(structuredClone(await session.read(['a', 'z'])), left);
    }),

  ...Object.fromEntries(
    missing.map(([part, batch]): [string, CheckBody] => [
      `E5 ${part} of a name that is not there reject the whole batch`,
      ({ store, again }) =>
        withSession(store, async (session) => {
          await session.commit(three);
          const removes = ['a'];
          const puts = many.slice(0, 12_000).map((name) => newRecord(name));
          const spoilt = { ...batch, removes, puts };
          await assert.rejects(session.commit(spoilt), (error: Error) => error.message.includes('absent'));
          await expectRecords(session, modelOf(three).values());
          await session.commit({ starts: [startOf('a')] });
          await session.close();
          await withSession(again(), (next) =>
            expectRecords(next, modelOf(three, { starts: [startOf('a')] }).values()),
          );
        }),
    ]),
  ),

  'large batches are batches like any other': ({ store, again }) =>
    withSession(store, async (session) => {
      const batches = inTurn(
        { puts: many.map((name) => newRecord(name)) },
        { starts: many.map((name, index) => startOf(name, index + 1)) },
        {
          ends: many.map((name, index) =>
            index % 2 === 0 ? successOf(name, index + 1) : failureOf(name, index + 1),
          ),
        },
        {
          removes: many.slice(100),
          moves: [moveOf(newRecord('task 7'), 1, 2)],
        },
      );
      for (const batch of batches.slice(0, 3)) await expectRefused(session, batch, []);
      const before = modelOf(...batches.slice(0, 3));
      await expectRecords(session, before.values());
      assert.equal((await session.read(many.slice(5))).length, many.length - 5);
      await expectRefused(session, batches[3], []);
      await session.close();
      await withSession(again(), (next) => expectRecords(next, modelOf(...batches).values()));
    }),

  'any batches leave what the model leaves, and are refused what it refuses': ({ store, again }) =>
    withSession(store, async (session) => {
      const roll = dice(20_250_101);
      const model = new Model();
      for (let count = 0; count < 100; count++) {
        const batch = chance(roll, model);
        await expectRefused(session, batch, applyToModel(model, batch));
        if (count % 10 === 9) await expectRecords(session, model.values());
      }
      await session.close();
      await withSession(again(), (next) => expectRecords(next, model.values()));
    }),
};
