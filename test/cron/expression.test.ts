import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCron } from '../../src/cron/index.ts';

/** As somebody would call it whom no compiler warns. */
const parseWith = (options: unknown): unknown => Reflect.apply(parseCron, undefined, ['0 6 * * *', options]);

describe('the options of parseCron', () => {
  test('B2 what is no object is refused, with what to write: a zone as a string, null', () => {
    for (const [options, kind] of [
      ['Europe/Stockholm', '"Europe/Stockholm"'],
      [null, 'null'],
      [5, '5'],
    ] as const) {
      assert.throws(() => parseWith(options), {
        name: 'TypeError',
        message: `The options are an object such as { timeZone: "Europe/Stockholm" }; got ${kind}`,
      });
    }
  });

  test('B2 an option that does not exist is refused, not passed over: timezone, as croner spells it', () => {
    for (const key of ['timezone', 'tz', 'zone', '0']) {
      assert.throws(() => parseWith({ [key]: 'Europe/Stockholm' }), {
        name: 'TypeError',
        message: `There is no option "${key}"; write { timeZone: "Europe/Stockholm" }`,
      });
    }
    assert.throws(() => parseWith({ 'a\nb': 1 }), { name: 'TypeError', message: /"aU\+000Ab"/ });
  });

  test('B2 a zone that is no string is refused; one that is undefined means the host’s', () => {
    for (const timeZone of [null, 5, ['UTC']]) {
      assert.throws(() => parseWith({ timeZone }), { name: 'TypeError', message: /IANA name such as/ });
    }
    assert.equal(parseCron('0 6 * * *', { timeZone: undefined }).timeZone, parseCron('0 6 * * *').timeZone);
    assert.equal(parseCron('0 6 * * *', {}).timeZone, parseCron('0 6 * * *').timeZone);
  });

  test('B2 the zone keeps the name that was given, its letter case mended', () => {
    assert.equal(parseCron('0 6 * * *', { timeZone: 'europe/berlin' }).timeZone, 'Europe/Berlin');
    assert.equal(parseCron('0 6 * * *', { timeZone: 'Asia/Kolkata' }).timeZone, 'Asia/Kolkata');
  });
});

describe('occurrences', () => {
  const cron = parseCron('0 6 * * *', { timeZone: 'UTC' });

  test('looks at its argument when it is called, not when it is iterated', () => {
    assert.throws(() => cron.occurrences(new Date(Number.NaN)), { name: 'RangeError' });
    assert.throws(() => Reflect.apply(cron.occurrences, cron, [5]), { name: 'TypeError' });
  });

  test('a Date that is changed later changes nothing', () => {
    const after = new Date('2026-06-01T12:00:00Z');
    const due = cron.occurrences(after);
    after.setUTCFullYear(2030);
    assert.deepEqual(due.next().value, new Date('2026-06-02T06:00:00Z'));
  });
});
