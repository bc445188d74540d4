/**
 * The hold on a file: its lock, on this thread, and a thread that writes it, which may die and is replaced.
 *
 *                 the thread has died                    a new one has the file
 *     open ──────────────────────────────▶ reopening ───────────────────────────▶ open
 *       │                                   │     ▲ it failed: again, later
 *       │                                   │     └──────┐
 *       ├──another scheduler has the file──▶ lost ◀──────┘ another scheduler has the file
 *       └──close, from any state──▶ closed: the thread first, then the lock
 *
 * Why no second owner gets in while the thread is dead: the lock belongs to the process, and nothing but `close` and the death of the
 * process lets go of it. So callbacks may go on through it, and their ends are written when the new thread has the file (E8).
 *
 * Why a new thread goes on where the dead one was: a commit that was not answered is unknown, as after any failure, and is read back
 * by its sender (E9); everything else is in the file, where the new thread reads it. The new one opens only the same file, and
 * only if it still has the mark of this session (`sqlite-possession.ts`).
 *
 * Why a lost file is noticed: if the lock fails (its file was deleted, say) and another scheduler opens the store, it writes a mark of
 * its own, and the next transaction here finds it. Between commits the file and its lock are looked at now and then, so that a
 * schedule that is due once a day does not hear of it a day later.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { ownerText } from '../text/owner.ts';
import { StoreBusyError, StoreClosedError, StoreLostError, StoreMovedError } from './errors.ts';
import type { OpenOptions } from './port.ts';
import { Channel } from './sqlite-channel.ts';
import { type FileLock, takeFreeLock, takeLock } from './sqlite-lock.ts';
import type { ThreadOptions } from './sqlite-messages.ts';
import { examinePlace, realLocationOf, statusOf } from './sqlite-place.ts';
import { type Mark, mustBeAt, newMark, ownerAt } from './sqlite-possession.ts';
import type { Line } from './sqlite-session.ts';

export interface ConnectionOptions {
  readonly file: Omit<ThreadOptions, 'purpose'>;
  readonly waitMs: number;
  /** Called when trouble is found that nobody has asked about. */
  readonly onTrouble: ((error: Error) => void) | undefined;
  /** Called with open requests of operators. */
  readonly onRequests: OpenOptions['onRequests'];
  /** For tests, which let the thread die. */
  readonly onThread: ((thread: Worker) => void) | undefined;
}

/** How long after a death the file is opened again. It doubles with each death, until a look finds the thread alive. */
const FIRST_BACKOFF_MS = 20;
const LONGEST_BACKOFF_MS = 10_000;
/** How often the file and its lock are looked at. */
const LOOK_MS = 5000;

/** No owner removes the lock file: without a store, it is a sign that one was here. */
const goneText = (path: string): string =>
  `the store at "${path}" was gone, though its .lock was there: it was deleted or moved away. An empty one is in its place, and every task is new`;

type Opened = Awaited<ReturnType<typeof Channel.open>>;

/** How often a file is tried that another program writes. */
const BUSY_MS = 200;

/**
 * Opens a file again and again while another program writes it: a backup, say, at the very instant at which a standby gets the lock. Until
 * then whoever waits for the lock waits for that program, too.
 */
async function whileBusy(open: () => Promise<Opened>, until: number): Promise<Opened> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreBusyError) || performance.now() >= until) throw error;
      await delay(BUSY_MS);
    }
  }
}

