/** A standby of a running PostgreSQL: a copy of its files that follows it. */
import { appendFileSync, chmodSync, cpSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { give } from '../../unprivileged.ts';

/** Copies the files of a server as a backup does, next to them, and leaves them so that a server on them follows it. */
export async function copyAsStandby(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const shown = await client.query(`SELECT current_setting('data_directory') AS folder`);
    const { folder } = shown.rows[0];
    const copy = `${folder}-standby`;
    await client.query(`SELECT pg_backup_start('standby', true)`);
    copyFiles(folder, copy);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(join(copy, 'backup_label'), rows[0].labelfile);
    writeFileSync(join(copy, 'standby.signal'), '');
    const { hostname, port, username, password } = new URL(url);
    const primary = `host=${hostname} port=${port} user=${username} password=${password}`;
    appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
    // The server of a root user runs as another one.
    const original = statSync(folder);
    give(copy, original);
    chmodSync(copy, original.mode & 0o777);
  } finally {
    await client.end();
  }
}

/** Files that the copy does not need, and that come and go: the write-ahead log is streamed. */
const isNeeded = (path: string): boolean =>
  !/^(postmaster\.pid|pg_internal\.init.*|pgsql_tmp.*)$/.test(basename(path)) &&
  !(basename(dirname(path)) === 'pg_wal' && statSync(path).isFile());

/** A file may vanish while the server runs; then all of it is copied again. */
function copyFiles(folder: string, copy: string): void {
  for (;;) {
    try {
      cpSync(folder, copy, { recursive: true, filter: isNeeded });
      return;
    } catch (error) {
      if (Object(error).code !== 'ENOENT') throw error;
    }
  }
}

/** Resolves once a server takes connections. */
export async function answers(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client(url);
    client.on('error', () => {});
    const isConnected = await client.connect().then(
      () => true,
      () => false,
    );
    if (isConnected) return client.end();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
