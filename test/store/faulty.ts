/**
 * A store with faults: chosen calls fail before they take effect, fail after it (so that the caller cannot know), are answered late,
 * or never. Everything else is passed on to the real store underneath.
 */
import type { Batch, CommitResult, Store, StoreSession } from '../../src/store/index.ts';

/** `late` is answered, after taking effect, once the promise resolves. */
export type Fault = 'fails before' | 'fails after' | 'never answers' | { readonly late: Promise<unknown> };

/** Which fault befalls a call, if any. `index` counts the calls of its kind over all sessions, from 0. */
export interface FaultPlan {
  readonly open?: (index: number) => Fault | undefined;
  readonly commit?: (index: number, batch: Batch) => Fault | undefined;
  readonly read?: (index: number) => Fault | undefined;
  readonly close?: (index: number) => Fault | undefined;
  /** What a failing call is rejected with; an ordinary error unless given. */
  readonly error?: () => Error;
}

export function faulty(store: Store, plan: FaultPlan): Store {
  const counts = { open: 0, commit: 0, read: 0, close: 0 };
  const fail = plan.error ?? (() => new Error('injected fault'));
  const suffer = <T>(fault: Fault | undefined, act: () => Promise<T>): Promise<T> =>
    afflicted(fault, act, fail);
  const wrap = (session: StoreSession): StoreSession => ({
    read: (names) => suffer(plan.read?.(counts.read++), () => session.read(names)),
    commit: (batch): Promise<CommitResult> =>
      suffer(plan.commit?.(counts.commit++, batch), () => session.commit(batch)),
    close: () => suffer(plan.close?.(counts.close++), () => session.close()),
  });
  return {
    location: store.location,
    open: (options) => suffer(plan.open?.(counts.open++), async () => wrap(await store.open(options))),
    ...(store.inspect && { inspect: store.inspect.bind(store) }),
  };
}

async function afflicted<T>(fault: Fault | undefined, act: () => Promise<T>, fail: () => Error): Promise<T> {
  if (fault === undefined) return act();
  if (fault === 'fails before') throw fail();
  const result = await act();
  if (fault === 'fails after') throw fail();
  if (fault === 'never answers') return new Promise(() => {});
  await fault.late;
  return result;
}
