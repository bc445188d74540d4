/** Recording to a file: what reaches the kernel when, rotation, and trouble that harms nobody. */
import assert from 'node:assert/strict';
import fs, { rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { describe, mock, type TestContext, test } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { traceFile } from '../../src/trace/index.ts';
import { rotatedNumbers } from '../../src/trace/segments.ts';
import { fc } from '../property.ts';
import {
  anyRecord,
  entriesOf,
  INIT_START,
  LIFE,
  linesOf,
  recordsOf,
  recordTo,
  runRecord,
  temporaryPath,
} from './kit.ts';

const durable = (at: number) => runRecord('EndDurable', at);

describe('what is written when', () => {
  test('everything but what became durable is in the file when the sink returns', async (t) => {
    const path = temporaryPath(t);
    const trace = traceFile(path, { watch: false });
    t.after(() => trace.close());
    let count = 0;
    for (const record of [...LIFE, INIT_START]) {
      trace(record);
      count++;
      const mayWait = record.event === 'EndDurable';
      assert.equal(linesOf(path).length, mayWait ? count - 1 : count, record.event);
    }
    assert.deepEqual(await recordsOf(path), [...LIFE, INIT_START]);
  });

  test('what became durable is in the file after the tick', async (t) => {
    const path = temporaryPath(t);
    const trace = traceFile(path, { watch: false });
    t.after(() => trace.close());
    for (let at = 0; at < 3; at++) trace(durable(at));
    assert.deepEqual(linesOf(path), []);
    await nextRound();
    assert.equal(linesOf(path).length, 3);
  });

  test('what is written is read again, through any number of files', async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRecord),
        fc.integer({ min: 1, max: 2000 }),
        async (records, rotateBytes) => {
          const path = temporaryPath(t);
          await recordTo(path, records, { rotateBytes });
          assert.deepEqual(await recordsOf(path), records);
          for (const number of rotatedNumbers(path))
            assert.ok(statSync(`${path}.${number}`).size >= rotateBytes);
          assert.ok(statSync(path).size < rotateBytes);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('of the rotated files only so many are kept, the newest', async (t) => {
    for (const keep of [0, 1, 3]) {
      const path = temporaryPath(t);
      await recordTo(path, LIFE, { rotateBytes: 1, keep });
      const numbers = LIFE.map((_, index) => index).slice(0, 6);
      // The two records of the end of a run share a write, so there are six files in all.
      assert.deepEqual(rotatedNumbers(path), numbers.map((index) => index + 1).slice(6 - keep));
    }
  });
});

/** From here on writing takes only so many bytes and then fails, until it is mended. */
function breakWriting(t: TestContext, roomBytes: number): { readonly mend: () => void } {
  const { writeSync } = fs;
  let room = roomBytes;
  const failing = (fd: number, data: string | Uint8Array, offset?: number): number => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data.subarray(offset ?? 0);
    if (room === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const written = writeSync(fd, bytes.subarray(0, Math.min(room, 7)));
    room -= written;
    return written;
  };
  const broken = mock.method(fs, 'writeSync', failing);
  syncBuiltinESMExports();
  const mend = (): void => {
    broken.mock.restore();
    syncBuiltinESMExports();
  };
  t.after(mend);
  return { mend };
}

describe('trouble with the file', () => {
  test('a disk that is full in the middle of a line: told once, held, and written when there is room', async (t) => {
    const path = temporaryPath(t);
    const told: string[] = [];
    const trace = traceFile(path, { watch: false, onError: ({ message }) => told.push(message) });
    t.after(() => trace.close());
    trace(LIFE[0]);
    const { mend } = breakWriting(t, 30);
    for (const record of LIFE.slice(1, 4)) {
      trace(record);
      assert.deepEqual(await recordsOf(path), [LIFE[0]], 'only whole lines');
    }
    assert.deepEqual(told, [`Trace file "${path}" cannot be written; what happens is held`]);
    mend();
    for (const record of LIFE.slice(4)) trace(record);
    assert.deepEqual(await recordsOf(path), LIFE);
    assert.equal(told.length, 1);
  });

  test('half a line that cannot be taken back at once is taken back before the next', async (t) => {
    const path = temporaryPath(t);
    const trace = traceFile(path, { watch: false, onError() {} });
    t.after(() => trace.close());
    trace(LIFE[0]);
    const { mend } = breakWriting(t, 30);
    const stuck = mock.method(fs, 'ftruncateSync', () => {
      throw new Error('EIO: i/o error');
    });
    syncBuiltinESMExports();
    trace(LIFE[1]);
    stuck.mock.restore();
    mend();
    assert.equal((await entriesOf(path)).at(-1)?.problem?.kind, 'truncated');
    for (const record of LIFE.slice(2)) trace(record);
    assert.deepEqual(await recordsOf(path), LIFE);
  });

  test('a disk that stays full: the trace ends where it is whole, and memory is not filled instead', async (t) => {
    const path = temporaryPath(t);
    const told: string[] = [];
    const trace = traceFile(path, { watch: false, onError: ({ message }) => told.push(message) });
    t.after(() => trace.close());
    trace(LIFE[0]);
    const { mend } = breakWriting(t, 0);
    const long = { ...runRecord('RunSuccess', 1002), task: 'x'.repeat(3_000_000) };
    for (let count = 0; count < 10; count++) trace(long);
    mend();
    trace(LIFE[1]);
    assert.deepEqual(await recordsOf(path), [LIFE[0]]);
    assert.deepEqual(
      told.map((message) => message.replace(/^.*" /, '')),
      ['cannot be written; what happens is held', 'could not be written for too long: the trace ends here'],
    );
  });

  test('a folder that is gone: rotation is told of, and the sink goes on', async (t) => {
    const path = temporaryPath(t);
    const told: string[] = [];
    const trace = traceFile(path, {
      watch: false,
      rotateBytes: 300,
      onError: ({ message }) => {
        told.push(message);
        throw new Error('whoever is told is a guest');
      },
    });
    t.after(() => trace.close());
    rmSync(dirname(path), { recursive: true });
    for (const record of LIFE) trace(record);
    assert.deepEqual(told, [`Trace file "${path}" cannot be rotated; it is written on`]);
  });

  test('a record after the close is told of, once', async (t) => {
    const path = temporaryPath(t);
    const told: string[] = [];
    const trace = traceFile(path, { watch: false, onError: ({ message }) => told.push(message) });
    trace(durable(1));
    await Promise.all([trace.close(), trace.close()]);
    for (const record of LIFE) trace(record);
    await nextRound();
    assert.deepEqual(await recordsOf(path), [durable(1)]);
    assert.deepEqual(told, [
      `Trace file "${path}" was closed before the scheduler was: InitStart is not in it`,
    ]);
  });

  test('options that cannot be are refused before anything is opened', (t) => {
    const path = temporaryPath(t);
    for (const options of [{ rotateBytes: 0 }, { keep: -1 }, { frozenAfter: 0 }, { lockWait: Number.NaN }]) {
      assert.throws(() => traceFile(path, options), RangeError);
    }
    assert.throws(() => Reflect.apply(traceFile, undefined, [path, { lockWaitMs: 5 }]), {
      message:
        'traceFile has no option "lockWaitMs": write lockWait, which takes a duration such as seconds(5)',
    });
    assert.equal(statSync(path, { throwIfNoEntry: false }), undefined);
  });
});
