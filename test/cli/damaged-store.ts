/** Real stores with really damaged records, for the commands that mend and forget. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { sqlite, type TaskRecord } from '../../src/index.ts';
import { temporaryFolder } from '../store/kit.ts';

/** A store with these records, and then these statements done to it by somebody who should not have. */
export async function storeWith(
  t: TestContext,
  records: readonly TaskRecord[],
  ...damage: string[]
): Promise<{ folder: string; path: string }> {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'obbligato.db');
  const session = await sqlite(path).open({ waitMs: 0 });
  await session.commit({ puts: records });
  await session.close();
  const db = new DatabaseSync(path);
  for (const statement of damage) db.exec(statement);
  db.close();
  return { folder, path };
}

/** Six records, of which only the last stays healthy under all of `DAMAGE`. */
export const NAMES = ['cursor', 'work', 'run', 'spelt', 'nameless', 'healthy'];

export const DAMAGED_WORK = `UPDATE task SET work_key = '', work_attempt = -1 WHERE name = '"work"'`;

export const DAMAGE = [
  `UPDATE task SET served_through = 9007199254740993, last_success_at = 8640000000000001 WHERE name = '"cursor"'`,
  DAMAGED_WORK,
  `UPDATE task SET work_key = NULL, work_attempt = NULL, work_scheduled_for = NULL WHERE name = '"run"'`,
  `UPDATE task SET name = 'spelt' WHERE name = '"spelt"'`,
  `UPDATE task SET name = '""' WHERE name = '"nameless"'`,
];

export const backups = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.includes('.backup-'));
