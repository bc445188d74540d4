/** A folder in which `obbligato` is the command of the sources, for a shell that completes its words. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../store/kit.ts';
import { root } from './commands-kit.ts';

export async function completionScene(
  t: TestContext,
): Promise<{ readonly folder: string; readonly bin: string }> {
  const folder = await temporaryFolder(t);
  const bin = join(folder, 'obbligato');
  const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
  const words = [process.execPath, join(root, 'src/cli/main.ts')].map(quoted).join(' ');
  writeFileSync(bin, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return { folder, bin };
}
