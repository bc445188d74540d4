/**
 * Freezes, seen from a thread: an event loop that is really blocked, a process that is really stopped. This is about real time, so
 * nothing here is faster than it; but nothing is timed either: each test waits for what it is about. A thread that got no time from a
 * busy machine has seen nothing; then the main thread is held again.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type TraceFile, traceFile, withFreezes } from '../../src/trace/index.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { Watcher } from '../../src/trace/watcher.ts';
import { bounded } from '../patience.ts';
import { recordsOf, runRecord, start, temporaryPath } from './kit.ts';

type Frozen = Extract<TraceRecord, { event: 'Frozen' }>;
const isFrozen = (record: TraceRecord): record is Frozen => record.event === 'Frozen';
const record = (trace: TraceFile, event: 'RunStart' | 'RunSuccess'): number => {
  const at = Date.now();
  trace(runRecord(event, at));
  return at;
};

/** Holds the event loop. */
function burn(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Holds the event loop again and again, until there is an answer. */
const seen = <T>(hold: () => Promise<T | undefined>): Promise<T> =>
  bounded(
    'what the thread should see',
    (async () => {
      for (;;) {
        const answer = await hold();
        if (answer !== undefined) return answer;
      }
    })(),
  );

/** A trace whose watcher has said its first word, so that its thread is known to run. */
async function watched(t: TestContext): Promise<{ trace: TraceFile; path: string; count: number }> {
  const path = temporaryPath(t);
  const trace = traceFile(path, { frozenAfter: 100 });
  t.after(() => trace.close());
  const count = await seen(async () => {
    burn(150);
    record(trace, 'RunSuccess');
    const records = await recordsOf(path);
    return records.some(isFrozen) ? records.length : undefined;
  });
  return { trace, path, count };
}

describe('an event loop that is held', () => {
  test('is seen by the thread while it is held, with the instants of the thread', async (t) => {
    const before = Date.now();
    const watcher = new Watcher({
      frozenAfterMs: 50,
      onBeat() {},
      onError: (error) => assert.fail(String(error)),
    });
    t.after(() => watcher.close());
    let freeze = watcher.take();
    while (freeze === undefined) freeze = watcher.take();
    assert.ok(freeze.to - freeze.from >= 50 && freeze.from >= before && freeze.to <= Date.now());
    burn(100);
    assert.equal(watcher.take(), undefined, 'the same freeze is not told twice');
  });

  test('is put before the next record of any sink, as withFreezes wraps it', async (t) => {
    const records: TraceRecord[] = [];
    const sink = withFreezes((record) => records.push(record), { frozenAfter: 100 });
    t.after(() => sink.close());
    const isByTask = (record: TraceRecord): record is Frozen => isFrozen(record) && record.task === 'a';
    while (!records.some(isByTask)) {
      sink(runRecord('RunStart', Date.now()));
      burn(150);
      sink(runRecord('RunSuccess', Date.now()));
    }
    const [started, frozen, ended] = records.slice(records.findIndex(isByTask) - 1);
    assert.ok(isFrozen(frozen));
    assert.deepEqual([started.event, ended.event], ['RunStart', 'RunSuccess']);
    assert.ok(started.at <= frozen.from && frozen.from < frozen.to);
    assert.ok(started.at <= frozen.at && frozen.at <= ended.at, 'time does not go back');
  });

  test('is not blamed by withFreezes on a callback that has returned', async (t) => {
    const records: TraceRecord[] = [];
    const sink = withFreezes((record) => records.push(record), { frozenAfter: 100 });
    t.after(() => sink.close());
    const isByNobody = (record: TraceRecord, index: number): boolean =>
      isFrozen(record) && record.task === undefined && records[index - 1]?.event === 'RunStart';
    while (!records.some(isByNobody)) {
      sink(runRecord('RunStart', Date.now()));
      await nextRound();
      burn(150);
      sink(runRecord('RunSuccess', Date.now()));
    }
  });

  test('by a callback: the freeze comes before the next record, and names the task', async (t) => {
    const { trace, path } = await watched(t);
    const { records, over } = await seen(async () => {
      record(trace, 'RunStart');
      burn(400);
      record(trace, 'RunSuccess');
      const over = Date.now();
      const all = await recordsOf(path);
      // A busy machine may have held it up before, too; that is told before the start.
      const records = all.slice(all.findLastIndex(({ event }) => event === 'RunStart'));
      return records.some(isFrozen) ? { records, over } : undefined;
    });
    const [started, frozen, ended] = records;
    assert.deepEqual([started.event, frozen.event, ended.event], ['RunStart', 'Frozen', 'RunSuccess']);
    assert.ok(isFrozen(frozen));
    assert.equal(frozen.task, 'a');
    assert.ok(frozen.from >= started.at && frozen.to <= over, 'within what it explains');
    assert.ok(frozen.to - frozen.from >= 100, `${frozen.to - frozen.from} ms`);
    assert.ok(started.at <= frozen.at && frozen.at <= ended.at, 'time does not go back');
  });

  test('by somebody else, after a callback has returned: nobody is named', async (t) => {
    const { trace, path } = await watched(t);
    const frozen = await seen(async () => {
      record(trace, 'RunStart');
      await nextRound();
      await nextRound();
      const heldFrom = Date.now();
      burn(400);
      record(trace, 'RunSuccess');
      const found = (await recordsOf(path)).filter((one) => isFrozen(one) && one.to > heldFrom);
      return found.length > 0 ? found : undefined;
    });
    assert.ok(frozen.every((one) => isFrozen(one) && one.task === undefined));
  });

  test('by nobody: the scheduler itself at work is not frozen', async (t) => {
    const { trace, path } = await watched(t);
    // A busy machine may really hold it up, so that is tried again. Work that is taken for a freeze is so each time: it takes four times as long.
    await seen(async () => {
      const count = (await recordsOf(path)).length;
      for (let times = 0; times < 40; times++) {
        record(trace, 'RunSuccess');
        burn(10);
      }
      const records = (await recordsOf(path)).slice(count);
      return records.some(isFrozen) ? undefined : records;
    });
  });

  test('a freeze with no record after it is written at the close', async (t) => {
    const records = await seen(async () => {
      const { trace, path, count } = await watched(t);
      burn(400);
      await trace.close();
      const after = (await recordsOf(path)).slice(count);
      return after.length > 0 ? after : undefined;
    });
    assert.ok(records.every(isFrozen));
  });

  test('a record that carries an earlier instant than the freeze does not make time go back', async (t) => {
    const { trace, path, count } = await watched(t);
    const { records, readAt } = await seen(async () => {
      const readAt = Date.now();
      burn(400);
      trace(runRecord('RunSuccess', readAt));
      const records = (await recordsOf(path)).slice(count);
      return records.some((one) => isFrozen(one) && one.to > readAt) ? { records, readAt } : undefined;
    });
    assert.ok(records.every(({ at }) => at <= readAt));
    assert.ok(records.some((one) => isFrozen(one) && one.to > one.at));
  });
});

describe('a process that is stopped, and its watcher with it', () => {
  test('the gap is a freeze, told before whatever happens after it', async (t) => {
    const path = temporaryPath(t);
    const child = start(t, 'fixtures/stopped.ts', path);
    const { stdin, stdout } = child;
    assert.ok(stdin !== null && stdout !== null);
    await once(stdout, 'data');
    let gap = { from: 0, to: 0 };
    const isTheGap = (one: TraceRecord): boolean =>
      isFrozen(one) && Math.min(one.to, gap.to) - Math.max(one.from, gap.from) >= 400;
    // A thread that had not started yet has seen nothing, or only a slow start; then it is stopped again.
    do {
      child.kill('SIGSTOP');
      const from = Date.now();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
      gap = { from, to: Date.now() };
      child.kill('SIGCONT');
      const size = (await recordsOf(path)).length;
      while ((await recordsOf(path)).length < size + 2) await once(stdout, 'data');
    } while (!(await recordsOf(path)).some(isTheGap));
    stdin.end();
    await once(child, 'exit');
    const records = await recordsOf(path);
    const { from, to } = gap;
    const index = records.findIndex(isTheGap);
    assert.ok(records[index - 1].at <= from + 50 && records[index + 1].at >= to - 50, 'where the gap is');
    for (let at = 1; at < records.length; at++) assert.ok(records[at].at >= records[at - 1].at);
  });
});
