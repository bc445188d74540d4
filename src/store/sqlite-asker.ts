/**
 * A connection of those who ask, and do not own the file (I1), on a thread of its own.
 *
 *     queued ──the file is free: all that are queued, in one transaction──▶ durable ──an answer is in its row──▶ answered
 *       └──it is not free for too long──▶ failed
 *
 * Under load the owner writes one batch after the other, and leaves the file free for some milliseconds between two of them. SQLite itself
 * would try each tenth of a second, and miss most of these. So it is tried every other millisecond, and who waits does so in one queue.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ControlAnswer, ControlRequest } from '../core/control.ts';
import { StoreFailedError } from './errors.ts';
import { isBusy } from './failure.ts';
import { loadSqlite, rollBack } from './sqlite-load.ts';
import { type LookedAt, lockStateOf, missingAt } from './sqlite-look.ts';
import { fileStatusOf } from './sqlite-place.ts';
import { MIGRATIONS, versionOf } from './sqlite-schema.ts';

const RETRY_MS = 2;

interface Queued {
  readonly request: ControlRequest;
  readonly until: number;
  durable(owner: LookedAt['owner']): void;
  failed(error: unknown): void;
}

export class Asker {
  readonly db: DatabaseSync;
  readonly #path: string;
  readonly #patienceMs: number;
  #queue: Queued[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, patienceMs: number) {
    this.#path = path;
    this.#patienceMs = patienceMs;
    if (fileStatusOf(path) === undefined) throw missingAt(path);
    const { DatabaseSync } = loadSqlite();
    this.db = new DatabaseSync(path, { timeout: patienceMs });
    try {
      if (versionOf(this.db, path) < MIGRATIONS.length)
        throw new StoreFailedError({
          path,
          reason:
            'it is of an older version: requests can be made once a scheduler of this version has run on it',
        });
      this.db.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0');
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** Says that a request is durable, and whether somebody owns the file; or why not. */
  ask(request: ControlRequest, durable: Queued['durable'], failed: Queued['failed']): void {
    this.#queue.push({ request, until: performance.now() + this.#patienceMs, durable, failed });
    this.#timer ??= setTimeout(() => this.#attempt(), 0);
  }

  #attempt(): void {
    this.#timer = undefined;
    const queue = this.#queue;
    try {
      this.db.exec('BEGIN IMMEDIATE');
    } catch (error) {
      this.#retry(error);
      return;
    }
    this.#queue = [];
    try {
      const insert = this.db.prepare(
        'INSERT INTO request (id, kind, task, details, asked_at) VALUES (?, ?, ?, ?, ?)',
      );
      for (const { request } of queue) {
        const { id, kind, task, askedAt, catchUp } = request;
        insert.run(id, kind, JSON.stringify(task), catchUp ? 'catch up' : '', askedAt);
      }
      this.db.exec('COMMIT');
    } catch (error) {
      rollBack(this.db);
      for (const { failed } of queue) failed(error);
      return;
    }
    const owner = lockStateOf(`${this.db.location() ?? this.#path}.lock`);
    for (const { durable } of queue) durable(owner);
  }

  /** Another program is writing, or something is wrong. */
  #retry(error: unknown): void {
    const now = performance.now();
    const isOver = ({ until }: Queued): boolean => !isBusy(error) || until <= now;
    for (const { failed } of this.#queue.filter(isOver)) failed(error);
    this.#queue = this.#queue.filter((queued) => !isOver(queued));
    if (this.#queue.length > 0) this.#timer = setTimeout(() => this.#attempt(), RETRY_MS);
  }

  /** Undefined while a request waits, and while the file cannot be read for an instant. */
  answerTo(id: string): ControlAnswer | undefined {
    try {
      const row = this.db.prepare('SELECT answer, answered_at FROM request WHERE id = ?').get(id);
      if (row === undefined || row.answer === null) return undefined;
      const { state, text } = JSON.parse(String(row.answer));
      return { id, at: Number(row.answered_at), state, text };
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.db.close();
  }
}
