/** A copy of a file in its own folder, made before something is done to it that cannot be taken back. */
import { chmodSync, existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { storeErrorOf } from './failure.ts';
import { loadSqlite } from './sqlite-load.ts';

/** Copies the file, page by page; answers where to. The copy can be read by those who may read the original. */
export async function backUp(db: DatabaseSync, path: string, now: number): Promise<string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const copy = freeName(`${path}.backup-${time}`);
  try {
    await loadSqlite().backup(db, copy);
  } catch (error) {
    throw storeErrorOf(error, copy, 'open');
  }
  chmodSync(copy, statSync(path).mode);
  return copy;
}

function freeName(wanted: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!existsSync(name)) return name;
  }
}
