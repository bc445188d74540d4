/** What contenders measure themselves with. */
import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The wall clock with fractions of a millisecond. */
export const wallClock = (): number => performance.timeOrigin + performance.now();

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

/** CPU time of the whole process, all threads, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What is alive in memory of the main thread: objects, and the typed arrays, which are outside the heap. */
export async function liveBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  // What the first collection lets go of may hold more, as messages between threads do.
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * The bytes that this process has handed to the kernel so far. Linux counts them (`wchar` in /proc/self/io, all threads, files and
 * pipes alike). Elsewhere it is the size of the store's files, which is less where a file is written over.
 */
export async function writtenBytes(folder: string): Promise<number> {
  if (process.platform === 'linux')
    return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  return folderBytes(folder);
}

/** The size of all files in a folder. It opens none: that would drop the locks of the store. */
export async function folderBytes(folder: string): Promise<number> {
  const files = await readdir(folder);
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

/** Notes the longest time for which the event loop was held, by a timer of one millisecond that looks at the clock. */
export function watchLoop(): { longestMs(): number; again(): void; end(): void } {
  let longestMs = 0;
  let seenAt = performance.now();
  const look = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - seenAt);
    seenAt = now;
  };
  const timer = setInterval(look, 1).unref();
  return {
    longestMs() {
      look();
      return longestMs;
    },
    again() {
      longestMs = 0;
      seenAt = performance.now();
    },
    end: () => clearInterval(timer),
  };
}
