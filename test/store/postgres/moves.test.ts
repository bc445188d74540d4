/** K5: of moves of idle tasks, the statements grant what is decided in `src/store/cluster`. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ClusterBatch } from '../../../src/store/cluster/decide.ts';
import { dice, newRecord } from '../../../src/store/conformance-kit.ts';
import type { MoveChange } from '../../../src/store/port.ts';
import { freshSchema, type Server, startServer } from './server.ts';
import { Twin } from './twin.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const NAMES = ['t', 'u', 'v', 'w'];

/** Moves of some tasks: by the last list or by the one before, or by no list at all. */
function movesOf({ cluster }: Twin, id: string, roll: (sides: number) => number): ClusterBatch {
  const isOld = roll(2) === 0;
  const moves = NAMES.filter(() => roll(2) === 0).map((name): MoveChange => {
    const { servedThrough = 0, lastAttemptAt = null } = cluster.records.get(name) ?? {};
    const move = {
      name,
      runId: null,
      lastAttemptAt,
      servedThrough: servedThrough + 1,
      pendingRetryUntil: null,
    };
    return roll(2) === 0 ? { ...move, isByList: true } : move;
  });
  const sent = (cluster.members.get(id)?.lastSent ?? 0) + 1;
  return { epoch: cluster.epoch - (isOld ? 1 : 0), sent, moves };
}

test('K5 a move that an old list has decided is refused, and no other', async () => {
  const twin = await Twin.begin(server.url, freshSchema());
  const roll = dice(7919);
  const seen = new Set<string>();
  try {
    for (const id of ['a', 'b']) await twin.join(id);
    await twin.commit('a', { epoch: 0, list: new Set(NAMES), puts: NAMES.map((name) => newRecord(name)) });
    for (let done = 0; done < 40; done++) {
      const id = ['a', 'b'][roll(2)];
      const batch = movesOf(twin, id, roll);
      const isOld = batch.epoch !== twin.cluster.epoch;
      const refused = await twin.commit(id, batch);
      seen.add(`${refused === '' ? 'granted' : 'refused'} by ${isOld ? 'an old list' : 'the last list'}`);
      await twin.compare();
    }
  } finally {
    await twin.end();
  }
  const all = ['granted by an old list', 'granted by the last list', 'refused by an old list'];
  assert.deepEqual([...seen].sort(), all);
});
