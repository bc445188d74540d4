/** A file that was there already: what is written between the last record of one process and the first of the next. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { traceFile } from '../../src/trace/index.ts';
import type { TraceRecord, WrittenRecord } from '../../src/trace/record.ts';
import { fc } from '../property.ts';
import {
  anyRecord,
  entriesOf,
  INIT_START,
  INIT_SUCCESS,
  LIFE,
  linesOf,
  recordsOf,
  recordTo,
  runRecord,
  STOP_END,
  STOP_START,
  temporaryPath,
  textOf,
} from './kit.ts';

/** What opening adds to a file with these records, when the clock shows `now`. */
async function added(
  t: TestContext,
  records: readonly TraceRecord[],
  now: number,
): Promise<readonly TraceRecord[]> {
  const path = temporaryPath(t);
  writeFileSync(path, textOf(records));
  await recordTo(path, [], { now: () => now });
  const after = await recordsOf(path);
  assert.deepEqual(after.slice(0, records.length), records);
  return after.slice(records.length);
}

const died = (at: number, now: number, instance?: string): TraceRecord[] => [
  { event: 'UnexpectedShutdown', at, ...(instance === undefined ? {} : { instance }) },
  { event: 'Frozen', at: now, from: at, to: now },
];

describe('how the last process ended', () => {
  test('cleanly, by a stop: nothing is said', async (t) => {
    assert.deepEqual(await added(t, LIFE, 9000), []);
    assert.deepEqual(await added(t, [], 9000), []);
  });

  test('after every record of a life but the last: it died, and nobody was there until now', async (t) => {
    for (let count = 1; count < LIFE.length; count++) {
      const records = LIFE.slice(0, count);
      const { at } = records[count - 1];
      assert.deepEqual(await added(t, records, 9000), died(at, 9000, count === 1 ? undefined : 'i1'));
    }
  });

  test('what the environment does says nothing either way', async (t) => {
    const weather: TraceRecord[] = [
      { event: 'StoreTrouble', at: 2000, from: 1990, to: 2000, error: 'StoreBusyError' },
      { event: 'ClockStep', at: 2001, from: 2000, to: 2001 },
      { event: 'Frozen', at: 2002, from: 2001, to: 2002 },
      { event: 'Compute', at: 2003, from: 2002, to: 2003, units: 1 },
    ];
    assert.deepEqual(await added(t, [...LIFE, ...weather], 9000), []);
    assert.deepEqual(await added(t, weather, 9000), []);
    assert.deepEqual(await added(t, [...LIFE.slice(0, 2), ...weather], 9000), died(2003, 9000, 'i1'));
  });

  test('a death is told once, however often the file is opened', async (t) => {
    const path = temporaryPath(t);
    writeFileSync(path, textOf(LIFE.slice(0, 3)));
    for (const now of [9000, 9001]) await recordTo(path, [], { now: () => now });
    assert.deepEqual((await recordsOf(path)).slice(3), died(1002, 9000, 'i1'));
  });

  test('an initialization that failed leaves things as they were', async (t) => {
    const failure = (call: number): WrittenRecord[] => [
      { ...INIT_START, at: 2000, call },
      { event: 'InitFailure', at: 2001, call, error: 'StoreLockedError', fault: 'store', valid: true },
    ];
    assert.deepEqual(await added(t, failure(1), 9000), []);
    assert.deepEqual(await added(t, [...failure(1), ...failure(2)], 9000), []);
    assert.deepEqual(await added(t, [...LIFE, ...failure(3), ...failure(4)], 9000), []);
    assert.deepEqual(await added(t, [...LIFE.slice(0, 5), ...failure(3)], 9000), died(2001, 9000, 'i1'));
    assert.deepEqual(await added(t, [...died(1000, 2000), ...failure(1)], 9000), []);
  });

  test('I5 a reload that was cut off is of the instance that there was', async (t) => {
    const reload = { ...INIT_START, at: 1950, call: 2, reload: true };
    assert.deepEqual(await added(t, [...LIFE.slice(0, 3), reload], 9000), died(1950, 9000, 'i1'));
    assert.deepEqual(
      await added(t, [...LIFE.slice(0, 3), { ...reload, reload: false }], 9000),
      died(1950, 9000),
    );
  });

  test('a stop that ends after the next initialize has begun is no clean end', async (t) => {
    const early = { event: 'StopStart' as const, at: 500, call: 1 };
    const init = { ...INIT_START, call: 2 };
    const late = { event: 'StopEnd' as const, at: 1001, call: 1 };
    assert.deepEqual(await added(t, [early, init, late], 9000), died(1001, 9000));
    const second = { ...STOP_START, at: 1001, call: 3 };
    assert.deepEqual(await added(t, [early, init, second, late], 9000), died(1001, 9000));
    const failed: WrittenRecord = {
      event: 'InitFailure',
      at: 1002,
      call: 2,
      error: 'x',
      fault: 'store',
      valid: true,
    };
    assert.deepEqual(await added(t, [early, init, late, failed], 9000), []);
    const again = [
      second,
      { ...late, at: 1002 },
      { ...INIT_SUCCESS, at: 1003, call: 2 },
      { ...STOP_END, at: 1004, call: 3 },
    ];
    assert.deepEqual(await added(t, [early, init, ...again], 9000), []);
  });

  test('the calls of each process are counted anew', async (t) => {
    const long = [
      { ...INIT_START, call: 7 },
      { ...STOP_START, call: 8 },
      { ...STOP_END, call: 8 },
    ];
    const next = [
      { ...INIT_START, at: 3000 },
      { ...STOP_START, at: 3001 },
      { ...STOP_END, at: 3002 },
    ];
    assert.deepEqual(await added(t, [...long, ...next], 9000), []);
    assert.deepEqual(await added(t, [...long, next[0]], 9000), died(3000, 9000));
  });

  test('a clock that shows less than it did is said to have gone back', async (t) => {
    const step = { event: 'ClockStep', at: 700, from: 1950, to: 700 };
    assert.deepEqual(await added(t, LIFE, 700), [step]);
    assert.deepEqual(await added(t, LIFE.slice(0, 3), 700), [
      { event: 'UnexpectedShutdown', at: 1002, instance: 'i1' },
      { ...step, from: 1002 },
    ]);
  });
});

