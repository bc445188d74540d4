/** The version of this package, as its package.json has it, whether run from the sources or from what was built. */
import { readFileSync } from 'node:fs';

export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  return version;
}
