/**
 * A service with its schedule inside: `npm run example:service`, then look at http://localhost:3000 and /health.
 *
 * SIGTERM, which is how containers and service managers say goodbye, or Ctrl-C: it accepts no more requests, starts no more tasks, lets those that
 * run come to their end, and exits with 0. Give it that time: `stop_grace_period` of Compose, `terminationGracePeriodSeconds` of
 * Kubernetes, `TimeoutStopSec` of systemd. If it is killed all the same, what was cut off starts again with the next process.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createScheduler, seconds, sqlite } from 'obbligato';

const { PORT: port = '3000', STORE: store = 'service.db' } = process.env;
let exchangeRate = 'not known yet';
let trouble: string | undefined;

const scheduler = createScheduler({
  store: sqlite(store),
  // While a new version is being rolled out, the old process may hold the store for a while.
  lockWait: seconds(30),
  onEvent(event) {
    if (event.type === 'StoreTroubleStarted') trouble = 'the store does not answer, starts wait for it';
    if (event.type === 'StoreTroubleEnded') trouble = undefined;
  },
});

/** Five seconds of work that should not be left half done; work that can be, would look at the `signal`. */
async function refresh(): Promise<void> {
  console.log('refresh: begun');
  await sleep(5000);
  exchangeRate = (10 + Math.random()).toFixed(4);
  console.log(`refresh: done, ${exchangeRate}`);
}

const server = createServer((request, response) => {
  const isHealth = request.url === '/health';
  const status = isHealth && trouble !== undefined ? 503 : 200;
  const body = isHealth ? { status: trouble ?? 'ok' } : { exchangeRate };
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
});

async function shutDown(): Promise<void> {
  console.log('stopping: no more requests, no more starts; waiting for what runs');
  server.close(); // requests that are being answered go on
  await scheduler.stop();
  console.log('stopped');
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void shutDown().catch(complain));
}

function complain(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

try {
  await scheduler.initialize([['refresh', '* * * * *', refresh, seconds(10)]]);
  await once(server.listen(Number(port)), 'listening'); // only now: every client that can reach it finds it ready
  const address = server.address();
  console.log(`listening on http://localhost:${typeof address === 'object' ? address?.port : address}`);
} catch (error) {
  complain(error); // the port may be taken, or the store
  await scheduler.stop();
}
