/** The portions that were played, one line of JSON each. A run that is killed loses the portion that it was playing, and nothing else. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../test/outcome.ts';
import type { Campaign } from './campaign.ts';
import type { Version } from './version.ts';

export interface Entry extends Outcome, Version {
  readonly campaign: string;
  readonly unit: string;
  readonly count: number;
  readonly first: string;
  readonly last: string;
  /** The seed that the first portion of its series began with; undefined where units have names. */
  readonly series?: number;
  readonly names?: readonly string[];
  readonly node: string;
  readonly seconds: number;
  readonly at: string;
}

/** From here on the campaign begins anew. */
interface Again {
  readonly campaign: string;
  readonly again: true;
}

export class Ledger {
  readonly #folder: string;
  readonly #file: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'portions.jsonl');
  }

  add(line: Entry | Again): void {
    mkdirSync(this.#folder, { recursive: true });
    // A process that was killed while it wrote leaves a line without an end.
    const isTorn = existsSync(this.#file) && !/(^|\n)$/.test(readFileSync(this.#file, 'utf8'));
    appendFileSync(this.#file, `${isTorn ? '\n' : ''}${JSON.stringify(line)}\n`);
  }

  /** All portions of the campaigns, the oldest first. */
  entries(campaigns: readonly Pick<Campaign, 'name'>[]): readonly Entry[] {
    const names = campaigns.map(({ name }) => name);
    return this.#lines()
      .filter((line) => 'count' in line)
      .filter(({ campaign }) => names.includes(campaign));
  }

  /** The portions that a run of this version goes on from. */
  since(campaign: string, { tree }: Version): readonly Entry[] {
    const lines = this.#lines().filter((line) => line.campaign === campaign);
    const begin = lines.findLastIndex((line) => 'again' in line);
    return lines
      .slice(begin + 1)
      .filter((line) => 'count' in line)
      .filter((line) => line.tree === tree);
  }

  #lines(): readonly (Entry | Again)[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line));
  }
}
