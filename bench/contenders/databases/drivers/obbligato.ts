/** Our scheduler on PostgreSQL, as it ships: default options, with its history. */
import { createScheduler, type Registration } from 'obbligato';
import { postgres } from 'obbligato/postgres';
import { nameOf, type Register } from '../driver.ts';

const RETRY_DELAY_MS = 60_000;

export const register: Register = async ({ url, tasks, cron }, call) => {
  const scheduler = createScheduler({ store: postgres(url), timeZone: 'UTC' });
  const list = Array.from(
    { length: tasks },
    (_, index): Registration => [nameOf(index), cron, call, RETRY_DELAY_MS],
  );
  await scheduler.initialize(list);
  return () => scheduler.stop();
};
