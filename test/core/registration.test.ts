/** D3, G2: the check of a list, as a function. The whole order is in `test/scheduler/registration-order.test.ts`. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRegistrations } from '../../src/core/registration.ts';
import { CronExpressionInvalidError, ObbligatoError } from '../../src/errors.ts';
import { checkTasks, minutes } from '../../src/index.ts';
import { fc } from '../property.ts';

const callback = (): void => {};

describe('D3 checking a list', () => {
  test('D3 a good list comes out as it went in, one schedule an expression', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 });
    const cron = fc.constantFrom('* * * * *', '0 12 * * *', '5 4 * * 0');
    const tuple = fc.tuple(name, cron, fc.constant(callback), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.uniqueArray(tuple, { selector: ([first]) => first }), (list) => {
        const checked = checkRegistrations(list);
        assert.deepEqual(
          checked.map((registration) => [
            registration.name,
            registration.cron,
            registration.callback,
            registration.retryDelayMs,
          ]),
          list,
        );
        const schedules = new Map<string, unknown>();
        for (const { cron: expression, schedule } of checked) {
          assert.equal(schedules.get(expression) ?? schedule, schedule);
          schedules.set(expression, schedule);
        }
      }),
    );
  });

  test('D3 anything at all in an array is taken or refused with an error of ours', () => {
    const part = fc.oneof(fc.anything(), fc.constantFrom('a', '* * * * *', callback, 0, -1, 1.5, Number.NaN));
    const list = fc.array(fc.oneof(fc.anything(), fc.tuple(part, part, part, part)));
    fc.assert(
      fc.property(list, (value) => {
        try {
          assert.equal(checkRegistrations(value).length, value.length);
        } catch (error) {
          assert.ok(error instanceof ObbligatoError);
        }
      }),
    );
  });

  test('D3 the list itself is left alone', () => {
    const list = Object.freeze([Object.freeze(['a', '* * * * *', callback, 0])]);
    assert.equal(checkRegistrations(list).length, 1);
  });

  test('G2 any name that is well-formed and not empty is legal, and no other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (head, tail) => {
        const name = `${head}x${tail}`;
        assert.equal(checkRegistrations([[name, '* * * * *', callback, 0]])[0].name, name);
        for (const lone of ['\ud800', '\udfff']) {
          assert.throws(() => checkRegistrations([[`${name} ${lone} ${tail}`, '* * * * *', callback, 0]]), {
            name: 'InvalidRegistrationError',
            field: 'name',
          });
        }
      }),
    );
  });

  test('D3 checkTasks is the same check for users, and starts nothing', () => {
    const list: unknown = [['a', '0 6 * * *', callback, minutes(1)]];
    checkTasks(list);
    assert.equal(list.length, 1);
    assert.throws(() => checkTasks([['a', '0 6 * *', callback, 0]]), { name: 'CronExpressionInvalidError' });
  });

  test('G1 the details of a refused expression have all of it', () => {
    const expression = `${Array.from({ length: 60 }, (_, minute) => minute).join(',')} 24 * * *`;
    assert.throws(
      () => checkTasks([['a', expression, callback, 0]]),
      (error) => {
        assert.ok(error instanceof CronExpressionInvalidError);
        assert.equal(error.expression, expression);
        assert.equal(error.details.expression, expression);
        return true;
      },
    );
  });
});
