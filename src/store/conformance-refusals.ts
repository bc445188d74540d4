/** Conformance: a change of a run that is not current is refused, and one that comes again is granted again (E9). */
import assert from 'node:assert/strict';
import {
  applyToModel,
  type CheckBody,
  expectRecords,
  expectRefused,
  failureOf,
  fullRecord,
  inTurn,
  modelOf,
  moveOf,
  newRecord,
  startOf,
  successOf,
  unstartOf,
  withSession,
} from './conformance-kit.ts';
import type { Batch, Refusal } from './port.ts';

/** "a" and "b" run, "c" never has, and "d" shows a run that was cut off. */
const [before] = inTurn({
  puts: [newRecord('a'), fullRecord('b'), newRecord('c'), fullRecord('d')],
  starts: [startOf('a', 1), startOf('b', 2)],
});

/** Changes of another task, in the same batch, which take effect. */
const others: Batch = { puts: [newRecord('other')], starts: [startOf('other', 3, 1)] };

/**
 * Nothing of these changes is written, and the answer names each of them, with what holds: the first time, again, and after a new session began.
 */
const refuses =
  (changes: Batch, named: readonly Refusal[]): CheckBody =>
  ({ store, again }) =>
    withSession(store, async (session) => {
      await session.commit(before);
      const batch = {
        ...changes,
        puts: others.puts ?? [],
        starts: [...(changes.starts ?? []), ...(others.starts ?? [])],
      };
      const left = modelOf(before, others);
      const refused = named.map((refusal) => {
        const record = left.get(refusal.name);
        return record === undefined ? refusal : { ...refusal, record };
      });
      await expectRefused(session, batch, refused);
      await expectRecords(session, left.values());
      await expectRefused(session, changes, refused);
      await session.close();
      await withSession(again(), async (next) => {
        await expectRefused(next, changes, refused);
        await expectRecords(next, left.values());
      });
    });

/** Each batch again and again, one after the other: nothing is refused, and the first time is all that counts. */
const grantsAgain =
  (...given: readonly Batch[]): CheckBody =>
  ({ store, again }) =>
    withSession(store, async (session) => {
      await session.commit(before);
      const batches = inTurn(before, ...given).slice(1);
      for (const [index, batch] of batches.entries()) {
        const left = modelOf(before, ...batches.slice(0, index + 1));
        for (let time = 0; time < 3; time++) {
          await expectRefused(session, batch, []);
          await expectRecords(session, left.values());
        }
      }
      await session.close();
      await withSession(again(), (next) => expectRefused(next, batches[batches.length - 1], []));
    });

const end = (name: string): Refusal => ({ change: 'end', name });
const unstart = (name: string): Refusal => ({ change: 'unstart', name });
const move = (name: string): Refusal => ({ change: 'move', name });
const start = (name: string): Refusal => ({ change: 'start', name });

const configure = (name: string): Refusal => ({ change: 'configure', name });

/** By then the record of "a" and of "b" has version 2, and those of "c" and "d" have version 1. */
const at = (name: string, version: number) => ({ name, version });

const many = Array.from({ length: 12_000 }, (_, index) => `task ${index}`);

export const refusalChecks: Readonly<Record<string, CheckBody>> = {
  'A4 an end of another run is refused and changes nothing': refuses(
    { ends: [successOf('a', 9), failureOf('b'), successOf('c', 1), failureOf('d', 2)] },
    [end('a'), end('b'), end('c'), end('d')],
  ),
  'A4 an unstart of another run is refused and changes nothing': refuses(
    { unstarts: [unstartOf('a', 9), unstartOf('b'), unstartOf('d', 2)] },
    [unstart('a'), unstart('b'), unstart('d')],
  ),
  'K2 B5 a move by another version is refused and changes nothing': refuses(
    { moves: [moveOf(at('a', 1), 1), moveOf(at('b', 3), 2), moveOf(at('c', 0), 3), moveOf(at('d', 2), 4)] },
    [move('a'), move('b'), move('c'), move('d')],
  ),
  'K2 a start by another version is refused and changes nothing': refuses(
    { starts: [startOf('a', 4, 1), startOf('b', 5, 3), startOf('c', 6, 0), startOf('d', 7, 2)] },
    [start('a'), start('b'), start('c'), start('d')],
  ),
  'K2 E4 a configuration by another version is refused and changes nothing': refuses(
    {
      configures: [at('a', 1), at('b', 3), at('c', 0)].map((of) => ({
        ...of,
        cron: '1 * * * *',
        retryDelayMs: 1,
        policy: null,
      })),
    },
    [configure('a'), configure('b'), configure('c')],
  ),
  'what follows a refused change of the same task is refused with it': refuses(
    {
      ends: [successOf('a', 9)],
      unstarts: [unstartOf('b', 9)],
      moves: [moveOf(at('a', 2), 1), moveOf(at('d', 2), 2)],
      starts: [startOf('a', 10, 2), startOf('b', 11, 2), startOf('d', 12, 1)],
    },
    [end('a'), unstart('b'), move('a'), move('d'), start('a'), start('b'), start('d')],
  ),
  'A4 a change of a run whose record is not there is refused as missing, and the rest takes effect': refuses(
    {
      ends: [successOf('absent')],
      unstarts: [unstartOf('absent')],
      moves: [moveOf(newRecord('absent'), 1)],
      starts: [startOf('absent', 2)],
    },
    [end('absent'), unstart('absent'), move('absent'), start('absent')].map((refusal) => ({
      ...refusal,
      missing: true,
    })),
  ),
  'a large batch that is refused is answered change by change': ({ store }) =>
    withSession(store, async (session) => {
      const puts = many.map((name) => newRecord(name));
      const starts = many.map((name) => startOf(name, 1));
      await session.commit({ puts, starts });
      const ends = many.map((name, index) => successOf(name, index % 2 === 0 ? 1 : 2));
      const model = modelOf({ puts, starts });
      const refused = many.filter((_, index) => index % 2 !== 0);
      const wanted = applyToModel(model, { ends });
      assert.deepEqual(
        wanted.map(({ name }) => name),
        refused,
      );
      await expectRefused(session, { ends }, wanted);
      const granted = ends.filter((_, index) => index % 2 === 0);
      await expectRecords(session, modelOf({ puts, starts }, { ends: granted }).values());
    }),

  'K2 E9 a start that comes again is granted again': grantsAgain({
    starts: [startOf('c', 3), startOf('d', 4)],
  }),
  'E9 an end that comes again is granted again': grantsAgain(
    { ends: [successOf('a', 1), failureOf('b', 2)] },
    // The next start of the same task does not hide it.
    { ends: [successOf('a', 1), failureOf('b', 2)], starts: [startOf('a', 5), startOf('b', 6)] },
    { ends: [failureOf('a', 5), successOf('b', 6)], starts: [startOf('a', 7)] },
  ),
  'E9 an unstart that comes again is granted again': grantsAgain({
    unstarts: [unstartOf('a', 1), unstartOf('b', 2, fullRecord('b'))],
  }),
  'E9 a move that comes again is granted again': grantsAgain(
    { moves: [moveOf(newRecord('c'), 1), moveOf(fullRecord('d'), 2, 3)] },
    // Neither does a later move, or the next start.
    {
      moves: [moveOf(newRecord('c'), 4), moveOf(fullRecord('d'), 5)],
      starts: [startOf('c', 3), startOf('d', 4)],
    },
  ),
};
