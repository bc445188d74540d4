/** Reading a trace: whatever is in the file, every line is accounted for, and nothing throws. */
import assert from 'node:assert/strict';
import fs, { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Lines } from '../../src/trace/lines.ts';
import { readTrace } from '../../src/trace/read.ts';
import { fc } from '../property.ts';
import { anyRecord, entriesOf, LIFE, recordsOf, temporaryPath, textOf } from './kit.ts';

async function* streamed<T>(pieces: Iterable<T>): AsyncGenerator<T, void> {
  yield* pieces;
}

describe('what is read is what was written', () => {
  test('from a path, a URL, pieces of text and pieces of bytes, however they are cut', async (t) => {
    const path = temporaryPath(t);
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord), fc.integer({ min: 1, max: 40 }), async (records, cut) => {
        const bytes = Buffer.from(textOf(records));
        writeFileSync(path, bytes);
        const count = Math.ceil(bytes.length / cut);
        const pieces = Array.from({ length: count }, (_, n) => bytes.subarray(n * cut, (n + 1) * cut));
        const text = bytes.toString();
        for (const source of [path, pathToFileURL(path), streamed(pieces), [...text], streamed([text])]) {
          const entries = await entriesOf(source);
          assert.deepEqual(
            entries.map(({ record }) => record),
            records,
          );
          assert.deepEqual(
            entries.map(({ line }) => line),
            records.map((_, index) => index + 1),
          );
        }
      }),
      { numRuns: 50 },
    );
  });

  test('lines that are longer than a piece, and more lines than fit into one', async (t) => {
    const path = temporaryPath(t);
    const long = { event: 'RunStart' as const, at: 1, task: 'ö'.repeat(400_000) };
    const many = Array.from({ length: 10_000 }, (_, at) => ({ event: 'StopStart' as const, at }));
    const records = [long, ...many, long];
    writeFileSync(path, textOf(records));
    assert.deepEqual(await recordsOf(path), records);
  });

  test('who has read enough leaves, and the file is let go of', async (t) => {
    const path = temporaryPath(t);
    writeFileSync(path, textOf(LIFE));
    const closed = t.mock.method(fs, 'closeSync');
    syncBuiltinESMExports();
    t.after(() => {
      closed.mock.restore();
      syncBuiltinESMExports();
    });
    for await (const { record } of readTrace(path)) {
      assert.deepEqual([record, closed.mock.callCount()], [LIFE[0], 0]);
      break;
    }
    assert.equal(closed.mock.callCount(), 1);
  });

  test('how much has been read, of how much', async (t) => {
    const path = temporaryPath(t);
    writeFileSync(`${path}.1`, textOf(LIFE));
    writeFileSync(path, textOf(LIFE));
    const size = Buffer.byteLength(textOf(LIFE));
    const reading = readTrace(path);
    assert.deepEqual([reading.bytesRead, reading.bytesTotal], [0, 2 * size]);
    const seen: number[] = [];
    for await (const _ of reading.batches()) seen.push(reading.bytesRead);
    assert.deepEqual([...new Set(seen)], [size, 2 * size]);
    const stream = readTrace(streamed([textOf(LIFE)]));
    for await (const _ of stream);
    assert.deepEqual([stream.bytesRead, stream.bytesTotal], [size, undefined]);
  });
});

