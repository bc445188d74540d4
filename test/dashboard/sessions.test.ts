/** How long a viewer who has shown the token is known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sessions } from '../../src/dashboard/sessions.ts';

test('a session ends after twelve hours on the server too, whatever the browser keeps', () => {
  let now = 1000;
  const sessions = new Sessions(() => now);
  const [cookie] = sessions.open('/', false).split(';');
  now += 12 * 3_600_000 - 1;
  assert.equal(sessions.has(cookie), true);
  now += 1;
  assert.equal(sessions.has(cookie), false);
});
