/**
 * The embedded store: durable rows a second for starts and ends, what the event loop notices of it, opening and reading, and a
 * single commit, beside the least that such a commit can cost.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { NOTHING_YET, type TaskRecord, type WorkRecord } from '../src/core/record.ts';
import type { Batch, EndChange, StartChange, StoreSession } from '../src/store/index.ts';
import { sqlite } from '../src/store/index.ts';
import { compare, duration, machine } from './harness.ts';

const TASKS = 100_000;
const CHUNK = 5000;
const COMMITS = 50;
const T0 = Date.UTC(2025, 0, 1);
const id = (index: number): string => `01941c00-0000-7000-8000-${String(index).padStart(12, '0')}`;

const names = Array.from({ length: TASKS }, (_, index) => `customer-${index}/nightly report`);
/** The same names in an order that has nothing to do with where their rows lie. */
const scattered = names.map((_, index) => names[(index * 48_271) % TASKS]);

const record = (name: string): TaskRecord => ({
  name,
  cron: '0 6 * * 1-5',
  retryDelayMs: 300_000,
  policy: null,
  ...NOTHING_YET,
  firstSeenAt: T0,
  servedThrough: T0,
});

const work = (index: number, round: number): WorkRecord => ({
  key: id(index),
  scheduledFor: T0 + round,
  attempt: round,
});

const start = (name: string, index: number, round: number): StartChange => ({
  name,
  version: 2 * round - 1,
  work: work(index, round),
  run: { runId: id(index + round), instanceId: id(0), startedAt: T0 + round, reason: 'due', cutOffAt: null },
});

const end = (name: string, index: number, round: number): EndChange => ({
  name,
  runId: id(index + round),
  instanceId: id(0),
  reason: 'due',
  work: work(index, round),
  calledAt: T0 + round,
  endedAt: T0 + round + 1,
  outcome: 'success',
  pendingRetryUntil: null,
  failures: 0,
  failingSince: null,
  error: null,
});

const chunks = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, index) =>
    items.slice(index * CHUNK, (index + 1) * CHUNK),
  );

const startsOf = (order: readonly string[], round: number): Batch[] =>
  chunks(order.map((name, index) => start(name, index, round))).map((starts) => ({ starts }));
const endsOf = (order: readonly string[], round: number): Batch[] =>
  chunks(order.map((name, index) => end(name, index, round))).map((ends) => ({ ends }));

interface Timed {
  readonly elapsedMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How long something took, and how long the event loop was held meanwhile. */
async function timed(work: () => Promise<unknown>): Promise<Timed> {
  globalThis.gc?.();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  await work();
  const elapsedMs = performance.now() - startedAt;
  await new Promise(setImmediate);
  delay.disable();
  return { elapsedMs, p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6 };
}

function tell(what: string, { elapsedMs, p99Ms, maxMs }: Timed, rows: number): void {
  const rate = rows === 0 ? '' : `${Math.round((rows / elapsedMs) * 1000).toLocaleString('en')} rows/s`;
  const perRow = rows === 0 ? '' : duration((elapsedMs * 1e6) / rows);
  console.log(
    `  ${what.padEnd(34)} ${duration(elapsedMs * 1e6).padStart(10)} ${perRow.padStart(9)}/row ${rate.padStart(16)}  loop p99 ${p99Ms.toFixed(1)} ms, max ${maxMs.toFixed(1)} ms`,
  );
}

async function all(session: StoreSession, batches: readonly Batch[]): Promise<void> {
  for (const batch of batches) await session.commit(batch);
}

const folder = await mkdtemp(join(tmpdir(), 'obbligato-bench-'));
try {
  console.log(
    `Store, ${TASKS.toLocaleString('en')} tasks in chunks of ${CHUNK.toLocaleString('en')} — ${machine()}`,
  );
  const store = sqlite(join(folder, 'store.db'));
  let session: StoreSession = await store.open({ waitMs: 0 });
  const puts = names.map(record);
  tell('put all, one transaction', await timed(() => session.commit({ puts })), TASKS);
  for (const [order, listed] of [
    ['in order', names],
    ['scattered', scattered],
  ] as const) {
    for (let round = 1; round <= 3; round++) {
      const [starts, ends] = [startsOf(listed, round), endsOf(listed, round)];
      tell(`starts ${order}, round ${round}`, await timed(() => all(session, starts)), TASKS);
      tell(`ends ${order}, round ${round}`, await timed(() => all(session, ends)), TASKS);
    }
  }
  tell('idle, for comparison', await timed(() => new Promise((resolve) => setTimeout(resolve, 500))), 0);
  tell('close', await timed(() => session.close()), 0);
  tell(
    'open',
    await timed(async () => {
      session = await store.open({ waitMs: 0 });
    }),
    0,
  );
  tell('read all', await timed(() => session.read()), TASKS);

  const bare = new DatabaseSync(join(folder, 'bare.db'));
  bare.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x INTEGER)');
  bare.exec('INSERT INTO t VALUES (0)');
  const update = bare.prepare('UPDATE t SET x = x + 1');
  let turn = 0;
  await compare('one durable commit, one after the other', [
    {
      name: 'sqlite(), a start',
      operations: COMMITS,
      async run() {
        for (let count = 0; count < COMMITS; count++, turn++) {
          await session.commit({ starts: [start(scattered[turn % TASKS], turn, turn)] });
        }
      },
    },
    {
      name: 'bare node:sqlite on the main thread',
      operations: COMMITS,
      run() {
        for (let count = 0; count < COMMITS; count++) update.run();
      },
    },
  ]);
  bare.close();
  await session.close();
} finally {
  await rm(folder, { recursive: true });
}
