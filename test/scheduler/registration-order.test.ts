/** D3: each pair of problems, within one registration, over two, and beside an active scheduler: the first in the order wins. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TroubledStore } from './fixtures/troubled-store.ts';
import { createWorld } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const callback = (): void => {};

/** The parts of a registration. */
interface Parts {
  readonly name: unknown;
  readonly cron: unknown;
  readonly callback: unknown;
  readonly delay: unknown;
}
const good: Parts = { name: 'good', cron: '* * * * *', callback, delay: 0 };

/** Every problem that one registration can have, in the order in which they are looked for. */
const problems: ReadonlyArray<{
  readonly what: string;
  readonly rank: number;
  readonly error: string;
  readonly parts: Partial<Parts>;
}> = [
  { what: 'name that is no text', rank: 1, error: 'RegistrationShapeError', parts: { name: 5 } },
  { what: 'cron that is no text', rank: 1, error: 'RegistrationShapeError', parts: { cron: 5 } },
  { what: 'callback that is none', rank: 1, error: 'RegistrationShapeError', parts: { callback: {} } },
  { what: 'delay that is none', rank: 1, error: 'RegistrationShapeError', parts: { delay: '5' } },
  {
    what: 'delay whose conversion throws',
    rank: 1,
    error: 'RegistrationShapeError',
    parts: {
      delay: {
        toMillis() {
          throw new Error('no');
        },
      },
    },
  },
  { what: 'empty name', rank: 2, error: 'InvalidRegistrationError name', parts: { name: '' } },
  { what: 'ill-formed name', rank: 2, error: 'InvalidRegistrationError name', parts: { name: 'a\ud800' } },
  { what: 'duplicate name', rank: 3, error: 'ScheduleDuplicateTaskError', parts: { name: 'taken' } },
  { what: 'wrong cron', rank: 4, error: 'CronExpressionInvalidError', parts: { cron: '@daily' } },
  {
    what: 'cron that is never due',
    rank: 4,
    error: 'CronExpressionInvalidError',
    parts: { cron: '0 0 30 2 *' },
  },
  { what: 'negative delay', rank: 5, error: 'NegativeRetryDelayError', parts: { delay: -1.5 } },
  {
    what: 'fractional delay',
    rank: 6,
    error: 'InvalidRegistrationError retryDelay',
    parts: { delay: 1.5 },
  },
  {
    what: 'unsafe delay',
    rank: 6,
    error: 'InvalidRegistrationError retryDelay',
    parts: { delay: 2 ** 53 },
  },
];

const tupleOf = (parts: Partial<Parts>): unknown[] => Object.values({ ...good, ...parts });
const taken = ['taken', '* * * * *', callback, 0];

/** What `initialize` says of a list; nothing of it may reach the store. */
async function refusalOf(list: unknown): Promise<string> {
  const store = new TroubledStore();
  const { scheduler } = createWorld(NOON, { store });
  const initialized: Promise<void> = Reflect.apply(scheduler.initialize, undefined, [list]);
  const error: unknown = await initialized.then(
    () => 'nothing',
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error, 'it was refused');
  assert.deepEqual(store.calls, []);
  const field: unknown = Reflect.get(error, 'field');
  return error.name === 'InvalidRegistrationError' ? `${error.name} ${String(field)}` : error.name;
}

describe('D3 the order of checks', () => {
  for (const { what, error, parts } of problems) {
    test(`D3 ${what} is refused, at the first index and after others`, async () => {
      assert.equal(await refusalOf([taken, tupleOf(parts)]), error);
      assert.equal(await refusalOf([taken, tupleOf({ name: 'other' }), tupleOf(parts), null]), error);
    });
  }

  for (const first of problems) {
    test(`D3 ${first.what} wins over every problem that is looked for later`, async () => {
      for (const second of problems) {
        const sharesAPart = Object.keys(first.parts).some((part) => part in second.parts);
        if (second.rank <= first.rank || sharesAPart) continue;
        const both = tupleOf({ ...second.parts, ...first.parts });
        assert.equal(await refusalOf([taken, both]), first.error, second.what);
      }
    });

    test(`D3 ${first.what} at an earlier index wins over any problem at a later one`, async () => {
      for (const second of problems) {
        const list = [taken, tupleOf({ name: 'first', ...first.parts }), tupleOf(second.parts)];
        assert.equal(await refusalOf(list), first.error, second.what);
      }
    });
  }

  test('D3 a registration of the wrong length is a shape error, whatever else is wrong with it', async () => {
    for (const tuple of [
      [],
      ['a'],
      ['', '@daily', callback],
      ['', '@daily', callback, -1, 'more'],
      'text',
      {},
    ]) {
      assert.equal(await refusalOf([tuple]), 'RegistrationShapeError');
    }
  });

  test('D3 no array wins over everything but an active scheduler', async () => {
    assert.equal(await refusalOf({ length: 1, 0: tupleOf({ name: '' }) }), 'RegistrationsNotArrayError');
    const { scheduler } = createWorld(NOON);
    await scheduler.initialize([]);
    for (const list of [null, [null], [tupleOf({ name: '' })], [taken, taken], []]) {
      await assert.rejects(Reflect.apply(scheduler.initialize, undefined, [list]), {
        name: 'SchedulerAlreadyActiveError',
        details: { currentState: 'running' },
      });
    }
    await scheduler.stop();
  });

  test('D3 the index and the thing itself are in the details of a shape error', async () => {
    const { scheduler } = createWorld(NOON);
    const received = ['a', '* * * * *', callback];
    await assert.rejects(Reflect.apply(scheduler.initialize, undefined, [[taken, received]]), {
      details: { registrationIndex: 1, received },
    });
  });
});
