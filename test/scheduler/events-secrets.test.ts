/** G5: what belongs to the user stays with the user. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { createWorld, turns } from './world.ts';

const SECRET = 'hunter2';

/** Everything that a world has told, as text; errors with all they carry. */
const textOf = (value: unknown): string =>
  inspect(value, { depth: 20, showHidden: true, maxStringLength: null });

describe('G5 no secret shows', () => {
  test('G5 what callbacks return, and what an error carries beyond its text, is in no event, trace or log line but TaskRunFailed', async () => {
    const lines: string[] = [];
    const log = (line: string): void => {
      lines.push(line);
    };
    const thrown = Object.assign(new Error('the gate is shut'), { password: SECRET });
    const world = createWorld('2026-01-01T12:00:00Z', {
      logger: { debug: log, info: log, warn: log, error: log },
    });
    await world.scheduler.initialize([
      ['returns', '* * * * *', () => SECRET, 0],
      ['resolves', '* * * * *', async () => ({ password: SECRET }), 0],
      ['throws', '* * * * *', () => Promise.reject(thrown), 3_600_000],
    ]);
    await world.clock.advance(60_000);
    await world.scheduler.stop();
    const failures = world.events.filter(({ type }) => type === 'TaskRunFailed');
    const others = world.events.filter(({ type }) => type !== 'TaskRunFailed');
    assert.equal(failures.length, 2);
    for (const failure of failures) {
      assert.equal('error' in failure && failure.error, thrown, 'passed on as it is');
    }
    assert.equal(textOf(others).includes(SECRET), false);
    assert.equal(textOf(world.trace).includes(SECRET), false);
    assert.equal(lines.join('\n').includes(SECRET), false);
    assert.ok(
      lines.some((line) => line.includes('the gate is shut')),
      'H8: the failure itself is heard',
    );
  });

  test('G5 the messages of refusals never hold what a callback or a duration holds; details may', async () => {
    const callback = Object.assign(() => SECRET, { password: SECRET });
    const lists: unknown[] = [
      [['a', '* * * * *', callback, { password: SECRET }]],
      [['a', '* * * * *', { password: SECRET }, 0]],
      [['', '* * * * *', callback, 0]],
      [['a', '* * * * *', callback, { password: SECRET, toMillis: () => 1.5 }]],
      [['a', '* * * * *', callback, { password: SECRET, toMillis: () => -1 }]],
      { password: SECRET },
    ];
    const world = createWorld('2026-01-01T12:00:00Z');
    for (const list of lists) {
      const refusal: unknown = await Reflect.apply(world.scheduler.initialize, undefined, [list]).catch(
        (error: unknown) => error,
      );
      assert.ok(refusal instanceof Error);
      assert.equal(refusal.message.includes(SECRET), false);
      assert.equal(refusal.stack?.includes(SECRET), false);
    }
    assert.equal(textOf(world.trace).includes(SECRET), false);
    await turns();
  });
});
