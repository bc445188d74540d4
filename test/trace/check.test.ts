/** What is a record, and what is said of what is none. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkRecord } from '../../src/trace/check.ts';
import { anyRecord } from './kit.ts';

const refusalOf = (value: unknown): string => {
  const checked = checkRecord(value);
  return 'event' in checked ? 'none' : `${checked.kind}: ${checked.message}`;
};

/** Every event with all its fields; those after the bar may be missing in a foreign trace. */
const FIELDS: Readonly<Record<string, string>> = {
  InitStart: 'registrations timeZone | call workers instance',
  InitSuccess: '| call instance',
  InitFailure: 'valid | call error fault',
  StopStart: '| call',
  StopEnd: '| call error',
  RunStart: 'task | runId instance',
  RunSuccess: 'task | runId instance',
  RunFailure: 'task | runId instance',
  StartDurable: 'task | runId instance',
  EndDurable: 'task | runId instance',
  UnexpectedShutdown: '| instance',
  Frozen: 'from to | task',
  Compute: 'from to units |',
  ClockStep: 'from to |',
  StoreTrouble: 'from to | error',
};
const GOOD: Readonly<Record<string, unknown>> = {
  registrations: [{ name: 'a', cron: '* * * * *', retryDelayMs: 0 }],
  valid: false,
  fault: 'store',
  call: 1,
  workers: 2,
  from: -5,
  to: 0.5,
  units: 0,
};
const goodValue = (field: string): unknown => GOOD[field] ?? 'text';
const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '');

for (const [event, fields] of Object.entries(FIELDS)) {
  const [required, optional] = fields.split('|').map(wordsOf);
  const record = (names: readonly string[]): Record<string, unknown> => ({
    event,
    at: 1,
    ...Object.fromEntries(names.map((name) => [name, goodValue(name)])),
  });
  const full = record([...required, ...optional]);

  test(`${event}: the fields it must have, and those it may`, () => {
    assert.equal(refusalOf(full), 'none');
    assert.equal(refusalOf(record(required)), 'none');
    for (const field of ['at', ...required]) {
      const { [field]: _, ...rest } = full;
      assert.equal(refusalOf(rest), `field: ${event}: the field "${field}" is missing`);
    }
    for (const field of ['at', ...required, ...optional]) {
      for (const value of [null, {}, Number.NaN]) {
        assert.match(
          refusalOf({ ...full, [field]: value }),
          new RegExp(`^field: .*"${field}" must be .*it is`),
        );
      }
    }
  });
}

describe('what is no record', () => {
  test('a value that is no object, or names no event', () => {
    assert.equal(refusalOf(null), 'event: a record is an object, and this is null');
    assert.equal(refusalOf([]), 'event: a record is an object, and this is an array');
    assert.equal(refusalOf('x\ny'), 'event: a record is an object, and this is "xU+000Ay"');
    assert.equal(refusalOf({ at: 1 }), 'event: the field "event" is missing');
    assert.equal(refusalOf({ at: 1, event: 'Due' }), 'event: there is no event "Due"');
    assert.equal(refusalOf({ at: 1, event: 5 }), 'event: there is no event 5');
    assert.equal(refusalOf({ at: 1, event: 'toString' }), 'event: there is no event "toString"');
  });

  test('an instant beyond the end of time', () => {
    for (const at of [1e15, -1e15, 8.64e15, -8.64e15, 1e300, Number.POSITIVE_INFINITY]) {
      assert.match(
        refusalOf({ event: 'StopStart', at }),
        /"at" must be an instant in milliseconds, and it is/,
      );
    }
    assert.equal(refusalOf({ event: 'StopStart', at: 1e15 - 1 }), 'none');
    assert.equal(refusalOf({ event: 'StopStart', at: 1 - 1e15 }), 'none');
  });

  test('a registration is named by its place', () => {
    const good = { name: 'a', cron: '* * * * *', retryDelayMs: 0 };
    const init = (registration: unknown): unknown => ({
      event: 'InitStart',
      at: 1,
      timeZone: 'UTC',
      registrations: [good, registration],
    });
    assert.equal(refusalOf(init(5)), 'field: InitStart: registrations[1] must be an object, and it is 5');
    for (const field of Object.keys(good)) {
      assert.equal(
        refusalOf(init({ ...good, [field]: undefined })),
        `field: InitStart: the field "registrations[1].${field}" is missing`,
      );
    }
    assert.match(refusalOf(init({ ...good, retryDelayMs: 'soon' })), /must be a number, and it is "soon"/);
    // A list that a scheduler has to refuse (G2) is recorded as it was given.
    for (const retryDelayMs of [-1, 1.5]) {
      const record = init({ ...good, retryDelayMs });
      assert.equal(checkRecord(record), record);
    }
  });

  test('whatever is asked, the answer is the value itself or a refusal on one line', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), anyRecord), (value) => {
        const checked = checkRecord(value);
        if (checked !== value) assert.match(refusalOf(value), /^(event|field): [^\n]+$/);
      }),
    );
  });

  test('what is written is a record, and answered as it came', () => {
    fc.assert(fc.property(anyRecord, (record) => checkRecord(record) === record));
  });
});
