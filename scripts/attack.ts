/**
 * `npm run attack`: the long form of test/attack: what the world does to real processes on real files. Some hours in all.
 *
 *     npm run attack                          all of them
 *     npm run attack -- kill-storm --count 50 --seed 7
 *     npm run attack -- soak --minutes 10
 *     npm run attack -- --list                what there is
 *
 * Ctrl-C ends the processes, takes down the mounts, and leaves with 130.
 */
import { parseArgs } from 'node:util';
import { type Attack, figuresInWords, type Outcome } from '../test/attack/attack.ts';
import { ATTACKS } from '../test/attack/attacks.ts';
import { Ground } from '../test/attack/ground.ts';
import { createProgress } from './progress.ts';

const { values, positionals } = parseArgs({
  options: {
    list: { type: 'boolean' },
    json: { type: 'boolean' },
    count: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
  },
  allowPositionals: true,
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const count = values.count ?? values.minutes;
const unknown = positionals.filter((name) => !ATTACKS.some((attack) => attack.name === name));
const isWrong =
  unknown.length > 0 || !Number.isSafeInteger(seed) || (count !== undefined && !(Number(count) > 0));

let ground: Ground | undefined;
process.once('SIGINT', () => void leave(130));
process.once('SIGTERM', () => void leave(143));

async function leave(code: number): Promise<void> {
  await ground?.clean();
  process.exit(code);
}

async function play(attack: Attack): Promise<Outcome> {
  const total = count === undefined ? attack.long : Number(count);
  const progress = createProgress(total, `${attack.name}: ${attack.unit}`);
  ground = new Ground({ seed, advance: () => progress.advance(), say: (line) => console.error(line) });
  try {
    return await attack.play(ground, total);
  } catch (error) {
    return { violations: [`it broke off: ${error instanceof Error ? error.stack : error}`], figures: {} };
  } finally {
    progress.end();
    await ground.clean();
  }
}

/** Plays one attack, and says how it went; answers whether it was withstood. */
async function report(attack: Attack): Promise<boolean> {
  const { name } = attack;
  const skipped = attack.missing?.();
  if (skipped !== undefined) {
    console.log(values.json ? JSON.stringify({ name, skipped }) : `${name}: left out, ${skipped}`);
    return true;
  }
  const startedAt = performance.now();
  const outcome = await play(attack);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (values.json) console.log(JSON.stringify({ name, seed, seconds, ...outcome }));
  else {
    console.log(`${name}: seed ${seed}, ${seconds} s, ${figuresInWords(outcome)}`);
    for (const violation of outcome.violations) console.log(`  VIOLATION ${violation}`);
  }
  return outcome.violations.length === 0;
}

function list(): void {
  for (const { name, what, unit, long, missing } of ATTACKS) {
    const here = missing?.();
    if (values.json)
      console.log(JSON.stringify({ name, what, unit, count: long, ...(here && { missing: here }) }));
    else
      console.log(
        `${name.padEnd(14)} ${what} (${long} ${unit}${here === undefined ? '' : `; not here: ${here}`})`,
      );
  }
}

if (isWrong) {
  if (unknown.length > 0) console.error(`There is no attack "${unknown.join('", "')}".`);
  console.error('Usage: npm run attack -- [name …] [--list] [--json] [--count n | --minutes n] [--seed n]');
  process.exitCode = 2;
} else if (values.list) list();
else {
  let isWithstood = true;
  for (const attack of ATTACKS)
    if (positionals.length === 0 || positionals.includes(attack.name))
      isWithstood = (await report(attack)) && isWithstood;
  process.exitCode = isWithstood ? 0 : 1;
}
