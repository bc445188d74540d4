/**
 * What `npm run campaign -- contradictions` searches: the letter of the theory, which must be found wanting, and the repaired theory,
 * which must not.
 */
import type { Outcome } from '../../outcome.ts';
import { type Finding, isForced, search } from '../contradictions.ts';
import { Game, type Rules } from './game.ts';
import {
  firstRepair,
  literalTheory,
  only,
  repairedTheorems,
  repairedTheory,
  type Theory,
} from './theories.ts';
import type { Bounds } from './world.ts';

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

const titleOf = ({ theory, rules, bounds: within }: Instance): string => {
  const { minutes, initializations, stops, crashes, failures } = within;
  return (
    `${theory.name} of ${theory.universe.names.join(', ')}, ${rules}: ${minutes} minutes, ${initializations} initializations, ` +
    `${stops} stops, ${crashes} crashes, ${failures} failures`
  );
};

const byTitle = new Map(instances.map((instance) => [titleOf(instance), instance]));

export const titles: readonly string[] = [...byTitle.keys()];

/** Searches one of them. To find nothing in the letter is as wrong as to find something in the repaired theory. */
export function examined(title: string): Outcome {
  const instance = byTitle.get(title);
  if (instance === undefined) throw new Error(`no such instance: ${title}`);
  const { theory, rules, bounds: within, hopes } = instance;
  const game = new Game(theory, rules);
  const { states, moves, longest, stuck, differences, refuted } = search(game, within);
  const found = [
    ...stuck.map((finding) => {
      const forced = isForced(game, within, finding.label);
      return inWords(
        finding,
        `stuck: ${finding.label} (${forced ? 'no scheduler' : 'a scheduler'} can avoid it)`,
      );
    }),
    ...differences.map((finding) => inWords(finding, finding.label)),
    ...refuted.map((finding) => inWords(finding, `${finding.label} does not follow`)),
  ];
  const figures = { states, moves, 'longest trace': longest, findings: found.length };
  if (hopes === 'nothing') return { figures, violations: found };
  const violations = found.length === 0 ? ['nothing found, though there is something to find'] : [];
  return { figures: { ...figures, found: found.join(' | ') }, violations };
}

const inWords = ({ trace }: Finding, what: string): string => `${what}: ${trace.join('; ')}`;
