/** The store's thread of those who do not own the file: they look into it, or ask for something. An owner's thread does not load this. */
import { Asker } from './sqlite-asker.ts';
import { changedAfter } from './sqlite-changed-rows.ts';
import { changesIn, type OpenLook, openLook } from './sqlite-changes.ts';
import type { FileOptions } from './sqlite-file.ts';
import type { Held } from './sqlite-held.ts';
import { HistoryReader } from './sqlite-history.ts';
import { Reader } from './sqlite-read.ts';

export function takeToAsk({ path, busyTimeoutMs }: FileOptions): Held {
  const asker = new Asker(path, busyTimeoutMs);
  return { reader: new Reader(asker.db, undefined), asker, close: () => asker.close() };
}

/** It goes on from a former look of the same file. */
export function takeToLook(options: FileOptions, former?: OpenLook): Held {
  const look = openLook(options, former);
  const { db, looked, journal, reader, close } = look;
  return {
    reader,
    history: journal && new HistoryReader(db, options.path),
    looked,
    changedAfter: (after, limit, known) => changedAfter(reader, after, limit, known),
    changes: (since) => changesIn(look, since),
    again: () => takeToLook(options, look),
    close,
  };
}
