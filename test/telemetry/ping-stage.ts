/** Pings of a scheduler on the test clock, to a server of its own for each test. The clock begins at 12:00:30. */
import { afterEach, beforeEach } from 'node:test';
import { createScheduler, type Registration, type Task } from '../../src/scheduler/index.ts';
import { type PingOptions, type Pings, type PingTrouble, pings } from '../../src/telemetry/index.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import { PingServer } from './ping-server.ts';

export let server: PingServer;
export let clock: TestClock;
export let troubles: PingTrouble[] = [];
const close: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  server = await PingServer.listen();
  clock = createTestClock('2026-01-01T12:00:30Z');
  troubles = [];
  close.push(() => server.close());
});
afterEach(async () => {
  for (const each of close.splice(0).reverse()) await each();
});

/** Pings, with a scheduler that runs `list` on the test clock. */
export async function running(
  options: PingOptions,
  list: ReadonlyArray<Registration | Task>,
): Promise<Pings> {
  const quick = { retryAfter: [1, 1, 1], onTrouble: (trouble: PingTrouble) => void troubles.push(trouble) };
  const told = pings({ ...quick, ...options });
  const scheduler = createScheduler({
    clock,
    store: clock.store(),
    timeZone: 'UTC',
    logger: false,
    onEvent: told.onEvent,
  });
  await scheduler.initialize(list);
  close.push(() => scheduler.stop());
  close.push(async () => told.close());
  return told;
}

export const secret = (): string => server.url('/5f1b-secret');
