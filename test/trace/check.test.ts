/** What is a record, and what is said of what is none. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRecord } from '../../src/trace/check.ts';
import { fc } from '../property.ts';
import { anyRecord } from './kit.ts';

const refusalOf = (value: unknown): string => {
  const checked = checkRecord(value);
  return 'event' in checked ? 'none' : `${checked.kind}: ${checked.message}`;
};

/** Every event with all its fields; those after the bar may be missing in a foreign trace. */
const FIELDS: Readonly<Record<string, string>> = {
  InitStart: 'registrations timeZone | call workers instance reload',
  InitSuccess: '| call instance reload epoch came',
  InitFailure: 'valid | call error fault',
  StopStart: '| call',
  StopEnd: '| call error',
  RunStart: 'task | runId instance',
  RunSuccess: 'task | runId instance',
  RunFailure: 'task | runId instance outcome',
  StartDurable: 'task | runId instance',
  EndDurable: 'task | runId instance',
  DueSkipped: 'task dueAt why |',
  RunRequested: 'task | request',
  Paused: 'task | request since',
  Resumed: 'task catchUp | request',
  CancelRequested: 'task | request',
  UnexpectedShutdown: '| instance',
  InstanceGone: 'instance | task runId',
  Frozen: 'from to | task',
  Compute: 'from to units |',
  ClockStep: 'from to |',
  StoreTrouble: 'from to | error',
};
const GOOD: Readonly<Record<string, unknown>> = {
  registrations: [{ name: 'a', cron: '* * * * *', retryDelayMs: 0 }],
  valid: false,
  fault: 'store',
  outcome: 'gave up',
  dueAt: 7,
  since: 6,
  epoch: 3,
  came: [{ at: 1, names: ['a'] }],
  why: 'late',
  catchUp: true,
  reload: true,
  call: 1,
  workers: 2,
  from: -5,
  to: 0.5,
  units: 0,
};
/** Every policy but `days`, of which there are three. */
const POLICY = {
  retry: { max: 3, backoff: 2, maxDelayMs: 60_000 },
  timeZone: 'Europe/Berlin',
  clockChanges: 'once',
  startWithinMs: 1000,
  whileRunning: 'skip',
  jitterMs: 5000,
  timeoutMs: 1000,
  abandonAfterMs: 1000,
  onOverride: 'reset',
  description: 'what it is for',
  meta: { owner: 'x' },
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

  test('H2 H3 H4 H5 H6 H9 H10 a policy is of the kinds that its reader relies on, and a wrong one is named by its place', () => {
    const init = (policy: unknown): unknown => ({
      event: 'InitStart',
      at: 1,
      timeZone: 'UTC',
      registrations: [{ name: 'a', cron: '* * * * *', retryDelayMs: 0, policy }],
    });
    const rules = [{ last: 0 }, { nth: -1, weekday: 5 }, { everyWeeks: 2, from: '2026-01-01' }];
    for (const days of rules) assert.equal(refusalOf(init({ ...POLICY, days })), 'none');
    assert.equal(refusalOf(init({})), 'none');
    const WRONG: Readonly<Record<string, unknown>> = {
      '': 5,
      '.retry': [],
      '.retry.max': { retry: { max: 0 } },
      '.retry.backoff': { retry: { backoff: -1 } },
      '.retry.maxDelayMs': { retry: { maxDelayMs: '1' } },
      '.days': { days: { first: 1 } },
      '.days.last': { days: { last: 0.5 } },
      '.days.nth': { days: { nth: '1', weekday: 1 } },
      '.days.from': { days: { everyWeeks: 2, from: '2026-1-1' } },
      ...Object.fromEntries(
        Object.keys(POLICY)
          .filter((key) => key !== 'meta' && key !== 'retry')
          .map((key) => [`.${key}`, { [key]: null }]),
      ),
    };
    for (const [place, policy] of Object.entries(WRONG)) {
      const said = refusalOf(init(place === '.retry' ? { retry: policy } : policy));
      assert.ok(
        said.startsWith(`field: InitStart: the field "registrations[0].policy${place}" must be`),
        said,
      );
    }
    assert.equal(
      refusalOf(init({ days: { nth: 1 } })),
      'field: InitStart: the field "registrations[0].policy.days.weekday" is missing',
    );
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
