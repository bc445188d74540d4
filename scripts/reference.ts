/**
 * `npm run reference`: the oracle against the reference checker of `test/theory/independent`, on random traces and mutants of them.
 *
 *     npm run reference -- --traces 100000 --seed 1
 *
 * Exits with 1 if they disagree; the first disagreements of each kind are printed, cut down.
 */
import { parseArgs } from 'node:util';
import { machine } from '../bench/harness.ts';
import { Campaign } from '../test/theory/independent/campaign.ts';
import { origins } from '../test/theory/independent/traces.ts';
import { createProgress } from './progress.ts';

const { values } = parseArgs({
  options: { traces: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const [traces, seed] = [Number(values.traces), Number(values.seed)];
if (!Number.isSafeInteger(traces) || traces < 1 || !Number.isSafeInteger(seed)) {
  console.error('--traces takes a whole number of at least 1, --seed a whole number');
  process.exit(2);
}

console.log(machine());
const campaign = new Campaign();
const progress = createProgress(traces, 'traces');
for (let i = 0; i < traces; i++) {
  await campaign.play(seed + i, origins[i % origins.length]);
  progress.advance(1);
}
progress.end();
for (const line of campaign.summary()) console.log(line);
process.exitCode = campaign.disagreements === 0 ? 0 : 1;