describe('what is malformed', () => {
  test('is named by file, line and kind, and the rest is read', async (t) => {
    const path = temporaryPath(t);
    const good = textOf([LIFE[5]]);
    const bad = [
      '{"event":"StopStart"}',
      'Dear diary',
      '{"event":"Party","at":1}',
      '',
      '\u0000\u0000',
      '[]',
      '{"event":"RunStart","at":1}',
    ];
    writeFileSync(path, `\uFEFF${good}${bad.map((line) => `${line}\r\n${good}`).join('')}{"event":"Sto`);
    const entries = await entriesOf(path);
    assert.deepEqual(
      entries.flatMap(({ problem }) =>
        problem === undefined ? [] : [`${problem.line} ${problem.kind} ${problem.message}`],
      ),
      [
        '2 field StopStart: the field "at" is missing',
        '4 json the line is not JSON: "Dear diaryU+000D"',
        '6 event there is no event "Party"',
        '10 json the line is not JSON: "U+0000U+0000U+000D"',
        '12 event a record is an object, and this is an array',
        '14 field RunStart: the field "task" is missing',
        '16 truncated the last line was cut off: "{"event":"Sto"',
      ],
    );
    assert.ok(entries.every(({ file, problem }) => file === path && (problem?.file ?? path) === path));
    assert.equal(entries.filter(({ record }) => record !== undefined).length, 8);
  });

  test('a last line without a newline is a record if it is a whole one', async () => {
    const [entry] = await entriesOf([textOf([LIFE[5]]).trimEnd()]);
    assert.deepEqual(entry.record, LIFE[5]);
  });

  test('cut anywhere, every whole line is a record, and the one that was cut is named', async () => {
    const text = textOf(LIFE);
    const bytes = Buffer.from(text);
    for (let length = 0; length <= bytes.length; length++) {
      const kept = bytes.subarray(0, length);
      const whole = kept.toString().split('\n').length - 1;
      const isWhole = length === bytes.length || bytes[length] === 0x0a;
      const isCut = !isWhole && length > 0 && bytes[length - 1] !== 0x0a;
      const entries = await entriesOf(streamed([kept]));
      const problems = entries.flatMap(({ problem }) => problem ?? []);
      assert.deepEqual(
        problems.map(({ kind, line }) => [kind, line]),
        isCut ? [['truncated', whole + 1]] : [],
        `cut at ${length}`,
      );
      assert.ok(entries.length - problems.length >= whole);
    }
  });

  test('any bytes at all: an entry for each line, and no throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 })), async (pieces) => {
        for (const { problem, line } of await entriesOf(streamed(pieces))) {
          assert.ok(problem !== undefined && line > 0);
        }
      }),
    );
  });

  test('a line that has no end is not held in memory', () => {
    // Joined, these would be longer than a string can be; the longest line of this reader is far shorter.
    const lines = new Lines('endless', 1000);
    const piece = 'x'.repeat(2 ** 20);
    for (let count = 0; count < 520; count++) assert.deepEqual(lines.take(piece), []);
    const entries = lines.take(`x\n${textOf([LIFE[5]])}`);
    assert.match(entries[0].problem?.message ?? '', /the line has 545259521 characters/);
    assert.deepEqual(entries[1].record, LIFE[5]);
    assert.deepEqual([entries[1].line, lines.end()], [2, []]);
  });
});

describe('rotated files', () => {
  test('are read in the order of their numbers, then the current one', async (t) => {
    const path = temporaryPath(t);
    const stop = (at: number): string => textOf([{ event: 'StopStart', at }]);
    for (const number of [1, 2, 9, 10, 11]) writeFileSync(`${path}.${number}`, stop(number));
    for (const other of ['.gz', '.01', '.1.gz', '.lock', '.x', '0.1']) writeFileSync(path + other, 'not it');
    writeFileSync(path, stop(99));
    assert.deepEqual(
      (await recordsOf(path)).map(({ at }) => at),
      [1, 2, 9, 10, 11, 99],
    );
    const entries = await entriesOf(path);
    assert.deepEqual([entries[0].file, entries[0].line], [`${path}.1`, 1]);
    assert.deepEqual([entries[5].file, entries[5].line], [path, 1]);
  });

  test('one that is rotated while it is being read is read once, and so is its successor', async (t) => {
    const path = temporaryPath(t);
    const stop = (at: number): string => textOf([{ event: 'StopStart', at }]);
    writeFileSync(`${path}.1`, stop(1));
    writeFileSync(path, stop(2));
    const seen: number[] = [];
    for await (const { record } of readTrace(path)) {
      seen.push(record?.at ?? 0);
      if (seen.length > 1) continue;
      renameSync(path, `${path}.2`);
      writeFileSync(path, stop(3));
      appendFileSync(`${path}.2`, stop(2.5));
    }
    assert.deepEqual(seen, [1, 2, 2.5, 3]);
  });

  test('without a current one are read; without any, the path is named', async (t) => {
    const path = temporaryPath(t);
    const missing = { name: 'TraceFileError', path, message: /does not exist: is the path right/ };
    await assert.rejects(entriesOf(path), missing);
    await assert.rejects(entriesOf(`${path}/none/trace.jsonl`), { name: 'TraceFileError' });
    await assert.rejects(entriesOf(import.meta.dirname), { name: 'TraceFileError', message: /directory/ });
    writeFileSync(`${path}.1`, textOf(LIFE));
    assert.equal((await recordsOf(path)).length, LIFE.length);
  });
});
