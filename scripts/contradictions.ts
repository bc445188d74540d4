/**
 * The long form of the search for contradictions: the letter of the theory, which must be found wanting, and the repaired theory,
 * which must not, over more than the tests have time for. Needs some minutes, and about two gigabytes of memory.
 */
import { machine } from '../bench/harness.ts';
import { Game, type Rules } from '../test/theory/contradictions/game.ts';
import {
  firstRepair,
  literalTheory,
  only,
  repairedTheorems,
  repairedTheory,
  type Theory,
} from '../test/theory/contradictions/theories.ts';
import type { Bounds } from '../test/theory/contradictions/world.ts';
import { isForced, type Report, search } from '../test/theory/contradictions.ts';

interface Instance {
  readonly theory: Theory;
  readonly rules: Rules;
  readonly bounds: Bounds;
  readonly hopes: 'findings' | 'nothing';
}

const bounds = (
  minutes: number,
  initializations: number,
  stops: number,
  crashes: number,
  failures: number,
): Bounds => ({ minutes, initializations, stops, crashes, failures });

const letterOfOne = only(literalTheory, ['x|A', 'x|B']);
const letterApart: Theory = { ...letterOfOne, name: 'the letter, with pulses apart,', pulses: 'apart' };
const withRules = 'with D4 and D7';
const alone = 'the theory alone';

const instances: readonly Instance[] = [
  { theory: letterOfOne, rules: withRules, bounds: bounds(2, 2, 1, 1, 1), hopes: 'findings' },
  { theory: letterOfOne, rules: alone, bounds: bounds(2, 2, 1, 1, 1), hopes: 'findings' },
  { theory: letterApart, rules: withRules, bounds: bounds(2, 2, 1, 1, 1), hopes: 'findings' },
  { theory: only(letterApart, ['x|A']), rules: alone, bounds: bounds(2, 4, 0, 2, 0), hopes: 'findings' },
  { theory: literalTheory, rules: alone, bounds: bounds(2, 1, 1, 1, 1), hopes: 'findings' },
  { theory: only(firstRepair, ['x']), rules: withRules, bounds: bounds(2, 2, 1, 1, 1), hopes: 'findings' },
  { theory: only(repairedTheory, ['x']), rules: alone, bounds: bounds(2, 2, 1, 1, 1), hopes: 'findings' },
  { theory: only(repairedTheory, ['x']), rules: withRules, bounds: bounds(3, 3, 2, 2, 2), hopes: 'nothing' },
  { theory: repairedTheory, rules: withRules, bounds: bounds(2, 2, 1, 1, 1), hopes: 'nothing' },
  { theory: repairedTheory, rules: withRules, bounds: bounds(3, 3, 1, 1, 2), hopes: 'nothing' },
  {
    theory: only(repairedTheorems, ['x']),
    rules: withRules,
    bounds: bounds(3, 3, 1, 1, 2),
    hopes: 'nothing',
  },
];

/** A line that is written over on a terminal, and now and then a new one elsewhere. */
function showProgress(states: number): void {
  const out = process.stderr;
  if (out.isTTY) out.write(`\r${states.toLocaleString('en')} states\u001b[K`);
  else if (states % 100_000 === 0 && states > 0) out.write(`${states.toLocaleString('en')} states\n`);
}

function tell({ theory, rules, bounds: within }: Instance): Report {
  const { minutes, initializations, stops, crashes, failures } = within;
  const { names } = theory.universe;
  const game = new Game(theory, rules);
  const startedAt = performance.now();
  const report = search(game, within, showProgress);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.log(
    `\n${theory.name} of ${names.join(', ')}, ${rules}: ${minutes} minutes, ${initializations} initializations, ` +
      `${stops} stops, ${crashes} crashes, ${failures} failures\n` +
      `  ${report.states.toLocaleString('en')} states, ${report.moves.toLocaleString('en')} moves, ` +
      `the longest trace of ${report.longest}, ${seconds} s`,
  );
  for (const { label, trace } of report.stuck) {
    const forced = isForced(game, within, label) ? 'no scheduler can avoid it' : 'a scheduler can avoid it';
    console.log(`  stuck: ${label} (${forced})\n    ${trace.join('; ')}`);
  }
  for (const { label, trace } of report.differences) console.log(`  ${label}\n    ${trace.join('; ')}`);
  for (const { label, trace } of report.refuted)
    console.log(`  ${label} does not follow\n    ${trace.join('; ')}`);
  return report;
}

console.log(machine());
for (const instance of instances) {
  const { stuck, differences, refuted } = tell(instance);
  const isClean = stuck.length + differences.length + refuted.length === 0;
  if (isClean === (instance.hopes === 'nothing')) continue;
  console.log(
    isClean ? '  NOTHING FOUND, though there is something to find' : '  FOUND, and should not be there',
  );
  process.exitCode = 1;
}
