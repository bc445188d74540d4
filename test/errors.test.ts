import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCron } from '../src/cron/index.ts';
import * as root from '../src/index.ts';

/** The error that something throws. */
function thrownBy(action: () => unknown): root.ObbligatoError {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof root.ObbligatoError);
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

/** Names, messages and detail keys are a contract (G1): a change here is a change for users. */
const contract: Readonly<Record<string, readonly [() => unknown, string, readonly string[]]>> = {
  InvalidCronExpressionError: [
    () => parseCron('*/15 * * * *'),
    'Invalid cron expression "*/15 * * * *": minute field has the step "*/15", and POSIX cron has no steps; write 0,15,30,45',
    ['expression', 'field', 'reason', 'cause'],
  ],
  FieldParseError: [
    () => {
      throw thrownBy(() => parseCron('61 * * * *')).cause;
    },
    'minute field has the value 61, which is outside 0-59',
    ['fieldValue', 'fieldName'],
  ],
  CronCalculationError: [
    () => {
      throw thrownBy(() => parseCron('0 0 30 2 *')).cause;
    },
    'Failed to calculate next occurrence: day 30 does not exist in month 2',
    ['expression', 'currentTime', 'cause'],
  ],
  UnknownTimeZoneError: [
    () => parseCron('* * * * *', { timeZone: 'Europe/Stokholm' }),
    'Unknown time zone "Europe/Stokholm": did you mean "Europe/Stockholm"?',
    ['timeZone', 'suggestions'],
  ],
};

describe('G1 errors', () => {
  for (const [name, [action, message, keys]] of Object.entries(contract)) {
    test(`G1 ${name} keeps its name, message and detail keys`, () => {
      const error = thrownBy(action);
      assert.equal(error.name, name);
      assert.equal(error.constructor.name, name);
      assert.equal(error.message, message);
      assert.deepEqual(Object.keys(error.details), keys);
      assert.equal(String(error), `${name}: ${message}`);
    });

    test(`G1 ${name} has its details as fields too, and its cause in both places`, () => {
      const error = thrownBy(action);
      for (const key of keys) assert.equal(Reflect.get(error, key), Reflect.get(error.details, key));
      assert.equal(error.cause, error.details.cause);
    });
  }

  test('G1 every error class of the public door is in the contract', () => {
    const classes = Object.keys(root).filter((name) => name.endsWith('Error') && name !== 'ObbligatoError');
    assert.deepEqual(classes.sort(), Object.keys(contract).sort());
  });

  test('details cannot be changed', () => {
    const { details } = thrownBy(() => parseCron('x'));
    assert.ok(Object.isFrozen(details));
  });
});
