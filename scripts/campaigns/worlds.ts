/** Simulated worlds, as `obbligato simulate` plays them, on all cores. */
import { availableParallelism } from 'node:os';
import { playCampaign, shrunk } from '../../src/cli/simulate/campaign.ts';
import { type Kind, whole } from '../../src/cli/simulate/kinds.ts';
import type { Failure } from '../../src/cli/simulate/seeds.ts';
import type { Campaign } from './campaign.ts';

const campaignOf = (
  name: string,
  kind: Kind,
  about: Pick<Campaign, 'what' | 'whole' | 'takes'>,
): Campaign => ({
  name,
  ...about,
  unit: 'worlds',
  portion: 1000,
  async play({ units, signal, advance, say }) {
    const violations: string[] = [];
    const played = (failure: Failure | undefined): void => {
      advance();
      if (failure === undefined) return;
      const { seed, violation } = failure;
      violations.push(`seed ${seed}: ${violation.rule} ${violation.because}`);
      say(`${violations.at(-1)}; see it again: npm run campaign -- ${name} --seed ${seed} --count 1`);
    };
    const tally = await playCampaign({
      kind,
      firstSeed: Number(units[0]),
      seeds: units.length,
      threads: availableParallelism(),
      limitMs: Number.POSITIVE_INFINITY,
      stopping: signal,
      played,
    });
    const { worlds, starts, events, counts, firstFailure } = tally;
    if (firstFailure !== undefined) violations.push(await cutDown(kind, firstFailure, signal));
    return { done: worlds, figures: { starts, events, ...counts }, violations };
  },
});

async function cutDown(kind: Kind, failure: Failure, signal: AbortSignal): Promise<string> {
  const { seed, violation } = failure;
  const { words, test } = (await shrunk(kind, failure, signal)) ?? whole(kind, seed, violation.rule);
  return `seed ${seed}, cut down if it could be: ${words}\n${test}`;
}

export const worlds = campaignOf('worlds', 'one scheduler', {
  what: 'rules and axioms that the scheduler breaks in simulated worlds, each drawn from a seed and played twice',
  whole: 100_000,
  takes: 'a quarter of an hour to an hour and a half',
});

export const clusterWorlds = campaignOf('cluster-worlds', 'cluster', {
  what: 'the same in worlds with several instances over one database',
  whole: 10_000,
  takes: 'an hour',
});
