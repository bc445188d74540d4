/** Traces of real processes: killed, stopped, out of room, leaving without a word. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { TraceRecord } from '../../src/trace/record.ts';
import { ended, recordsOf, start, temporaryPath } from './kit.ts';

const LIFE = 'fixtures/life.ts';
const storeBeside = (path: string): string => join(dirname(path), 'store.db');
const eventsOf = (records: readonly TraceRecord[]): string => records.map(({ event }) => event).join(' ');

function neverGoesBack(records: readonly TraceRecord[]): void {
  for (let index = 1; index < records.length; index++) {
    assert.ok(records[index].at >= records[index - 1].at, JSON.stringify(records[index]));
  }
}

describe('a process killed by SIGKILL', () => {
  test('leaves the start of the callback that killed it, and the next one continues its trace', async (t) => {
    const path = temporaryPath(t);
    const killed = await ended(start(t, LIFE, path, storeBeside(path), 'die'));
    assert.deepEqual([killed.how, killed.said], ['SIGKILL', ['open']]);
    const before = await recordsOf(path);
    assert.equal(eventsOf(before), 'InitStart InitSuccess StartDurable RunStart');

    const next = await ended(start(t, LIFE, path, storeBeside(path), 'stop'));
    assert.deepEqual([next.how, next.said.at(-1)], [0, 'stopped']);
    const records = await recordsOf(path);
    neverGoesBack(records);
    const [shutdown, frozen, ...rest] = records.slice(before.length);
    const last = before[3];
    assert.ok('instance' in last && frozen.event === 'Frozen');
    assert.deepEqual(shutdown, { event: 'UnexpectedShutdown', at: last.at, instance: last.instance });
    assert.deepEqual([frozen.from, frozen.at], [last.at, frozen.to]);
    assert.ok(frozen.to > frozen.from && frozen.to <= rest[0].at);
    assert.match(eventsOf(rest), /^InitStart InitSuccess StartDurable RunStart .*RunSuccess.* StopEnd$/);
  });

  test('holds the file as long as it lives, and no longer', async (t) => {
    const path = temporaryPath(t);
    const owner = start(t, LIFE, path, storeBeside(path), 'hold');
    assert.ok(owner.stdout !== null);
    await once(owner.stdout, 'data');
    const refused = await ended(start(t, LIFE, path, `${storeBeside(path)}2`, 'stop'));
    assert.match(refused.err, /TraceLockedError: .*trace\.jsonl" is being written by another recorder/);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const next = await ended(start(t, LIFE, path, `${storeBeside(path)}2`, 'stop'));
    assert.deepEqual([next.how, next.said.at(-1)], [0, 'stopped']);
    neverGoesBack(await recordsOf(path));
  });
});

describe('a process that leaves without closing', () => {
  for (const how of ['by itself', 'exit', 'throw']) {
    test(`is not kept alive by the watcher, and nothing is lost (${how})`, async (t) => {
      const path = temporaryPath(t);
      const { how: code } = await ended(start(t, 'fixtures/leave.ts', path, how));
      assert.equal(code, how === 'throw' ? 1 : 0);
      assert.equal(eventsOf(await recordsOf(path)), 'InitStart EndDurable');
    });
  }
});

describe('a file that cannot grow', () => {
  /** Blocks of 1,024 bytes: room for the beginning of the life and not for its end. */
  const limited = (t: TestContext, ...args: string[]) => {
    const script = 'ulimit -f 48; exec "$0" "$@"';
    const fixture = join(import.meta.dirname, LIFE);
    const child = spawn('bash', ['-c', script, process.execPath, fixture, ...args]);
    t.after(() => child.kill('SIGKILL'));
    return child;
  };

  test('is told of once, holds only whole lines, and the schedule goes on', async (t) => {
    const path = temporaryPath(t);
    const { said, how } = await ended(limited(t, path, storeBeside(path), 'full'));
    assert.equal(how, 0);
    assert.deepEqual(
      said.map((line) => line.replace(/"[^"]+"/, 'it')),
      [
        'open',
        'TraceFileError: Trace file it cannot be written; what happens is held',
        'called 200',
        'stopped',
      ],
    );
    // How much was in it when it could not grow any more depends on how the starts fell into batches. That it is the beginning does not.
    assert.match(eventsOf(await recordsOf(path)), /^InitStart InitSuccess StartDurable( (?!Stop)\w+)+$/);
  });
});
