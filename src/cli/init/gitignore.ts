/** What of a schedule does not belong into a repository: its store, and what is remembered of programs that run. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { guarded, statusOf, writeWhole } from '../files.ts';

const ENTRIES = ['obbligato.db*', '.obbligato/'];
const COMMENT = '# The state of obbligato';

/** The bytes of a list with the entries that it does not have yet, behind what is there; and which those are. */
export function withEntries(list: Buffer): { readonly list: Buffer; readonly added: readonly string[] } {
  // As one character per byte: whatever the encoding is, nothing of the file is changed.
  const text = list.toString('latin1');
  const lines = new Set(text.split('\n').map((line) => line.trim()));
  const added = ENTRIES.filter((entry) => !lines.has(entry));
  if (added.length === 0) return { list, added };
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' ? '' : text.endsWith('\n') ? end : `${end}${end}`;
  return { list: Buffer.concat([list, Buffer.from([gap + COMMENT, ...added, ''].join(end))]), added };
}

/** Adds the entries to the .gitignore of a folder, and makes one where there is none; answers which were missing. */
export function ignoreState(folder: string): readonly string[] {
  const path = join(folder, '.gitignore');
  let added: readonly string[] = [];
  guarded(path, () => {
    const isThere = statusOf(path) !== undefined;
    const changed = withEntries(isThere ? readFileSync(path) : Buffer.alloc(0));
    added = changed.added;
    if (added.length === 0) return;
    // A link stays one: the file that it leads to is the one that is changed.
    if (isThere) writeWhole(realpathSync(path), changed.list, 'in place', statSync(path).mode & 0o777);
    else writeWhole(path, changed.list, 'new');
  });
  return added;
}
