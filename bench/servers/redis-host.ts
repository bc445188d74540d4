/**
 * A real Redis (or Valkey) for one process. It runs for as long as standard input is open: however that process ends, its end of the pipe
 * closes, and then the server stops and its files go. Says `ready <port>` once it answers.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What it says first. */
export type HostWord = `ready ${number}` | `failed: ${string}`;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const [program = 'redis-server', ...settings] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'obbligato-redis-'));
const port = await freePort();
const given = ['port', String(port), 'bind', '127.0.0.1', 'dir', home, 'save', '', ...settings];
const server = spawn(
  program,
  given.map((word, place) => (place % 2 === 0 ? `--${word}` : word)),
  {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // Ctrl-C reaches the runner alone; the pipe decides here
  },
);
const say = (word: HostWord): boolean => process.stdout.write(`${word}\n`);
let isEnding = false;
server.once('exit', (code) => {
  rmSync(home, { recursive: true, force: true });
  if (!isEnding) say(`failed: ${program} ended with exit code ${code}`);
  process.exit(isEnding ? 0 : 1);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
createInterface({ input: server.stdout }).on('line', (line) => {
  if (/ready to accept connections/i.test(line)) say(`ready ${port}`);
});
process.stdin.resume().once('close', () => {
  isEnding = true;
  server.kill('SIGTERM');
});
