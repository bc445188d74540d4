/** The version of this package, from its package.json. In the built package this module has it itself (scripts/enclose.ts). */
import { readFileSync } from 'node:fs';

export const version = (): string =>
  String(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
