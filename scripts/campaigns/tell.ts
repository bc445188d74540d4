/** How campaigns and their portions are told: in lines that can be pasted into a page, or as JSON. */
import { duration } from '../../src/cli/words.ts';
import { figuresInWords, summed } from '../../test/outcome.ts';
import type { Campaign } from './campaign.ts';
import type { Entry } from './ledger.ts';
import { namesOf } from './plan.ts';

export const USAGE = `npm run campaign                             lists the campaigns
npm run campaign -- <name> [word …] [option …]
npm run campaign -- all

Words choose units by a part of their names. A campaign goes on where it stopped, as long as the code is the same.

  --seed n      begins at this seed; else it goes on, or begins at a new seed, which is printed
  --count n     so many units; else what is left of the whole
  --minutes n   ends after this time. What cannot be cut short is played again the next time
  --again       forgets what was played
  --status      prints what was played, with seeds, commit and verdict
  --state path  the folder that remembers it (node_modules/.cache/campaigns)
  --json        one JSON document per line

Ctrl-C ends it and prints what was played; a second one leaves at once.
Exit codes: 0 all is well, 1 a violation, 2 wrong usage, 130 ended by Ctrl-C.`;

/** "2,000 worlds". */
export const counted = (count: number, unit: string): string => `${count.toLocaleString('en')} ${unit}`;

function sizeOf({ whole, unit }: Campaign): string {
  const count = typeof whole === 'number' ? whole : whole([]).length;
  return count === 0 ? unit : counted(count, unit);
}

export function tellCampaigns(campaigns: readonly Campaign[], asJson: boolean): void {
  const width = Math.max(...campaigns.map(({ name }) => name.length)) + 2;
  for (const campaign of campaigns) {
    const { name, what, unit, takes } = campaign;
    const missing = campaign.missing?.();
    const here = missing === undefined ? '' : `; not here: ${missing}`;
    if (asJson) console.log(JSON.stringify({ name, what, unit, whole: sizeOf(campaign), takes, missing }));
    else console.log(`${name.padEnd(width)}${what} (${sizeOf(campaign)}; ${takes}${here})`);
  }
}

/** What is known of one campaign, for `--help`. */
export function tellCampaign(campaign: Campaign, words: readonly string[]): void {
  const { name, what, portion, unit, takes } = campaign;
  console.log(
    `${name}: ${what}\nThe whole: ${sizeOf(campaign)}, in portions of ${counted(portion, unit)}; ${takes}`,
  );
  for (const one of namesOf(campaign, words)) console.log(`  ${one}`);
}

/** Violations beyond these are counted. */
const SHOWN = 20;

export function tellPortion(entry: Entry, asJson: boolean): void {
  const { violations } = entry;
  console.log(asJson ? JSON.stringify(entry) : portionInWords(entry));
  if (asJson) return;
  for (const violation of violations.slice(0, SHOWN)) console.log(`  VIOLATION ${violation}`);
  if (violations.length > SHOWN) console.log(`  … and ${violations.length - SHOWN} more`);
}

/** "worlds: seeds 1–2000, 2,000 worlds, commit 126ff31, Node 24.21.0, 1 min: starts 79,215; no violation". */
export function portionInWords(entry: Entry, portions = 1): string {
  const { campaign, count, unit, commit, node, seconds, violations } = entry;
  const among = portions === 1 ? '' : ` in ${portions} portions`;
  const figures = figuresInWords(entry);
  const verdict = violations.length === 0 ? 'no violation' : `VIOLATIONS: ${violations.length}`;
  return (
    `${campaign}: ${rangeOf(entry)}${count === 1 ? '' : `, ${counted(count, unit)}`}${among}, commit ${commit}, Node ${node}, ` +
    `${duration(seconds * 1000)}: ${figures === '' ? '' : `${figures}; `}${verdict}`
  );
}

function rangeOf({ first, last, series }: Entry): string {
  if (first === last) return series === undefined ? first : `seed ${first}`;
  return series === undefined ? `${first} … ${last}` : `seeds ${first}–${last}`;
}

/** Several portions as one. */
export function together(entries: readonly Entry[]): Entry {
  const sum = (of: (entry: Entry) => number): number => entries.reduce((all, entry) => all + of(entry), 0);
  return {
    ...entries[0],
    ...summed(entries),
    count: sum(({ count }) => count),
    seconds: sum(({ seconds }) => seconds),
    last: entries.at(-1)?.last ?? '',
  };
}

/** Every portion, and below those of one series their sum. */
export function tellStatus(entries: readonly Entry[], asJson: boolean): void {
  const series = Map.groupBy(entries, ({ campaign, tree, series, node }) =>
    JSON.stringify([campaign, tree, series, node]),
  );
  for (const portions of series.values()) {
    for (const entry of portions) tellPortion(entry, asJson);
    if (!asJson && portions.length > 1) console.log(portionInWords(together(portions), portions.length));
  }
}
