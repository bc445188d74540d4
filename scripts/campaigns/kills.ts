/** Real processes that are killed: one scheduler on a file, and several over one PostgreSQL. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dice } from '../../src/store/conformance-kit.ts';
import { Campaign as ClusterCampaign } from '../../test/cluster/campaign.ts';
import { judgeMerged } from '../../test/cluster/judged.ts';
import { drawChains, runCampaign } from '../../test/crash/campaign.ts';
import { noPgbouncer, playPgbouncer } from '../../test/store/postgres/pgbouncer.ts';
import { freshSchema, startServer } from '../../test/store/postgres/server.ts';
import { type Campaign, named } from './campaign.ts';

export const crash: Campaign = {
  name: 'crash',
  what: 'starts that are lost or repeated when a real process is killed at an exact point',
  unit: 'chains of ten kills',
  whole: 240,
  portion: 24,
  takes: 'ten minutes',
  play: ({ units, ...portion }) => runCampaign(drawChains(units.length, 10, Number(units[0])), portion),
};

export const cluster: Campaign = {
  name: 'cluster',
  what: 'starts that are lost or repeated when real processes over one PostgreSQL, which crashes, are killed and frozen',
  unit: 'kills',
  whole: 1000,
  portion: 250,
  takes: 'a quarter of an hour',
  async play({ units, advance, signal }) {
    const server = await startServer();
    const roll = dice(Number(units[0]));
    const folder = await mkdtemp(join(tmpdir(), 'obbligato-'));
    const campaign = new ClusterCampaign(server, freshSchema(), folder, roll);
    try {
      const kills = units.length;
      const [freezes, crashes] = [Math.ceil(kills / 10), Math.ceil(kills / 25)];
      const seen = await campaign.play({ kills, freezes, crashes, roll, advance, signal });
      const { records, violations } = await judgeMerged(campaign.traces);
      const all = [...seen, ...violations];
      if (all.length === 0) await rm(folder, { recursive: true });
      else all.push(`the traces are in ${folder}`);
      const { early, starts, traces } = campaign;
      const figures = {
        kills: campaign.kills,
        'during initialize': early,
        starts,
        processes: traces.length,
        records,
      };
      return { done: campaign.kills, figures, violations: all };
    } finally {
      await server.stop();
    }
  },
};

export const pgbouncer: Campaign = {
  name: 'pgbouncer',
  what: 'differences of the PostgreSQL store behind a real PgBouncer, from the conformance suite on',
  unit: 'suite',
  whole: named(['transaction mode']),
  portion: 1,
  takes: 'a minute',
  missing: noPgbouncer,
  play: async () => ({ ...(await playPgbouncer()), done: 1 }),
};
