/** The errors of `initialize` carry where the list is wrong and what to write there, as the last of their causes (G1). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createScheduler, memory, minutes, ObbligatoError, task } from '../../src/index.ts';

const work = (): void => {};
const good = ['good', '* * * * *', work, minutes(1)];

/** The messages of an error and its causes, the error's own first. */
function messagesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];
}

async function refusal(list: readonly unknown[]): Promise<string[]> {
  const scheduler = createScheduler({ store: memory(), logger: false });
  let refused: unknown;
  await scheduler.initialize(list as never).catch((error: unknown) => {
    refused = error;
  });
  assert.ok(refused instanceof ObbligatoError);
  return messagesOf(refused);
}

describe('G1 the last cause of a refused list', () => {
  const cases: readonly (readonly [what: string, entry: unknown, message: string, place: string])[] = [
    [
      'no delay',
      ['late', '* * * * *', work],
      'Invalid registration shape: expected [string, string, function, Duration]',
      'tasks[1] ("late"): the retry delay is missing: a duration, such as minutes(5)',
    ],
    [
      'no callback',
      ['late', '* * * * *', 'work', 5],
      'Invalid registration shape: expected [string, string, function, Duration]',
      'tasks[1] ("late"): the callback is "work", and must be a function, such as () => work() or command("./work.sh")',
    ],
    [
      'no tuple',
      { name: 'plain' },
      'Invalid registration shape: expected [string, string, function, Duration]',
      'tasks[1] ("plain"): this is an object, and must be task({ name, cron, run }) or a tuple of four',
    ],
    [
      'a negative delay',
      ['early', '* * * * *', work, -5],
      'Retry delay must be non-negative',
      'tasks[1] ("early"): the retry delay is -5 ms, and must be 0 or more, such as minutes(5)',
    ],
    [
      'a name twice',
      task({ name: 'good', cron: '* * * * *', run: work }),
      'Task with name "good" is already scheduled',
      'tasks[1] ("good"): tasks[0] has the same name: give each task its own',
    ],
    [
      'no name',
      ['', '* * * * *', work, 5],
      'Invalid registration at index 1: name must not be empty',
      'tasks[1] (""): the name must not be empty',
    ],
  ];
  for (const [what, entry, message, place] of cases) {
    test(what, async () => {
      const messages = await refusal([good, entry]);
      assert.equal(messages[0], message);
      assert.equal(messages.at(-1), place);
    });
  }

  test('an expression that is none: under the errors of the parser, with what to write instead', async () => {
    const messages = await refusal([good, ['often', '*/5 * * * *', work, 5]]);
    assert.ok(messages.length > 2);
    assert.match(messages[0], /^Invalid cron expression "\*\/5 \* \* \* \*": minute field .*0,5,10,15,20,25/);
    const [, reason] = messages[0].split(/": (?=minute)/);
    assert.equal(
      messages.at(-1),
      `tasks[1] ("often"): the cron expression "*/5 * * * *": ${reason}, or cron('*/5 * * * *')`,
    );
  });

  test('what the user’s own code threw stays the last one, untouched', async () => {
    const own = Object.freeze(new Error('mine'));
    const delay = {
      toMillis() {
        throw own;
      },
    };
    assert.equal((await refusal([good, ['odd', '* * * * *', work, delay]])).at(-1), 'mine');
    assert.equal(own.cause, undefined);
  });
});
