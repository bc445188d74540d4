/** Ways to break a store: each replaces some part of one that works. */
import type { TaskRecord } from '../../src/core/record.ts';
import { readRecord } from '../../src/core/stored.ts';
import type { Batch, PastRun, Refusal, Store, StoreSession } from '../../src/store/index.ts';

export type Break = (store: Store) => Store;

/** The memory store with some of its parts replaced. */
export const withSession =
  (change: (session: StoreSession, store: Store) => Partial<StoreSession>): Break =>
  (store) => ({
    location: store.location,
    inspect: async () => ({ location: '', version: 1, owner: 'unknown', records: [] }),
    async open(options) {
      const session = await store.open(options);
      const whole: StoreSession = {
        read: (names) => session.read(names),
        commit: (batch) => session.commit(batch),
        timeZone: async () => session.timeZone?.(),
        close: () => session.close(),
      };
      return { ...whole, ...change(session, store) };
    },
  });

export const withBatch = (change: (batch: Batch) => Batch): Break =>
  withSession((session) => ({ commit: (batch) => session.commit(change(batch)) }));

/** The memory store with another history. */
export const withHistory =
  (history: (store: Store) => AsyncIterable<PastRun>): Break =>
  (store) => ({
    location: store.location,
    open: (options) => store.open(options),
    history: () => history(store),
  });

type RecordOf = (name: string) => TaskRecord | undefined;

/** Looks at what is stored before it commits, and commits something else. */
export const withLook = (change: (batch: Batch, recordOf: RecordOf) => Batch): Break =>
  withSession((session) => ({
    async commit(batch) {
      const records = (await session.read()).map(readRecord);
      return session.commit(change(batch, (name) => records.find((record) => record.name === name)));
    },
  }));

/** Refuses the changes that it is told to, whatever the store below would say. */
export const refusing = (isRefused: (batch: Batch, recordOf: RecordOf) => readonly Refusal[]): Break =>
  withSession((session) => ({
    async commit(batch) {
      const records = (await session.read()).map(readRecord);
      const refused = isRefused(batch, (name) => records.find((record) => record.name === name));
      const rest = (change: Refusal['change']) => (item: { readonly name: string }) =>
        !refused.some((refusal) => refusal.change === change && refusal.name === item.name);
      const { ends = [], unstarts = [], moves = [], starts = [], ...others } = batch;
      const result = await session.commit({
        ...others,
        ends: [...ends].filter(rest('end')),
        unstarts: unstarts.filter(rest('unstart')),
        moves: [...moves].filter(rest('move')),
        starts: [...starts].filter(rest('start')),
      });
      return { ...result, refused: [...result.refused, ...refused] };
    },
  }));

export const runOf = (record: TaskRecord | undefined): string => record?.run?.runId ?? '';
export const versionOf = (record: TaskRecord | undefined): number => record?.version ?? 0;
export const cut = (name: string): string => name.split('\0')[0].toWellFormed();

export async function* empty(): AsyncGenerator<PastRun> {}

export function wrapped(store: Store): Store {
  return withSession(() => ({}))(store);
}

export function shared(store: Store): Store {
  const session = store.open({ waitMs: 0 });
  return {
    location: store.location,
    open: async () => ({ ...(await wrappedSession(session)), close: async () => {} }),
  };
}

async function wrappedSession(opening: Promise<StoreSession>): Promise<StoreSession> {
  const session = await opening;
  return {
    read: (names) => session.read(names),
    commit: (batch) => session.commit(batch),
    close: () => session.close(),
  };
}

/** Hands out the very objects it was given. */
export function sharing(store: Store): Store {
  const given = new Map<string, unknown>();
  return withSession((session) => ({
    commit(batch) {
      for (const put of batch.puts ?? []) given.set(put.name, put);
      return session.commit(batch);
    },
    read: async (names) =>
      (await session.read(names)).map(
        (value) => given.get(String(Reflect.get(Object(value), 'name'))) ?? value,
      ),
  }))(store);
}

/** `close` closes whatever session is the newest. */
export function forgetfulClose(store: Store): Store {
  let newest: StoreSession | undefined;
  return withSession((session) => {
    newest = session;
    return { close: async () => newest?.close() };
  })(store);
}

/** What a record that goes, or is written over, shows of a run is over before that run has ended. */
export function recordsFirst(store: Store): Store {
  const broken = withSession((session) => ({
    async commit({ cutOffs = [], removes = [], puts = [], ...rest }) {
      await session.commit({ cutOffs, removes, puts });
      return session.commit(rest);
    },
  }))(store);
  return { ...broken, history: (query) => store.history?.(query) ?? empty() };
}

export function puttingOnce(store: Store): Store {
  const seen = new Set<string>();
  return withBatch((batch) => {
    const puts = [...(batch.puts ?? [])].filter(({ name }) => !seen.has(name));
    for (const { name } of puts) seen.add(name);
    return { ...batch, puts };
  })(store);
}

/** Every start of a name counts one more than the one before. */
export function counting(store: Store): Store {
  let count = 0;
  return withBatch((batch) => ({
    ...batch,
    starts: [...(batch.starts ?? [])].map((start) => ({
      ...start,
      work: { ...start.work, attempt: ++count },
    })),
  }))(store);
}

/** Takes requests, and shows none of them. */
export function withoutRequests(store: Store): Store {
  return {
    location: store.location,
    open: (options) => store.open(options),
    ask: async (request) => {
      if (store.ask === undefined) throw new Error('it takes requests');
      return store.ask(request);
    },
    inspect: async () => ({ location: '', version: 1, owner: 'unknown', requests: [], records: [] }),
  };
}

export function without(part: keyof Batch): Break {
  return withBatch(({ [part]: _, ...batch }) => batch);
}
