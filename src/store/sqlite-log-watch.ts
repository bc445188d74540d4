/**
 * When another program may have written a file: the write-ahead log next to it is touched by every commit, and the system says so.
 *
 *     unproven: a look each second ──the system has told of a change──▶ proven: a look whenever it tells, and each half minute
 *        ▲                                                                │
 *        └──────────── the watch fails, or the log is taken away ─────────┘
 *
 * Not every file system tells, and some systems have no watch left to give. So it is proved first: the log is touched here, and what is told
 * of that is the proof. Until then, and wherever it does not come, the looks are made by a timer. On Windows a write shows late, and it is
 * always the timer.
 */
import { type FSWatcher, utimesSync, watch } from 'node:fs';

const UNPROVEN_MS = 1000;
/** The log is written first, then it is synced, and only then the commit shows. So it is looked again for a while after the system has told. */
const AGAIN_MS = [5, 25, 100, 400, 1600];
/** A net under a watch that tells nothing any more. */
const PROVEN_MS = 30_000;

/** Calls `look` whenever the file may have been written, until the returned function is called. */
export function watchLog(path: string | null, look: () => void): () => void {
  let timer = setInterval(look, UNPROVEN_MS).unref();
  let watcher: FSWatcher | undefined;
  const lookEach = (ms: number): void => {
    clearInterval(timer);
    timer = setInterval(look, ms).unref();
  };
  const lose = (): void => {
    watcher?.close();
    watcher = undefined;
    lookEach(UNPROVEN_MS);
  };
  const again = new Again(look);
  let isProven = false;
  const told = (event: string): void => {
    if (event === 'rename') lose();
    else if (!isProven) {
      isProven = true;
      lookEach(PROVEN_MS);
    }
    look();
    again.begin();
  };
  try {
    if (path !== null && process.platform !== 'win32') {
      const log = `${path}-wal`;
      watcher = watch(log, { persistent: false }, told).on('error', lose);
      const now = new Date();
      utimesSync(log, now, now);
    }
  } catch {
    lose();
  }
  return () => {
    clearInterval(timer);
    again.end();
    watcher?.close();
  };
}

/** Some looks that follow a first one. */
class Again {
  readonly #look: () => void;
  #timers: NodeJS.Timeout[] = [];

  constructor(look: () => void) {
    this.#look = look;
  }

  begin(): void {
    this.end();
    this.#timers = AGAIN_MS.map((ms) => setTimeout(this.#look, ms).unref());
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
