/** E8: trouble that a store finds by itself, before anything is asked of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISK_ON_FIRE, failsBefore, TroubledStore, through } from './fixtures/troubled-store.ts';
import { createWorld } from './world.ts';

test('E8 trouble that the store has found by itself is over when the store has written something, not when it was read', async () => {
  const store = new TroubledStore();
  const open = store.open.bind(store);
  let tell = (_: Error): void => {};
  store.open = (options) => {
    if (options.onTrouble !== undefined) tell = options.onTrouble;
    return open(options);
  };
  const world = createWorld('2026-01-01T12:00:30Z', { store });
  await world.scheduler.initialize([['a', '0 0 1 1 *', () => {}, 0]]);
  const told = (): string[] =>
    world.events.map(({ type }) => type).filter((type) => type.startsWith('StoreTrouble'));
  store.commits = failsBefore;
  tell(DISK_ON_FIRE);
  await world.clock.advance(60_000);
  assert.deepEqual(told(), ['StoreTroubleStarted']);
  store.commits = through;
  await world.clock.advance(60_000);
  assert.deepEqual(told(), ['StoreTroubleStarted', 'StoreTroubleEnded']);
  await world.scheduler.stop();
});
