/** A suite that refuses nothing proves nothing: each store here is broken in one way, and some check must notice. Together they make every check fail. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ConformanceCheck, memory, storeConformance } from '../../src/store/index.ts';
import {
  type Break,
  counting,
  cut,
  empty,
  forgetfulClose,
  puttingOnce,
  recordsFirst,
  refusing,
  runOf,
  shared,
  sharing,
  versionOf,
  withBatch,
  withHistory,
  withLook,
  without,
  withoutRequests,
  withSession,
  wrapped,
} from './breaks.ts';

const broken: Readonly<Record<string, { readonly break: Break; readonly caughtBy: RegExp }>> = {
  'takes an interrupted run for a failed one': {
    break: withBatch((batch) => ({
      ...batch,
      ends: Array.from(batch.ends ?? [], (end) =>
        end.outcome === 'interrupted' ? { ...end, outcome: 'failure' } : end,
      ),
    })),
    caughtBy: /^A13 /,
  },
  'has no name': { break: (store) => ({ ...wrapped(store), location: '' }), caughtBy: /says where it is/ },
  'is never empty': {
    break: withSession((session) => ({ read: async (names) => [...(await session.read(names)), {}] })),
    caughtBy: /new store is empty/,
  },
  'forgets everything between sessions': {
    break: () => ({ location: 'memory', open: (options) => memory().open(options) }),
    caughtBy: /survives the session|refused to others|closing waits|harms neither/,
  },
  'keeps no zone': { break: without('timeZone'), caughtBy: /the zone of the latest initialize/ },
  'is refused without a name': {
    break: (store) => ({
      ...wrapped(store),
      open: (options) =>
        store.open(options).catch(() => {
          throw new Error('no');
        }),
    }),
    caughtBy: /by name/,
  },
  'lets everybody in': {
    break: shared,
    caughtBy: /refused to others|a session that waits|waiting has an end/,
  },
  'never lets go': {
    break: withSession(() => ({ close: async () => {} })),
    caughtBy: /survives the session/,
  },
  'waits not at all': {
    break: (store) => ({ ...wrapped(store), open: () => store.open({ waitMs: 0 }) }),
    caughtBy: /a session that waits/,
  },
  'reads everything, whatever was asked': {
    break: withSession((session) => ({ read: () => session.read() })),
    caughtBy: /given names/,
  },
  'cuts names at a NUL and mends surrogates': {
    break: withBatch((batch) => ({
      ...batch,
      ...(batch.puts && { puts: [...batch.puts].map((put) => ({ ...put, name: cut(put.name) })) }),
      ...(batch.starts && {
        starts: [...batch.starts].map((start) => ({ ...start, name: cut(start.name) })),
      }),
    })),
    caughtBy: /names are kept apart/,
  },
  'shares its objects': { break: sharing, caughtBy: /nothing is shared/ },
  'closes without waiting for commits': {
    break: withSession((session) => ({
      commit: async (batch) => {
        await new Promise(setImmediate);
        return session.commit(batch);
      },
    })),
    caughtBy: /closing waits/,
  },
  'lets a second close end the next session': { break: forgetfulClose, caughtBy: /closing twice/ },
  'accepts commits after closing': {
    break: withSession((session) => ({
      commit: (batch) => session.commit(batch).catch(() => ({ refused: [] })),
    })),
    caughtBy: /closed session refuses/,
  },
  'shows nothing to inspect': { break: withSession(() => ({})), caughtBy: /inspected/ },
  'never says which requests wait': { break: withoutRequests, caughtBy: /requests that nobody has answered/ },
  'keeps what is there when it is put again': { break: puttingOnce, caughtBy: /puts insert/ },
  'ignores removes': { break: without('removes'), caughtBy: /removes forget/ },
  'ignores configures': { break: without('configures'), caughtBy: /configures change|E5 configures/ },
  'ignores pauses': { break: without('pauses'), caughtBy: /pauses change|E5 pauses/ },
  'ignores moves': { break: without('moves'), caughtBy: /moves change|E5 moves/ },
  'ignores starts': { break: without('starts'), caughtBy: /A4 starts|E5 starts/ },
  'ignores unstarts': { break: without('unstarts'), caughtBy: /A4 unstarts|E5 unstarts/ },
  'ignores ends': { break: without('ends'), caughtBy: /A6 a success|A6 a failure|E5 ends/ },
  'starts before it ends': {
    break: withSession((session) => ({
      async commit({ starts = [], ...batch }) {
        await session.commit({ starts });
        return session.commit(batch);
      },
    })),
    caughtBy: /end and the next one start|in their order/,
  },
  'knows no instant before 1970': {
    break: withBatch((batch) =>
      batch.puts === undefined
        ? batch
        : {
            ...batch,
            puts: [...batch.puts].map((put) => ({ ...put, firstSeenAt: Math.max(0, put.firstSeenAt) })),
          },
    ),
    caughtBy: /edges of time/,
  },
  'refuses an empty batch': {
    break: withSession((session) => ({
      async commit(batch) {
        if (Object.values(batch).every((part) => part.length === 0)) throw new Error('nothing to do');
        return session.commit(batch);
      },
    })),
    caughtBy: /empty batch/,
  },
  'counts attempts itself': { break: counting, caughtBy: /committed again/ },
  'commits the last call first': {
    break: withSession((session) => ({
      async commit(batch) {
        if (batch.puts !== undefined) await new Promise(setImmediate);
        return session.commit(batch);
      },
    })),
    caughtBy: /order in which they were called/,
  },
  'writes half a batch': {
    break: withSession((session) => ({
      async commit({ removes = [], ...batch }) {
        await session.commit({ removes });
        return session.commit(batch);
      },
    })),
    caughtBy: /reject the whole batch/,
  },
  'loses the end of large batches': {
    break: withBatch((batch) => ({
      ...batch,
      ...(batch.puts && { puts: [...batch.puts].slice(0, 10_000) }),
    })),
    caughtBy: /large batches/,
  },
  'ends whatever run is current': {
    break: withLook(({ ends = [], ...batch }, recordOf) => ({
      ...batch,
      ends: [...ends].map((end) => ({ ...end, runId: runOf(recordOf(end.name)) || end.runId })),
    })),
    caughtBy: /A4 an end of another run/,
  },
  'takes back whatever run is current': {
    break: withLook(({ unstarts = [], ...batch }, recordOf) => ({
      ...batch,
      unstarts: unstarts.map((unstart) => ({ ...unstart, runId: runOf(recordOf(unstart.name)) })),
    })),
    caughtBy: /A4 an unstart of another run/,
  },
  'moves a record whatever version it has': {
    break: withLook(({ moves = [], ...batch }, recordOf) => ({
      ...batch,
      moves: [...moves].map((move) => ({ ...move, version: versionOf(recordOf(move.name)) })),
    })),
    caughtBy: /K2 B5 a move by another/,
  },
  'starts a task whatever version its record has': {
    break: withLook(({ starts = [], ...batch }, recordOf) => ({
      ...batch,
      starts: [...starts].map((start) => ({ ...start, version: versionOf(recordOf(start.name)) })),
    })),
    caughtBy: /K2 a start by another version/,
  },
  'configures a record whatever version it has': {
    break: withLook(({ configures = [], ...batch }, recordOf) => ({
      ...batch,
      configures: configures.map((change) => ({ ...change, version: versionOf(recordOf(change.name)) })),
    })),
    caughtBy: /K2 E4 a configuration by another version/,
  },
  'counts nothing': {
    break: withSession((session) => ({
      read: async (names) => (await session.read(names)).map((each) => ({ ...Object(each), version: 1 })),
    })),
    caughtBy: /K2 each change raises the version/,
  },
  'says that every name begins with the same version': {
    break: withSession((session) => ({
      commit: async (batch) => ({ ...(await session.commit(batch)), firstVersion: 1 }),
    })),
    caughtBy: /K2 a name that comes back/,
  },
  'has the cursor of every end at its call': {
    break: withBatch(({ ends = [], ...batch }) => ({
      ...batch,
      ends: Array.from(ends, ({ servedThrough: _, ...end }) => end),
    })),
    caughtBy: /H9 an end may say/,
  },
  'starts a task whose end it has refused': {
    break: withSession((session) => ({
      async commit({ starts = [], ...batch }) {
        const { refused } = await session.commit(batch);
        await session.commit({ starts });
        return { refused };
      },
    })),
    caughtBy: /what follows a refused change/,
  },
  'refuses and does not say so': {
    break: withSession((session) => ({
      async commit(batch) {
        await session.commit(batch);
        return { refused: [] };
      },
    })),
    caughtBy: /A4 an end of another|A4 an unstart of another|B5 a move of|what follows a refused/,
  },
  'does not say that a record is missing': {
    break: withSession((session) => ({
      commit: async (batch) => ({
        refused: (await session.commit(batch)).refused.map(({ missing: _, ...refusal }) => refusal),
      }),
    })),
    caughtBy: /refused as missing/,
  },
  'says only some of what it has refused': {
    break: withSession((session) => ({
      commit: async (batch) => ({ refused: (await session.commit(batch)).refused.slice(0, 5000) }),
    })),
    caughtBy: /change by change/,
  },
  'refuses a start that it has granted': {
    break: refusing(({ starts = [] }, recordOf) =>
      [...starts]
        .filter(({ name, run }) => runOf(recordOf(name)) === run.runId)
        .map(({ name }) => ({ change: 'start', name })),
    ),
    caughtBy: /E9 a start that comes again/,
  },
  'refuses an end that it has written': {
    break: refusing(({ ends = [] }, recordOf) =>
      [...ends]
        .filter(({ name, runId }) => runOf(recordOf(name)) !== runId)
        .map(({ name }) => ({ change: 'end', name })),
    ),
    caughtBy: /E9 an end that comes again/,
  },
  'refuses an end that it has written once the next run has started': {
    break: refusing(({ ends = [] }, recordOf) =>
      [...ends]
        .filter(({ name, runId }) => ![runId, ''].includes(runOf(recordOf(name))))
        .map(({ name }) => ({ change: 'end', name })),
    ),
    caughtBy: /E9 an end that comes again/,
  },
  'refuses to take back what it has taken back': {
    break: refusing(({ unstarts = [] }, recordOf) =>
      unstarts
        .filter(({ name, runId }) => runOf(recordOf(name)) !== runId)
        .map(({ name }) => ({ change: 'unstart', name })),
    ),
    caughtBy: /E9 an unstart that comes again/,
  },
  'refuses a move that it has made': {
    break: refusing(({ moves = [] }, recordOf) =>
      [...moves]
        .filter(({ name, version }) => versionOf(recordOf(name)) !== version)
        .map(({ name }) => ({ change: 'move', name })),
    ),
    caughtBy: /E9 a move that comes again/,
  },
  'forgets every run': {
    break: withHistory(async function* () {}),
    caughtBy: /J1 (every end|a run that was cut off|the history of a task|the history can be asked)/,
  },
  'makes records go before their runs end': {
    break: recordsFirst,
    caughtBy: /J1 a run that ends leaves its row/,
  },
  'cannot end a walk through its history': {
    break: withHistory(async function* (store) {
      try {
        yield* store.history?.({}) ?? [];
      } finally {
        await Promise.reject(new Error('not yet'));
      }
    }),
    caughtBy: /J1 a walk through the history may end early/,
  },
  'keeps a history that nobody wants': {
    break: (store) => ({
      ...withHistory(() => store.history?.({}) ?? empty())(store),
      open: ({ waitMs }) => store.open({ waitMs }),
    }),
    caughtBy: /J2 without a history/,
  },
  'mixes up one batch in seven': {
    break: withSession((session) => {
      let count = 0;
      return {
        commit: (batch) => session.commit(++count % 7 === 0 ? { ...batch, moves: [], starts: [] } : batch),
      };
    }),
    caughtBy: /what the model leaves/,
  },
};

const checksOn = (breakIt: Break): readonly ConformanceCheck[] =>
  storeConformance(async () => {
    const store = breakIt(memory());
    return { store, again: () => store, cleanup: async () => {} };
  });

describe('the conformance suite refuses a store that', () => {
  const caught = new Set<string>();
  for (const [how, { break: breakIt, caughtBy }] of Object.entries(broken)) {
    test(how, async () => {
      const checks = checksOn(breakIt).filter(({ name }) => caughtBy.test(name));
      assert.notEqual(checks.length, 0);
      for (const { name, run } of checks) {
        await assert.rejects(run(), () => true, `passed: ${name}`);
        caught.add(name);
      }
    });
  }

  test('and every check of it refuses some store', () => {
    const idle = checksOn((store) => store).filter(({ name }) => !caught.has(name));
    assert.deepEqual(
      idle.map(({ name }) => name),
      [],
    );
  });
});
