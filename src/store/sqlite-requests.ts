/**
 * Requests of operators in the file (I1), on the store's thread. Everybody who may write the file may ask: a request is a row, durable when it
 * is committed. The owner looks for rows without an answer. It does so only when another program has written the file, which SQLite
 * tells without a scan: `data_version` changes then, and only then.
 *
 *     resting ──the file was written, a batch is done, or a while has passed──▶ a look ──data_version has changed──▶ the open requests are told
 *
 * Why a request does not wait for the end of a load: a store that always has a batch is looked at after each of them. Why an owner at rest
 * costs nothing: the system says when the log is written (`sqlite-log-watch.ts`), and where that cannot be relied on a look is due each second.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ControlAnswer, ControlRequest } from '../core/control.ts';
import { watchLog } from './sqlite-log-watch.ts';

/** How long an answer is kept. */
const KEPT_MS = 7 * 86_400_000;
/** An index has exactly these rows. */
const OPEN = 'SELECT id, kind, task, details, asked_at FROM request WHERE answer IS NULL ORDER BY seq';

/** The requests that are not answered, in their order. */
export const openRequests = (db: DatabaseSync): ControlRequest[] => db.prepare(OPEN).all().flatMap(requestOf);

export interface RequestWatch {
  /** The thread has served something: it may be time for a look. */
  served(): void;
  end(): void;
}

/** Tells of open requests, at first and whenever there may be new ones, until it is ended. */
export function watchRequests(
  db: DatabaseSync,
  isIdle: () => boolean,
  tell: (requests: readonly ControlRequest[]) => void,
): RequestWatch {
  forgetOld(db);
  const version = db.prepare('PRAGMA data_version');
  const open = db.prepare(OPEN);
  let seen: unknown;
  const look = (): void => {
    // In the middle of a batch there is nothing new to see. The end of the batch is served, too.
    if (!isIdle()) return;
    try {
      const now = version.get()?.data_version;
      if (now === seen) return;
      const requests = open.all().flatMap(requestOf);
      seen = now;
      if (requests.length > 0) tell(requests);
    } catch {
      // The next look may work. A file that is in trouble is found out by the commits.
    }
  };
  const end = watchLog(db.location(), look);
  return { served: look, end };
}

function forgetOld(db: DatabaseSync): void {
  try {
    db.prepare('DELETE FROM request WHERE answered_at < ?').run(Date.now() - KEPT_MS);
  } catch {
    // The next opening does it.
  }
}

/** A row that another program has made up is no request. */
function requestOf(row: Record<string, unknown>): ControlRequest[] {
  const { id, kind, task, details, asked_at: askedAt } = row;
  if (kind !== 'run' && kind !== 'pause' && kind !== 'resume' && kind !== 'cancel') return [];
  return [
    { id: String(id), kind, task: textOf(task), askedAt: Number(askedAt), catchUp: details === 'catch up' },
  ];
}

/** Names are JSON texts, as in the table of tasks. */
function textOf(stored: unknown): string {
  try {
    return String(JSON.parse(String(stored)));
  } catch {
    return String(stored);
  }
}

export function writeAnswers(db: DatabaseSync, answers: readonly ControlAnswer[]): void {
  const answer = db.prepare('UPDATE request SET answer = ?, answered_at = ? WHERE id = ?');
  for (const { id, at, state, text } of answers) answer.run(JSON.stringify({ state, text }), at, id);
}
