/**
 * `npm run crash -- [kills] [seed]`: thousands of real processes on real files, killed with SIGKILL at exact points, and a judge
 * who knows rule A1. The short form is in the suite.
 */
import { drawChains, runCampaign, tell } from '../test/crash/campaign.ts';
import { createProgress } from './progress.ts';

const kills = Number(process.argv[2] ?? 2400);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
if (!(Number.isSafeInteger(kills) && kills > 0 && Number.isSafeInteger(seed))) {
  console.error('Usage: npm run crash -- [kills] [seed]');
  process.exitCode = 2;
} else {
  const chains = drawChains(Math.ceil(kills / 12), 12, seed);
  const progress = createProgress(chains.length, 'chains of twelve lives');
  const startedAt = Date.now();
  const report = await runCampaign(chains, () => progress.advance());
  progress.end();
  console.log(`seed ${seed}, ${Math.round((Date.now() - startedAt) / 1000)} s: ${tell(report)}`);
  process.exitCode = report.violations.length === 0 ? 0 : 1;
}
