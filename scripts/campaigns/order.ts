/** What the words on the command line ask for. */
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { nearest } from '../../src/text/nearest.ts';
import type { Campaign } from './campaign.ts';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Order {
  /** Undefined: no campaign was named. */
  readonly chosen: readonly Campaign[] | undefined;
  /** What stands behind the name of a campaign. */
  readonly words: readonly string[];
  readonly seed: number | undefined;
  readonly count: number | undefined;
  readonly minutes: number | undefined;
  readonly state: string;
  readonly json: boolean;
  readonly help: boolean;
  readonly again: boolean;
  readonly status: boolean;
}

const STATE = join(dirname(dirname(import.meta.dirname)), 'node_modules', '.cache', 'campaigns');

export function orderOf(campaigns: readonly Campaign[], argv: readonly string[]): Order {
  const { values, positionals } = parsed(argv);
  const [name, ...words] = positionals;
  const flag = (option: 'json' | 'help' | 'again' | 'status'): boolean => values[option] === true;
  return {
    ...chosenBy(campaigns, name, words),
    seed: numberOf('seed', values.seed, /^\d{1,9}$/, 'a whole number of at most nine digits'),
    count: numberOf('count', values.count, /^0*[1-9]\d{0,8}$/, 'a whole number of at least 1'),
    minutes: numberOf('minutes', values.minutes, /^(?=.*[1-9])\d{1,4}(\.\d+)?$/, 'a number above 0'),
    state: values.state ?? STATE,
    json: flag('json'),
    help: flag('help'),
    again: flag('again'),
    status: flag('status'),
  };
}

function parsed(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { seed: text, count: text, minutes: text, state: text };
  const flags = { json: flag, help: flag, again: flag, status: flag };
  try {
    return parseArgs({ args: [...argv], options: { ...options, ...flags }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function chosenBy(
  campaigns: readonly Campaign[],
  name: string | undefined,
  words: readonly string[],
): Pick<Order, 'chosen' | 'words'> {
  if (name === undefined) return { chosen: undefined, words };
  const exact = campaigns.find((campaign) => campaign.name === name);
  if (exact !== undefined) {
    if (typeof exact.whole === 'number' && words.length > 0)
      throw new UsageError(`${name} takes no words; got "${words.join(' ')}"`);
    return { chosen: [exact], words };
  }
  const group = name === 'all' ? campaigns : campaigns.filter((one) => one.name.startsWith(`${name} `));
  if (group.length === 0) throw unknown(name, ['all', ...campaigns.map(firstWord)]);
  const isWanted = (campaign: Campaign): boolean => words.length === 0 || words.includes(lastWord(campaign));
  for (const word of words)
    if (!group.some((campaign) => lastWord(campaign) === word)) throw unknown(word, group.map(lastWord));
  return { chosen: group.filter(isWanted), words: [] };
}

const firstWord = ({ name }: Campaign): string => name.split(' ')[0];
const lastWord = ({ name }: Campaign): string => name.slice(name.indexOf(' ') + 1);

function unknown(name: string, names: readonly string[]): UsageError {
  const meant = nearest(name, [...new Set(names)]);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return new UsageError(`there is no campaign "${name}"${hint}\n"npm run campaign" lists them`);
}

function numberOf(
  option: string,
  written: string | undefined,
  shape: RegExp,
  takes: string,
): number | undefined {
  if (written === undefined) return undefined;
  if (!shape.test(written)) throw new UsageError(`--${option} takes ${takes}; got "${written}"`);
  return Number(written);
}
