/**
 * How who looks again and again learns what has changed, without reading every row. There is no list of changes, but nearly all changes are starts
 * and ends, and those are entries of the journal with numbers that only grow. Every other change of rows renews the *row mark*, in the same
 * transaction. So between two looks with the same row mark, the tasks that have changed are those that the entries in between speak of.
 *
 * - An owner of another version may not renew it. The mark begins with the token of the owner who wrote it, and holds only while that one is the latest.
 * - Entries may be pruned once they are folded. `idsAfter` in `sqlite-changes.ts` answers only for those that cannot be.
 * - Folding writes rows and changes no record: a row and what the journal says of it are together the record.
 * - Another program that writes to the file renews nothing. It should not write; `sqlite-again.ts` reads every row now and then all the same.
 */
import type { DatabaseSync } from 'node:sqlite';

/** To be called in the transaction that writes rows. */
export function renewRowMark(db: DatabaseSync): void {
  db.prepare("INSERT OR REPLACE INTO fact SELECT 'row mark', token || ? FROM owner").run(crypto.randomUUID());
}

/** Undefined if there is none that holds. */
export function rowMarkIn(db: DatabaseSync): string | undefined {
  const sql =
    "SELECT value FROM fact, owner WHERE name = 'row mark' AND substr(value, 1, length(token)) = token";
  try {
    const mark = db.prepare(sql).get()?.value;
    return mark === undefined ? undefined : String(mark);
  } catch {
    return undefined; // a file of an older version lacks a table
  }
}

/** Writes the zone in which the scheduler reads expressions (B2), another fact. To be called in the transaction of an `initialize`. */
export function writeTimeZone(db: DatabaseSync, timeZone: string): void {
  db.prepare("INSERT OR REPLACE INTO fact VALUES ('time zone', ?)").run(timeZone);
}

/** Undefined if no scheduler has written it yet. */
export function timeZoneIn(db: DatabaseSync): string | undefined {
  const found = db.prepare("SELECT value FROM fact WHERE name = 'time zone'").get()?.value;
  return found === undefined ? undefined : String(found);
}
