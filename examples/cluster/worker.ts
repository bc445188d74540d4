/** One process of a cluster. Start as many as you like on the same database: each due is started by one of them. */
import { createScheduler, seconds } from 'obbligato';
import { postgres } from 'obbligato/postgres';

const { DATABASE_URL = 'postgres://localhost/postgres' } = process.env;
const names = ['invoices', 'mail', 'reports', 'thumbnails'];

const scheduler = createScheduler({ store: postgres(DATABASE_URL, { schema: 'example' }), logger: false });
await scheduler.initialize(
  names.map((name) => [
    name,
    '* * * * *',
    ({ scheduledFor }) => console.log(`pid ${process.pid} does ${name} of ${scheduledFor.toISOString()}`),
    seconds(10),
  ]),
);
console.log(`pid ${process.pid} is ready`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void scheduler.stop());
