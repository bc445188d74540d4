/** The output of `run` on a pipe whose reader is slow or has stopped, with timers that the test moves. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { Flow, PATIENCE_MS } from '../../src/cli/run/flow.ts';

const LINE = `${'x'.repeat(1023)}\n`;
/** Enough of them that programs are held back. */
const MANY = 300;

describe('a flow', () => {
  let written: string[];
  let untaken: Array<() => void>;
  let flow: Flow;
  beforeEach(() => {
    written = [];
    untaken = [];
    flow = new Flow(
      (text, taken) => {
        written.push(text);
        untaken.push(taken);
      },
      ({ lines }) => flow.write(`lost ${lines}\n`),
    );
  });
  const takeAll = (): void => {
    for (const taken of untaken.splice(0)) taken();
  };
  const writeMany = (): void => {
    for (let line = 0; line < MANY; line++) flow.write(LINE);
  };
  const isHeld = async (): Promise<boolean> => {
    const room = flow.room();
    if (room === undefined) return false;
    const pending = Symbol('pending');
    return (await Promise.race([room, Promise.resolve(pending)])) === pending;
  };

  test('holds programs back until the reader has taken most, and loses nothing', async () => {
    flow.write(LINE);
    assert.equal(flow.room(), undefined, 'a line is not too much');
    writeMany();
    assert.ok(await isHeld());
    const room = flow.room();
    for (const taken of untaken.splice(0, MANY / 4)) taken();
    assert.ok(await isHeld(), 'much is still to be taken');
    takeAll();
    assert.equal(flow.room(), undefined);
    await room;
    assert.equal(written.length, MANY + 1);
  });

  test('loses lines if the reader has taken nothing for long, lets programs go on, and says how many it lost', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    writeMany();
    const room = flow.room();
    t.mock.timers.tick(PATIENCE_MS - 1);
    assert.ok(await isHeld());
    t.mock.timers.tick(1);
    assert.equal(flow.room(), undefined, 'programs are not held back for ever');
    await room;
    flow.write('one\n');
    flow.write('two\n');
    assert.equal(written.length, MANY);
    takeAll();
    assert.deepEqual(written.slice(MANY), ['lost 2\n']);
    flow.write('three\n');
    assert.deepEqual(written.slice(MANY), ['lost 2\n', 'three\n']);
  });

  test('a reader that takes a little now and then is slow, and nothing is lost', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    writeMany();
    for (let look = 0; look < 5; look++) {
      t.mock.timers.tick(PATIENCE_MS - 1);
      untaken.shift()?.();
    }
    assert.ok(await isHeld());
    flow.write('one\n');
    assert.equal(written.length, MANY + 1);
  });

  test('keeps only so much, however fast a callback writes', () => {
    for (let line = 0; line < 100_000; line++) flow.write(LINE);
    assert.ok(written.length < 40_000, `${written.length} lines of a kilobyte wait`);
    const kept = written.length;
    takeAll();
    assert.equal(written[kept], `lost ${100_000 - kept}\n`);
  });

  test('one line may be of any length: an event that names a million tasks is written', () => {
    flow.write('small\n');
    flow.write(`${'x'.repeat(2 ** 26)}\n`);
    assert.equal(written.length, 2);
    flow.write('lost\n');
    takeAll();
    flow.write('after\n');
    assert.deepEqual(written.slice(2), ['lost 1\n', 'after\n']);
  });

  test('is finished at once if everything is taken', async () => {
    flow.write(LINE);
    takeAll();
    assert.equal(await flow.finish(), undefined);
  });

  test('is finished when the reader has taken the rest', async () => {
    flow.write(LINE);
    const finished = flow.finish();
    takeAll();
    assert.equal(await finished, undefined);
  });

  test('is finished without a reader that has stopped, and says how many lines are lost', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    writeMany();
    t.mock.timers.tick(PATIENCE_MS);
    flow.write('one\n');
    const finished = flow.finish();
    t.mock.timers.tick(PATIENCE_MS - 1);
    untaken.shift()?.();
    t.mock.timers.tick(PATIENCE_MS - 1);
    t.mock.timers.tick(1);
    assert.equal((await finished)?.lines, MANY, 'one was taken, one was never written');
  });
});