describe('a file cut off', () => {
  test('at any byte, is continued so that all of it can be read', async (t) => {
    const path = temporaryPath(t);
    const bytes = Buffer.from(textOf(LIFE));
    for (let length = 0; length <= bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length));
      const kept = (await entriesOf(path)).flatMap(({ record }) => record ?? []);
      await recordTo(path, [{ ...INIT_START, at: 9000 }], { now: () => 9000 });
      const last = kept.at(-1);
      const between =
        last === undefined || last.event === 'StopEnd'
          ? []
          : died(last.at, 9000, kept.length > 1 ? 'i1' : undefined);
      assert.deepEqual(
        await recordsOf(path),
        [...kept, ...between, { ...INIT_START, at: 9000 }],
        `${length}`,
      );
    }
  });

  test('at any byte, after any records', async (t) => {
    const path = temporaryPath(t);
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { minLength: 1 }), fc.nat(200), async (records, cut) => {
        const bytes = Buffer.from(textOf(records));
        writeFileSync(path, bytes.subarray(0, Math.max(0, bytes.length - cut)));
        const kept = (await entriesOf(path)).flatMap(({ record }) => record ?? []);
        await recordTo(path, LIFE, { now: () => 9000 });
        const after = await recordsOf(path);
        assert.deepEqual(after.slice(0, kept.length), kept);
        assert.deepEqual(after.slice(-LIFE.length), LIFE);
      }),
      { numRuns: 60 },
    );
  });

  test('with zeros at its end, as a machine that lost power leaves it', async (t) => {
    const path = temporaryPath(t);
    writeFileSync(path, `${textOf(LIFE)}${'\0'.repeat(5000)}`);
    await recordTo(path, []);
    assert.deepEqual(await recordsOf(path), LIFE);
  });
});

describe('across rotation', () => {
  test('the last record is found in the last rotated file', async (t) => {
    for (const current of [undefined, '', '{"event":"Ini']) {
      const path = temporaryPath(t);
      writeFileSync(`${path}.9`, textOf(LIFE));
      writeFileSync(`${path}.10`, textOf(LIFE.slice(0, 3)));
      if (current !== undefined) writeFileSync(path, current);
      await recordTo(path, [], { now: () => 9000 });
      assert.deepEqual(await recordsOf(path), [...LIFE, ...LIFE.slice(0, 3), ...died(1002, 9000, 'i1')]);
      assert.equal(linesOf(path).length, 2);
    }
  });

  test('a stop is followed back into the file in which it began', async (t) => {
    const path = temporaryPath(t);
    writeFileSync(`${path}.1`, textOf(LIFE.slice(0, 6)));
    writeFileSync(path, textOf([...Array(2000).fill(runRecord('EndDurable', 1901)), STOP_END]));
    await recordTo(path, []);
    assert.equal((await recordsOf(path)).length, 2007);
  });
});

describe('a file that is not a trace', () => {
  const strangers: ReadonlyArray<readonly [string, RegExp]> = [
    ['Dear diary', /it begins with "Dear diary"/],
    ['Dear diary,\nnothing happened.\n', /its last line is "nothing happened\."/],
    ['{"name":"package"}\n', /its last line is no record: the field "at" is missing/],
    ['{"name":', /it begins with/],
    ['{"level":30,"time":1,"msg":"x"}\n{"level":', /its last line is no record/],
    ['{"event":"click","at":5}\n', /there is no event "click"/],
    ['\0\0\0', /it begins with/],
  ];
  for (const [content, message] of strangers) {
    test(`${JSON.stringify(content)} is refused, and left as it is`, (t) => {
      const path = temporaryPath(t);
      writeFileSync(path, content);
      assert.throws(() => traceFile(path), { name: 'TraceForeignFileError', path, message });
      assert.equal(readFileSync(path, 'utf8'), content);
      assert.deepEqual(readdirSync(dirname(path)), [basename(path)]);
    });
  }

  test('a place where no file can be is named', (t) => {
    const path = temporaryPath(t);
    mkdirSync(path);
    for (const place of [path, `${path}/none/trace.jsonl`, '/dev/null']) {
      assert.throws(() => traceFile(place), { name: 'TraceFileError', path: place });
    }
  });
});

describe('two recorders of one file', () => {
  test('the second is refused, by any name of the file, until the first has closed', async (t) => {
    const path = temporaryPath(t);
    const first = traceFile(path, { watch: false });
    symlinkSync(path, `${path}-link`);
    for (const name of [path, `${path}-link`]) {
      assert.throws(() => traceFile(name), { name: 'TraceLockedError', path: name, waitedMs: 0 });
    }
    first(INIT_START);
    await first.close();
    await recordTo(path, []);
    assert.equal((await recordsOf(path))[0].event, 'InitStart');
  });
});
