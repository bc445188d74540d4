/** Scenarios that failed once, cut down, with a note of what was wrong. The tests replay them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from '../../src/simulation/index.ts';

export interface Kept {
  readonly file: string;
  readonly rule: string;
  readonly story: string;
  readonly scenario: Scenario;
}

const folder = join(import.meta.dirname, 'corpus');

export const CORPUS: readonly Kept[] = readdirSync(folder).map((file) => ({
  file,
  ...JSON.parse(readFileSync(join(folder, file), 'utf8')),
}));
