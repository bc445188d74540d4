/**
 * Threads of our own: of the store, the watcher, `inThread`, `simulate`. A thread runs its program from a file in the sources, and from a text in the built
 * package: a bundle carries the text along, so the thread starts from there, too (scripts/enclose.ts makes the texts).
 *
 *     startThread(sqliteThreadCode, 'store', options)      // in the thread that wants another
 *     const options = startedWith<ThreadOptions>('store')  // in the program of the new thread
 */
import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions, workerData } from 'node:worker_threads';

/** The program of a thread: the file that has it, or its text. */
export type ThreadCode = URL | string;

const MARK = 'obbligato thread';

/**
 * The flags of the process (`--test`, `--import`, `-e` and the like) are not for a thread that runs our own code alone, and some would keep it
 * from starting.
 */
const WITHOUT_FLAGS: WorkerOptions = { execArgv: [] };

export function startThread(
  code: ThreadCode,
  name: string,
  options: unknown,
  more: WorkerOptions = WITHOUT_FLAGS,
): Worker {
  const isText = typeof code === 'string';
  if (!isText && !existsSync(code))
    throw new Error(
      `the thread "${name}" has no program at ${code.href}: bundle the built package instead of its sources, or keep "obbligato" external`,
    );
  return new Worker(code, {
    ...more,
    eval: isText,
    workerData: [MARK, name, options],
    name: `obbligato-${name.replaceAll(' ', '-')}`,
  });
}

/** What this thread was started with. A program of a thread runs nowhere else. */
export function startedWith<Options>(name: string): Options {
  if (!Array.isArray(workerData) || workerData[0] !== MARK || workerData[1] !== name)
    throw new Error(
      `this is the program of the thread "${name}", which only obbligato starts: keep "obbligato" external, or bundle it whole`,
    );
  return workerData[2];
}
