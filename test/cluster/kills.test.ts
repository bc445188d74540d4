/** K1, K3, K4, K9 in real processes that are killed and frozen, over a real database that crashes. A sample of the campaign `cluster`. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { dice } from '../../src/store/conformance-kit.ts';
import { few } from '../sample.ts';
import { freshSchema, type Server, startServer } from '../store/postgres/server.ts';
import { Campaign } from './campaign.ts';
import { judgeMerged } from './judged.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('K1 K3 K4 K9 kills, and instances that freeze, and a database that crashes: every task goes on, no start happens twice, and the merged trace keeps every axiom', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'obbligato-'));
  t.after(() => rm(folder, { recursive: true }));
  const roll = dice(20_261_117);
  const campaign = new Campaign(server, freshSchema(), folder, roll);
  const kills = few(40, 100);
  assert.deepEqual(await campaign.play({ kills, freezes: 3, crashes: 1, roll }), []);
  assert.equal(campaign.kills, kills);
  assert.ok(campaign.starts > 3 * kills, `${campaign.starts} starts`);
  const { records, violations } = await judgeMerged(campaign.traces);
  t.diagnostic(
    `${campaign.kills} kills, ${campaign.early} of them during initialize; ${campaign.starts} starts; ${campaign.traces.length} traces, ${records} records`,
  );
  assert.ok(records > 12 * kills, `${records} records`);
  assert.deepEqual(violations, []);
});
