/** Takes the store over, however long that may take. */
import { StoreLockedError } from '../store/errors.ts';
import type { OpenOptions, StoreSession } from '../store/port.ts';
import { asScheduleTaskError } from './planned-write.ts';
import type { SettledOptions } from './settled-options.ts';

/** How long the store is waited for before it is asked whether anybody still wants it. */
const LOCK_SLICE_MS = 1000;

/**
 * Opens the store. If another scheduler owns it, this waits a little at a time, so that a `stop` ends the waiting too. Nothing has
 * begun by then, and `initialize` rejects as if the time were up.
 */
export async function openStore(
  { store, lockWaitMs, clock, logger, history }: SettledOptions,
  isWanted: () => boolean,
  listeners: Pick<OpenOptions, 'onTrouble' | 'onRequests' | 'sharing'>,
): Promise<StoreSession> {
  const askedAt = clock.monotonic();
  for (let hasWarned = false; ; hasWarned = true) {
    const leftMs = Math.max(0, lockWaitMs - (clock.monotonic() - askedAt));
    try {
      const session = await store.open({ waitMs: Math.min(leftMs, LOCK_SLICE_MS), history, ...listeners });
      if (session.warning !== undefined) logger.error(session.warning);
      return session;
    } catch (error) {
      if (!(error instanceof StoreLockedError)) return asScheduleTaskError(error);
      if (leftMs <= LOCK_SLICE_MS || !isWanted()) {
        const waitedMs = Math.min(lockWaitMs, Math.round(clock.monotonic() - askedAt));
        throw new StoreLockedError({ ...error.details, waitedMs }, error.cause);
      }
      if (!hasWarned) logger.warn(`${error.problem}; waiting for it to let go`);
    }
  }
}
