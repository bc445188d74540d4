/** Libraries in front of the operating system's, which change what one process is told by it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Ground } from './ground.ts';

/** Why no library can be put in front of the operating system's here, if so. */
export function noCompiler(): string | undefined {
  if (process.platform !== 'linux') return 'LD_PRELOAD is of Linux';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no C compiler (cc)';
  }
}

/** Builds a library from a file of `fixtures`: where it is, and the environment of a process that loads it. */
export function preloaded(
  ground: Ground,
  source: string,
): { readonly place: string; readonly env: NodeJS.ProcessEnv } {
  const place = ground.place();
  const library = 'preloaded.so';
  const words = [
    '-shared',
    '-fPIC',
    '-o',
    join(place, library),
    join(import.meta.dirname, 'fixtures', source),
  ];
  execFileSync('cc', words, { stdio: 'pipe' });
  // By its name: a path with spaces would be taken for several.
  return { place, env: { LD_PRELOAD: library, LD_LIBRARY_PATH: place } };
}
