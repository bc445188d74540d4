/**
 * The disk of a PostgreSQL runs full under a running scheduler: a tablespace on a tmpfs of some megabytes, and a file that takes what is
 * left. The write-ahead log of the server is elsewhere, so that the server itself goes on.
 */
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { endure } from '../cluster/endure.ts';
import { TroubleScene } from '../cluster/trouble-scene.ts';
import { type Server, startServer } from '../store/postgres/server.ts';
import { give } from '../unprivileged.ts';
import type { Attack } from './attack.ts';
import { fill } from './disk-full.ts';
import { type Ground, noMounts } from './ground.ts';

export const postgresFull: Attack = {
  name: 'postgres-full',
  what: 'the disk of a PostgreSQL runs full and is made free again: starts wait, trouble is reported, ends are kept',
  unit: 'times',
  short: 1,
  long: 10,
  missing: noMounts,
  async play(ground, count) {
    const server = await startServer();
    let starts = 0;
    try {
      for (let time = 1; time <= count; time++) {
        starts += await fillUp(ground, server, `tight_${time}`);
        ground.advance();
      }
    } finally {
      await server.stop();
    }
    return { violations: [], figures: { starts } };
  },
};

/** A database on a disk of its own, which runs full. Answers how many starts there were. */
async function fillUp(ground: Ground, server: Server, name: string): Promise<number> {
  const disk = ground.mount('-t', 'tmpfs', '-o', 'size=32m', 'tmpfs');
  const filler = join(disk, 'filler');
  await server.pool.query(`CREATE TABLESPACE ${name} LOCATION '${await spaceFor(server, disk)}'`);
  await server.pool.query(`CREATE DATABASE ${name} TABLESPACE ${name}`);
  const url = server.url.replace(/\/postgres$/, `/${name}`);
  const pool = new pg.Pool({ connectionString: url, max: 2 }).on('error', () => {}); // the database is dropped in the end
  const ends: Array<() => unknown> = [];
  try {
    const scene = await TroubleScene.on({ after: (end) => ends.push(end) }, { ...server, url, pool });
    await endure(scene, {
      name: 'a full disk',
      error: /^StoreFullError$/,
      inflict: async () => fill(filler),
      met: ({ proxy }) => proxy.errors('53100'),
      lift: async () => rmSync(filler, { force: true }),
    });
    return scene.starts.length;
  } finally {
    for (const end of ends) await end();
    await pool.end();
    await server.pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.pool.query(`DROP TABLESPACE ${name}`);
  }
}

/** A folder that belongs to the user whom the server runs as. */
async function spaceFor(server: Server, disk: string): Promise<string> {
  const { rows } = await server.pool.query(`SELECT current_setting('data_directory') AS folder`);
  const space = join(disk, 'space');
  mkdirSync(space);
  give(space, statSync(rows[0].folder));
  for (const folder of [disk, dirname(disk)]) chmodSync(folder, 0o755);
  return space;
}
