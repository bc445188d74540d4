/**
 * What monitoring sees of a schedule: metrics as Prometheus scrapes them, and pings as healthchecks.io gets them; here both go over this machine
 * alone. It shows them once and ends by itself. Run it with `npm run example:telemetry`.
 */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createScheduler, memory, minutes } from 'obbligato';
import { type EventMessage, eventChannel, metrics, pings } from 'obbligato/telemetry';

// Stands in for healthchecks.io.
const checks = createServer((request, response) => {
  console.log(`ping: ${request.url?.split('?')[0]}`);
  response.end('OK');
}).listen(0, '127.0.0.1');
await once(checks, 'listening');

const store = memory();
const ended = new Set<string>();
const bothEnded = Promise.withResolvers<void>();
const measured = metrics({ store });
const told = pings({ tasks: { backup: `http://127.0.0.1:${portOf(checks)}/5f1b0c9e` } });
const scheduler = createScheduler({
  store,
  logger: false,
  onEvent(event) {
    measured.onEvent(event);
    told.onEvent(event);
    if (event.type === 'TaskRunCompleted' || event.type === 'TaskRunFailed') ended.add(event.task);
    if (ended.size === 2) bothEnded.resolve();
  },
});

// Whoever knows nothing of this program's scheduler can still hear it.
subscribe(eventChannel('TaskRunFailed'), (message) => {
  const { task, error } = message as Extract<EventMessage, { type: 'TaskRunFailed' }>;
  console.log(`channel: ${task} failed: ${error}`);
});

const page = createServer((request, response) => void measured.handler(request, response)).listen(
  0,
  '127.0.0.1',
);
await once(page, 'listening');

// Both are due in the current minute, so they start at once.
await scheduler.initialize([
  ['backup', '* * * * *', () => {}, minutes(5)],
  ['report', '* * * * *', () => Promise.reject(new Error('no paper')), minutes(5)],
]);
await bothEnded.promise;
await scheduler.stop();
await told.flush();

const scraped = await (await fetch(`http://127.0.0.1:${portOf(page)}/metrics`)).text();
console.log(scraped.match(/^obbligato_(runs_total|tasks_failing|task_overdue_seconds).*$/gm)?.join('\n'));

measured.close();
told.close();
for (const server of [checks, page]) {
  server.closeAllConnections();
  server.close();
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
