/**
 * The real SQLite store, at the level of its file. Every prefix of its write-ahead log becomes a file, also with torn and lost
 * frames. The real scheduler is started on each, and must do what A1 says about the commits that are whole in it. The suite plays every
 * third of these files: each kind of cut, and each part of the log.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TaskRecord } from '../../src/core/record.ts';
import { readRecord } from '../../src/core/stored.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import { applyBatch, Records } from '../../src/simulation/judges/batches.ts';
import { lastDue } from '../../src/simulation/judges/calendar.ts';
import { planOf } from '../../src/simulation/judges/plan.ts';
import { recordText } from '../../src/simulation/judges/texts.ts';
import { sqlite } from '../../src/store/index.ts';
import { sqliteForTests } from '../../src/store/sqlite.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { sample } from '../sample.ts';
import { MINUTE, noop, Stage } from '../scheduler/scenario.ts';
import { heldCallback } from '../scheduler/world.ts';
import { copyLiving, LoggedStore } from './wal-images.ts';

/** The living store folds when it is closed, and not before. */
const NEVER_MS = 2 ** 31 - 1;

const START = '2026-06-01T12:00:20Z';

/** Tasks in every state: due at once, running at the crash, failed and waiting for the retry, not due yet. */
function tasks(held: Registration[2]): readonly Registration[] {
  const failing = (): never => {
    throw new Error('failed on purpose');
  };
  return [
    ['each', '* * * * *', noop, 1000],
    ['held', '0-5 12 * * *', held, 1000],
    ['fails', '* * * * *', failing, 45_000],
    ['later', '30 12 * * *', noop, 0],
  ];
}

/** What A1 says must start when a process finds these records at an instant, and for which reason. */
function owed(stored: ReadonlyMap<string, TaskRecord>, list: readonly Registration[], now: number): string[] {
  const plans = list.map(([name, cron, , delay]) => ({ name, cron, retryDelayMs: Number(delay) }));
  const { records } = planOf(stored, plans, 'UTC', now);
  return [...records.values()].flatMap((record) => {
    const { name, run, servedThrough, pendingRetryUntil } = record;
    if (run !== null) return [`${name} orphaned`];
    if (lastDue(record, 'UTC', now) > servedThrough) return [`${name} due`];
    return pendingRetryUntil !== null && pendingRetryUntil <= now ? [`${name} retry`] : [];
  });
}

const text = (records: ReadonlyMap<string, TaskRecord>): string[] =>
  [...records.values()].map(recordText).sort();

test('A1, A4, E5 a scheduler starts on every prefix of the log, torn and reordered, and does what is owed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-wal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const living = join(folder, 'living.db');
  const store = new LoggedStore(sqliteForTests(living, { idleMs: NEVER_MS }));
  const held = heldCallback();
  const stage = new Stage(START, { store });
  await stage.initialize(...tasks(held.callback));
  await stage.clock.advance(MINUTE);
  held.runs[0].succeed();
  await stage.clock.advance(MINUTE);
  // As long as another program has the file open, its log stays when the store is closed.
  const other = new (loadSqlite().DatabaseSync)(living);
  other.exec('SELECT count(*) FROM task');
  const stopped = stage.stop();
  for (const run of held.runs) run.succeed();
  await stopped;
  const crashed = copyLiving(store, join(folder, 'copy.db'));
  other.close();

  let starts = 0;
  const images = sample(crashed.images, Math.ceil(crashed.images.length / 3));
  for (const [index, { title, wal, commits }] of images.entries()) {
    const path = join(folder, `image-${index}.db`);
    crashed.lay(path, wal);
    const expected = new Records();
    for (const batch of crashed.commits.slice(0, commits)) applyBatch(expected, batch);
    const store = new LoggedStore(sqlite(path));
    const next = new Stage('2026-06-01T12:03:40Z', { store });
    const list = tasks(noop);
    await next.initialize(...list);
    assert.deepEqual(store.found.map(readRecord).map(recordText).sort(), text(expected), title);
    const reasons = next.world.events.flatMap((event) =>
      event.type === 'TaskRunStarted' || event.type === 'TaskRetryStarted'
        ? [`${event.task} ${event.reason}`]
        : [],
    );
    assert.deepEqual(reasons.sort(), owed(expected, list, next.clock.now()).sort(), title);
    starts += reasons.length;
    await next.stop();
  }
  t.diagnostic(
    `${crashed.commits.length} commits, ${images.length} of ${crashed.images.length} images, ${starts} starts`,
  );
  assert.ok(crashed.images.length >= 80, `only ${crashed.images.length} images`);
});
