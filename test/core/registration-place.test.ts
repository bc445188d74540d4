/** The errors of `initialize` say where the list is wrong and what to write there: as fields, and in the first line of the stack (G1). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createScheduler, memory, minutes, ObbligatoError, task } from '../../src/index.ts';

const work = (): void => {};
const good = ['good', '* * * * *', work, minutes(1)];
const SHAPE = 'Invalid registration shape: expected [string, string, function, Duration]';

async function refusal(list: readonly unknown[]): Promise<ObbligatoError> {
  const scheduler = createScheduler({ store: memory(), logger: false });
  let refused: unknown;
  await scheduler.initialize(list as never).catch((error: unknown) => {
    refused = error;
  });
  assert.ok(refused instanceof ObbligatoError);
  return refused;
}

describe('G1 the first line of a refused list', () => {
  const cases: readonly (readonly [
    what: string,
    entry: unknown,
    place: string,
    message: string,
    wayOut?: string,
  ])[] = [
    [
      'no delay',
      ['late', '* * * * *', work],
      'tasks[1] ("late")',
      SHAPE,
      'the retry delay is missing: a duration, such as minutes(5)',
    ],
    [
      'no callback',
      ['late', '* * * * *', 'work', 5],
      'tasks[1] ("late")',
      SHAPE,
      'the callback is "work", and must be a function, such as () => work() or command("./work.sh")',
    ],
    [
      'no tuple',
      { name: 'plain' },
      'tasks[1] ("plain")',
      SHAPE,
      'this is an object, and must be task({ name, cron, run }) or a tuple of four',
    ],
    [
      'no tuple, and a name that cannot be read',
      {
        get name() {
          throw new Error('mine');
        },
      },
      'tasks[1]',
      SHAPE,
      'this is an object, and must be task({ name, cron, run }) or a tuple of four',
    ],
    [
      'a negative delay',
      ['early', '* * * * *', work, -5],
      'tasks[1] ("early")',
      'Retry delay must be non-negative',
      'it is -5 ms: write 0 or more, such as minutes(5)',
    ],
    [
      'a name twice',
      task({ name: 'good', cron: '* * * * *', run: work }),
      'tasks[1] ("good")',
      'Task with name "good" is already scheduled',
      'tasks[0] has the same name: give each task its own',
    ],
    [
      'no name',
      ['', '* * * * *', work, 5],
      'tasks[1] ("")',
      'Invalid registration at index 1: name must not be empty',
    ],
    [
      'an expression that cron() understands',
      ['often', '*/30 * * * *', work, 5],
      'tasks[1] ("often")',
      'Invalid cron expression "*/30 * * * *": minute field has the step "*/30", and POSIX cron has no steps; write 0,30',
      "cron('*/30 * * * *') takes it as it is",
    ],
    [
      'an expression that nothing understands',
      ['odd', '61 * * * *', work, 5],
      'tasks[1] ("odd")',
      'Invalid cron expression "61 * * * *": minute field has the value 61, which is outside 0-59',
    ],
  ];
  for (const [what, entry, place, message, wayOut] of cases) {
    test(what, async () => {
      const error = await refusal([good, entry]);
      assert.deepEqual(
        { place: error.place, message: error.message, wayOut: error.wayOut },
        { place, message, wayOut },
      );
      assert.equal(error.headline, `${place}: ${message}${wayOut === undefined ? '' : `; ${wayOut}`}`);
      assert.equal(error.stack?.split('\n')[0], `${error.name}: ${error.headline}`);
      assert.match(error.stack ?? '', /\n {4}at .*registration-place\.test\.ts/);
    });
  }

  test('an error of task() says the task, and its message is that of the parser', () => {
    for (const [wrong, message] of [
      [{ cron: '61 * * * *' }, /^Invalid cron expression "61 /],
      [{ timeZone: 'Europe/Stokholm' }, /^Unknown time zone "Europe\/Stokholm": did you mean/],
    ] as const) {
      assert.throws(
        () => task({ name: 'nightly', cron: '0 3 * * *', run: work, ...wrong }),
        (error) => {
          assert.ok(error instanceof ObbligatoError);
          assert.equal(error.place, 'task "nightly"');
          assert.match(error.message, message);
          assert.equal(error.stack?.split('\n')[0], `${error.name}: task "nightly": ${error.message}`);
          return true;
        },
      );
    }
  });

  test('the error that the user’s own code threw stays the cause, untouched', async () => {
    const own = Object.freeze(new Error('mine'));
    const delay = {
      toMillis() {
        throw own;
      },
    };
    const error = await refusal([good, ['odd', '* * * * *', work, delay]]);
    assert.equal(error.cause, own);
    assert.equal(error.headline, `tasks[1] ("odd"): ${SHAPE}; ${error.wayOut}`);
  });
});
