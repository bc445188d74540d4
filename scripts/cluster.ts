/**
 * `npm run cluster -- [kills] [seed]`: real processes over a real PostgreSQL that are killed and frozen while the database crashes now and
 * then. Ctrl-C ends it early, and what was seen until then is judged. The short form is in the suite.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dice } from '../src/store/conformance-kit.ts';
import { Campaign } from '../test/cluster/campaign.ts';
import { judgeMerged } from '../test/cluster/judged.ts';
import { freshSchema, startServer } from '../test/store/postgres/server.ts';
import { createProgress } from './progress.ts';

const kills = Number(process.argv[2] ?? 1000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
if (!(Number.isSafeInteger(kills) && kills > 0 && Number.isSafeInteger(seed))) {
  console.error('Usage: npm run cluster -- [kills] [seed]');
  process.exitCode = 2;
} else {
  const server = await startServer();
  const roll = dice(seed);
  const folder = await mkdtemp(join(tmpdir(), 'obbligato-'));
  const campaign = new Campaign(server, freshSchema(), folder, roll);
  const [freezes, crashes] = [Math.ceil(kills / 10), Math.ceil(kills / 25)];
  const progress = createProgress(kills + freezes + crashes, 'kills, freezes and crashes');
  const startedAt = Date.now();
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort());
  try {
    const advance = (): void => progress.advance();
    await campaign.play({ kills, freezes, crashes, roll, advance, signal: ending.signal });
    progress.end();
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    console.log(
      `seed ${seed}, ${seconds} s: ${campaign.kills} kills, ${campaign.early} of them during initialize; ${campaign.starts} starts, none of them twice`,
    );
    const { records, violations } = await judgeMerged(campaign.traces);
    const verdict = violations.length === 0 ? 'keeps every axiom' : violations.slice(0, 10).join('\n');
    console.log(`the merged trace of ${campaign.traces.length} processes, ${records} records: ${verdict}`);
    process.exitCode = violations.length === 0 ? 0 : 1;
    if (violations.length === 0) await rm(folder, { recursive: true });
    else console.log(`the traces are in ${folder}`);
  } finally {
    await server.stop();
  }
}