export class Connection implements Line {
  readonly #options: ConnectionOptions;
  readonly #location: string;
  readonly #mark: Mark;
  readonly #identity: string;
  readonly #looks: NodeJS.Timeout;
  /** Given if there was a store before, and it is gone. */
  readonly warning: string | undefined;
  #lock: FileLock;
  #channel: Channel | undefined;
  /** Why there is no channel; undefined if it was closed. */
  #trouble: Error | undefined;
  #isMoved = false;
  #isLost = false;
  #backoffMs = 0;
  #reopening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    options: ConnectionOptions,
    location: string,
    mark: Mark,
    lock: FileLock,
    channel: Channel,
    identity: string,
    warning: string | undefined,
  ) {
    this.warning = warning;
    this.#options = options;
    this.#location = location;
    this.#mark = mark;
    this.#lock = lock;
    this.#identity = identity;
    this.#use(channel);
    this.#looks = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  static async open(options: ConnectionOptions): Promise<Connection> {
    const { file, waitMs, onThread } = options;
    const { path } = file;
    const location = realLocationOf(path);
    const status = examinePlace(path);
    // Nothing is put next to a file that is not ours. If there is a lock, it has been ours before.
    if (status !== undefined && status.size > 0 && statusOf(`${location}.lock`) === undefined)
      await whileBusy(() => Channel.open({ ...file, purpose: 'examine' }), performance.now() + waitMs);
    const hadLock = statusOf(`${location}.lock`) !== undefined;
    const lock = await takeLock({ path, location, waitMs });
    try {
      // An owner who was waited for may have made the file meanwhile.
      const warning = hadLock && statusOf(location) === undefined ? goneText(path) : undefined;
      const mark = newMark();
      const opening = (): Promise<Opened> => Channel.open({ ...file, purpose: { mark } }, onThread);
      const { channel, identity = '' } = await whileBusy(opening, performance.now() + waitMs);
      return new Connection(options, location, mark, lock, channel, identity, warning);
    } catch (error) {
      lock.close();
      throw error;
    }
  }

  get channel(): Channel {
    if (this.#channel !== undefined) return this.#channel;
    throw this.#trouble ?? new StoreClosedError({ path: this.#options.file.path });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#looks);
    clearTimeout(this.#timer);
    try {
      await this.#reopening;
      await this.#channel?.close();
    } finally {
      this.#channel = undefined;
      this.#trouble = undefined;
      this.#lock.close();
    }
    mustBeAt(this.#location, this.#identity);
  }

  #use(channel: Channel): void {
    this.#channel = channel;
    channel.onRequests = this.#options.onRequests;
    channel.onDeath = (error) => {
      this.#channel = undefined;
      this.#trouble = error;
      if (this.#closing === undefined) {
        this.#later();
        this.#options.onTrouble?.(error);
      }
    };
  }

  #later(): void {
    this.#backoffMs = Math.min(Math.max(FIRST_BACKOFF_MS, this.#backoffMs * 2), LONGEST_BACKOFF_MS);
    this.#timer = setTimeout(() => {
      this.#reopening = this.#reopen();
    }, this.#backoffMs).unref();
  }

  async #reopen(): Promise<void> {
    const { file, onThread } = this.#options;
    try {
      const purpose = { mark: this.#mark, identity: this.#identity };
      const { channel } = await Channel.open({ ...file, purpose }, onThread);
      this.#use(channel);
    } catch (error) {
      this.#trouble = error instanceof Error ? error : new Error(String(error));
      if (this.#trouble instanceof StoreLostError) this.#lose(this.#trouble);
      else if (this.#closing === undefined) this.#later();
    }
  }

  /** Notices what no commit has met yet. */
  #look(): void {
    try {
      if (!this.#lock.isInPlace) this.#lockAgain();
      mustBeAt(this.#location, this.#identity);
      this.#isMoved = false;
      if (this.#channel !== undefined) this.#backoffMs = 0;
    } catch (error) {
      if (!(error instanceof StoreMovedError) || this.#isMoved) return;
      this.#isMoved = true;
      this.#options.onTrouble?.(error);
    }
  }

  /** The lock file was deleted, and so the lock keeps nobody out. */
  #lockAgain(): void {
    const { path } = this.#options.file;
    const lock = takeFreeLock(this.#location);
    if (lock === undefined) {
      const ownedBy = ownerAt(this.#location);
      // A new owner that has the lock may not have made its mark yet.
      const isKnown = ownedBy !== undefined && ownedBy.since !== this.#mark.since;
      this.#lose(new StoreLostError({ path, ...(isKnown ? { owner: ownerText(ownedBy) } : {}) }));
      return;
    }
    this.#lock.close();
    this.#lock = lock;
  }

  #lose(error: StoreLostError): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearInterval(this.#looks);
    void this.#channel?.close().catch(() => {});
    this.#channel = undefined;
    this.#trouble = error;
    this.#options.onTrouble?.(error);
  }
}
