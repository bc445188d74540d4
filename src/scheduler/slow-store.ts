/** A store that takes long to answer is in trouble, even if it answers in the end (E8). */
import { cutOffRunOf } from '../core/cut-off-run.ts';
import type { Planner } from '../core/plan.ts';
import { readRecord } from '../core/stored.ts';
import { StoreSlowError } from '../store/errors.ts';
import type { Store, StoreSession } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import type { TraceSink } from '../trace/record.ts';
import type { Sizes } from './sizes.ts';

/** How long a question to the store may go unanswered before it counts as trouble. */
export const PATIENCE_MS = 5000;

export interface SlowStorePorts {
  readonly store: Pick<Store, 'location'>;
  readonly clock: Clock;
  readonly trace?: TraceSink | undefined;
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

/** Lets everything else that waits have its turn: with a hundred thousand tasks each step of an initialize is long. */
export const yieldToEventLoop = (clock: Clock): Promise<void> =>
  new Promise((resolve) => clock.defer(resolve));

/** Reads and checks every record, in slices, so that a hundred thousand of them do not hold the event loop. */
export async function readStored(
  session: StoreSession,
  options: SlowStorePorts & { readonly sizes: Sizes },
  planner: Planner,
): Promise<void> {
  const { clock, sizes, trace } = options;
  const pages = session.readPages?.((name) => planner.ownName(name)) ?? [
    await reportIfSlow(options, session.read()),
  ];
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += sizes.readSlice) {
      for (const value of page.slice(start, start + sizes.readSlice)) {
        const record = readRecord(value);
        // Where several instances share the store, it says which of them are gone (K9).
        const cutOff = planner.isShared ? cutOffRunOf(record) : undefined;
        if (cutOff !== undefined) trace?.({ event: 'InstanceGone', at: clock.now(), ...cutOff });
        planner.add(record);
      }
      await yieldToEventLoop(clock);
    }
  }
}
