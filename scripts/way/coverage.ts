/** Which functions of `src` a piece of work calls on the main thread, by V8's own count of calls. */
import { Session } from 'node:inspector/promises';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** By file, from the root of the project: the functions that were called, `(anonymous)` ones too, each with where it begins. */
export type Called = ReadonlyMap<string, readonly string[]>;

const root = dirname(dirname(import.meta.dirname));

/** Plays some work, and returns what it called. The body of a module that is loaded meanwhile is no function. */
export async function calledBy(work: () => Promise<unknown>): Promise<Called> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  try {
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const called = new Map<string, string[]>();
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)).replaceAll(sep, '/') : '';
      if (!file.startsWith('src/') || file.startsWith('src/testing/')) continue;
      const end = Math.max(...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)));
      const names = functions
        .filter(
          ({ ranges: [{ count, startOffset, endOffset }] }) => count > 0 && endOffset - startOffset < end,
        )
        .map(
          ({ functionName, ranges: [{ startOffset }] }) => `${functionName || '(anonymous)'} ${startOffset}`,
        );
      if (names.length > 0) called.set(file, names);
    }
    return called;
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}
