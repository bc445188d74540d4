/** The waits of all other tests: what they answer, and what they say when nothing comes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bounded, Conditions, PATIENCE_MS, Words } from './patience.ts';

describe('a wait', () => {
  test('that never ends says what was awaited, and what was seen', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const waiting = bounded('a train', new Promise(() => {}), () => 'an empty platform');
    t.mock.timers.tick(PATIENCE_MS - 1);
    t.mock.timers.tick(1);
    await assert.rejects(waiting, /^Error: waited \d+ s for a train\nan empty platform$/);
  });

  test('for a condition ends when it holds, and gives up when it cannot hold any more', async () => {
    const conditions = new Conditions();
    let count = 0;
    const three = conditions.find('three', () => (count === 3 ? 'three' : undefined));
    const never = conditions.find('minus one', () => {
      if (count > 3) throw new Error('too late');
      return undefined;
    });
    while (count < 4) {
      count++;
      conditions.happened();
    }
    assert.equal(await three, 'three');
    await assert.rejects(never, /^Error: too late$/);
  });

  test('for words that come in pieces is answered with all of them; without them, at the end of the program', async () => {
    const words = new Words(() => ' (and an error)');
    const whole = words.says(/hello/);
    const never = words.says(/good night/);
    for (const piece of ['hel', 'lo ', 'there']) words.hear(piece);
    words.over();
    assert.equal(await whole, 'hello ');
    await assert.rejects(never, /^Error: it ended without \/good night\/: hello there \(and an error\)$/);
  });
});
