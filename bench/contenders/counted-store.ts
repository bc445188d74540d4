/**
 * The embedded store, with a count of its commits and of the ends that are durable. Every commit is one sync of the write-ahead log
 * (`synchronous=FULL`). The syncs of checkpoints are not counted, so the limit that repeats the count is a little stricter.
 */
import { join } from 'node:path';
import { type Store, type StoreSession, sqlite } from 'obbligato';

export interface CountedStore {
  readonly store: Store;
  commits(): number;
  /** Resolves when so many ends are durable, counted from now. */
  endsDurable(count: number): Promise<void>;
}

export function countedStore(folder: string): CountedStore {
  let commits = 0;
  let endsToCome = 0;
  let resolveEnds = (): void => {};
  const counted = async (session: StoreSession, batch: Parameters<StoreSession['commit']>[0]) => {
    const ends = batch.ends?.length ?? 0; // a session may empty the lists that it was given
    const result = await session.commit(batch);
    commits++;
    endsToCome -= ends;
    if (ends > 0 && endsToCome <= 0) resolveEnds();
    return result;
  };
  const store = sqlite(join(folder, 'state.db'));
  return {
    store: passingOn(store, {
      open: async (options: Parameters<Store['open']>[0]) => {
        const session = await store.open(options);
        return passingOn(session, {
          commit: (batch: Parameters<StoreSession['commit']>[0]) => counted(session, batch),
        });
      },
    }),
    commits: () => commits,
    endsDurable(count) {
      endsToCome = count;
      return new Promise((resolve) => {
        resolveEnds = resolve;
      });
    },
  };
}

/** An object with some methods in place of its own. Everything else is asked of the original, whose private fields need that. */
function passingOn<T extends object>(original: T, instead: Partial<T>): T {
  return new Proxy(original, {
    get(target, key) {
      if (Object.hasOwn(instead, key)) return Reflect.get(instead, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
