/** A real Redis, if this machine has one. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { bounded } from '../../test/patience.ts';

import type { HostWord } from './redis-host.ts';

export interface RedisServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** What a machine without it has to do. */
export const NO_REDIS =
  'no redis-server or valkey-server on this machine (Debian: apt-get install redis-server)';

/** The path of the server's program; undefined if there is none. */
export function redisProgram(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = ['redis-server', 'valkey-server'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts a server with these settings, as name, value, name, value. It stops with `stop`, or when this process ends, in whatever way. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const program = redisProgram();
  if (program === undefined) throw new Error(NO_REDIS);
  const file = join(import.meta.dirname, 'redis-host.ts');
  const host = spawn(process.execPath, [file, program, ...settings], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
  const first = String((await bounded('a Redis server', lines.next())).value ?? '');
  const ready: HostWord = `ready ${Number(first.slice('ready '.length))}`;
  if (first !== ready) throw new Error(`no Redis: ${first}`);
  return {
    port: Number(first.slice('ready '.length)),
    async stop() {
      const ended = new Promise((resolve) => host.once('exit', resolve));
      host.stdin.end();
      await bounded('the end of Redis', ended);
    },
  };
}
