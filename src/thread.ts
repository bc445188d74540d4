/**
 * A thread that runs the file which starts it, so that it works unbuilt (.ts) and built (.js) without naming a file.
 *
 *     const thread = ownThread<Options>(import.meta.url, 'store');
 *     thread.start(options);                                    // in whatever thread imports the file
 *     if (thread.options !== undefined) serve(thread.options);  // in the thread itself
 */
import { isMainThread, Worker, workerData } from 'node:worker_threads';

export interface OwnThread<Options> {
  /** What this thread was started with; undefined in every other thread. */
  readonly options: Options | undefined;
  start(options: Options): Worker;
}

const MARK = 'obbligato thread';
const isOurs = !isMainThread && Array.isArray(workerData) && workerData[0] === MARK;

export function ownThread<Options>(url: string, name: string): OwnThread<Options> {
  return {
    options: isOurs && workerData[1] === name ? workerData[2] : undefined,
    start(options) {
      // None of our threads starts another. If one tries to, its file is the whole program.
      if (isOurs)
        throw new Error(
          `the ${name} was bundled into the program: keep "obbligato" external, its thread runs its own file`,
        );
      // The flags of the process (`--test`, `--import`, `-e` and the like) are not for it, and some would keep it from starting.
      return new Worker(new URL(url), {
        workerData: [MARK, name, options],
        execArgv: [],
        name: `obbligato-${name.replaceAll(' ', '-')}`,
      });
    },
  };
}
