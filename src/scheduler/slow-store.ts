/** A store that takes long to answer is in trouble, even if it answers in the end (E8). */
import { StoreSlowError } from '../store/errors.ts';
import type { Store } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import type { TraceSink } from '../trace/record.ts';

/** How long a question to the store may go unanswered before it counts as trouble. */
export const PATIENCE_MS = 5000;

export interface SlowStorePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly trace?: TraceSink;
}

/** Waits for an answer of the store. If it took too long, the trace says so: the delay is not the scheduler's. */
export async function reportIfSlow<T>(
  { store, clock, trace }: SlowStorePorts,
  answer: Promise<T>,
): Promise<T> {
  const askedAt = clock.monotonic();
  try {
    return await answer;
  } finally {
    const tookMs = Math.round(clock.monotonic() - askedAt);
    if (tookMs >= PATIENCE_MS) {
      const to = clock.now();
      const { name: error } = new StoreSlowError({ path: store.location, waitedMs: tookMs });
      trace?.({ event: 'StoreTrouble', at: to, from: to - tookMs, to, error });
    }
  }
}
