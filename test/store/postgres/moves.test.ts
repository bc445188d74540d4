/** K2: of moves of idle tasks, the statements grant what is decided in `src/store/cluster`. */
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

/** Moves of some tasks: forward and back, by the version of now or by another one. Some cursors are ahead of the clock. */
function movesOf({ cluster }: Twin, id: string, roll: (sides: number) => number): ClusterBatch {
  const isOld = roll(3) === 0;
  const moves = NAMES.filter(() => roll(2) === 0).map((name): MoveChange => {
    const { servedThrough = 0, version = 0 } = cluster.records.get(name) ?? {};
    return {
      name,
      version: isOld ? version - 1 : version,
      servedThrough: roll(9) === 0 ? Date.now() + 7_200_000 : servedThrough + roll(3) - 1,
      pendingRetryUntil: null,
    };
  });
  const sent = (cluster.members.get(id)?.lastSent ?? 0) + 1;
  return { epoch: cluster.epoch, sent, moves };
}

/** How the batch was decided. */
const versionsOf = ({ cluster }: Twin, { moves = [] }: ClusterBatch): string =>
  [...moves].every(({ name, version }) => cluster.records.get(name)?.version === version) ? 'now' : 'before';

/** Whether a batch takes a cursor back, and whether that cursor is ahead of the clock. */
function directionOf({ cluster }: Twin, { moves = [] }: ClusterBatch): string {
  const cursorOf = (name: string): number => cluster.records.get(name)?.servedThrough ?? 0;
  const back = [...moves].filter(({ name, servedThrough }) => servedThrough < cursorOf(name));
  if (back.length === 0) return 'forward';
  return back.every(({ name }) => cursorOf(name) > Date.now()) ? 'back from ahead of the clock' : 'back';
}

test('K2 a move by a version that is gone is refused unless the record shows it, and no other', async () => {
  const twin = await Twin.begin(server.url, freshSchema());
  const roll = dice(7919);
  const seen = new Set<string>();
  try {
    for (const id of ['a', 'b']) await twin.join(id);
    await twin.commit('a', { epoch: 0, list: new Set(NAMES), puts: NAMES.map((name) => newRecord(name)) });
    for (let done = 0; done < 120; done++) {
      const id = ['a', 'b'][roll(2)];
      const batch = movesOf(twin, id, roll);
      const decidedBy = versionsOf(twin, batch);
      const direction = directionOf(twin, batch);
      const refused = await twin.commit(id, batch);
      seen.add(`${direction} by the version of ${decidedBy}: ${refused === '' ? 'granted' : 'refused'}`);
      await twin.compare();
    }
  } finally {
    await twin.end();
  }
  assert.deepEqual([...seen].sort(), [
    'back by the version of before: refused',
    'back by the version of now: granted',
    'back from ahead of the clock by the version of before: refused',
    'back from ahead of the clock by the version of now: granted',
    'forward by the version of before: granted',
    'forward by the version of before: refused',
    'forward by the version of now: granted',
  ]);
});
