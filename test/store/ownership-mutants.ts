/** Faults planted into the hold on a file: its lock, its identity, its mark, and the thread that is replaced when it dies. */
import type { PlantedFault } from '../faults/fault.ts';

const DEATH = 'store/thread-death.test.ts';
const IDENTITY = 'store/identity.test.ts';

export const OWNERSHIP_MUTANTS: readonly PlantedFault[] = [
  {
    name: 'the lock dies with the thread',
    in: 'Connection.#use',
    find: 'this.#options.onTrouble',
    replace: 'this.#lock.close(); this.#options.onTrouble',
    foundBy: [
      DEATH,
      'E6 nobody else gets the file while it is dead, nor when the session is closed before it is replaced',
    ],
  },
  {
    name: 'a dead thread is not replaced',
    in: 'Connection.#use',
    find: 'this.#later(); this.#options.onTrouble',
    replace: 'this.#options.onTrouble',
    foundBy: [DEATH, 'D7 stop resolves though the thread is dead, since everything was durable'],
  },
  {
    name: 'the death of an idle thread is passed over',
    in: 'Channel.constructor',
    find: "'broken'",
    replace: "'broken' && this.#users > 0",
    foundBy: [DEATH, 'E8 the death is noticed though nothing is asked, again and again'],
  },
  {
    name: 'a new thread is thought to know the names that were sent to the dead one',
    in: 'SqliteSession.#newNames',
    find: 'const lists = this.#lists.get(channel) ?? new WeakMap(); this.#lists.set(channel, lists);',
    replace:
      'const first = Reflect.get(this, "first") ?? channel; Reflect.set(this, "first", first); const lists = this.#lists.get(first) ?? new WeakMap(); this.#lists.set(first, lists);',
    foundBy: [DEATH, 'E8 the next thread knows the names of runs that were begun before'],
  },
  {
    name: 'the lock is let go before the store is closed',
    in: 'Connection.#close',
    find: 'await this.#channel?.close()',
    replace: 'void this.#channel?.close()',
    foundBy: ['store/ownership.test.ts', 'E6 when close resolves, nothing of the file is open'],
  },
  {
    name: 'a commit into a file that is gone is answered',
    in: 'Possession.mustBeInPlace',
    find: 'mustBeAt(this.#path, this.identity);',
    foundBy: [IDENTITY, 'A4 a file that is deleted takes no commit'],
  },
  {
    name: 'a file is known by its path',
    in: 'identityOf',
    find: 'return status === undefined ? undefined :',
    replace: "return status === undefined ? undefined : 'there' ||",
    foundBy: [IDENTITY, 'A4 a file that is replaced by a copy takes no commit, until it is back'],
  },
  {
    name: 'what was written into a file that is gone is read back from there',
    in: 'answerTo',
    find: 'held.possession?.mustBeInPlace();',
    foundBy: [IDENTITY, 'A4 a file that is moved away takes no commit, until it is back'],
  },
  {
    name: 'a close says that all is well with a file that is gone',
    in: 'Connection.#close',
    find: 'mustBeAt(this.#location, this.#identity);',
    foundBy: [IDENTITY, 'D7 stop rejects though nothing was left to write, if the file is gone'],
  },
  {
    name: 'a log that was replaced is passed over',
    in: 'Possession.mustBeInPlace',
    find: 'this.#log.mustBeInPlace();',
    foundBy: [
      IDENTITY,
      'A4 a file whose log is replaced by a copy takes no commit, and nothing is read back from there',
    ],
  },
  {
    name: 'a log that was emptied is passed over',
    in: 'isLog',
    find: '=== LOG_MAGIC',
    replace: '!== 1',
    foundBy: [
      IDENTITY,
      'A4 a file whose log is emptied takes no commit, and nothing is read back from there',
    ],
  },
  {
    name: 'who looks from outside does not ask whether the owner has this file',
    in: 'lookAt',
    find: "if (owner === 'held') mustBeHeld(opened, path);",
    foundBy: [IDENTITY, 'A4 E8 a copy in its place is noticed from outside, and what comes back is well'],
  },
  {
    name: 'a file names its log only in its log',
    in: 'takePossession',
    find: "db.exec('PRAGMA wal_checkpoint(PASSIVE)');",
    foundBy: [
      IDENTITY,
      'A4 E8 a log that is deleted, with its -shm, is noticed from outside, though nobody commits',
    ],
  },
  {
    name: 'a new thread does not say that its log is another one',
    in: 'ownFile',
    find: 'else renewPlace(db, path, mark);',
    foundBy: [
      IDENTITY,
      'E6 the lock of the next owner, which has not opened the file yet, and a new thread are no trouble',
    ],
  },
  {
    name: 'whoever waits for the lock does not wait for a program that writes',
    in: 'whileBusy',
    find: '!(error instanceof StoreBusyError) ||',
    replace: 'true ||',
    foundBy: [
      'store/faults.test.ts',
      'E6 whoever waits for the lock waits for another program that writes, too; who does not is told at once',
    ],
  },
  {
    name: 'the mark of another owner is passed over',
    in: 'Possession.mustBeOurs',
    find: 'this.#read.get()?.token === this.#mark.token',
    replace: 'this.#read.get()?.token !== undefined',
    foundBy: [
      'store/strangers.test.ts',
      'E6 the mark of another owner is noticed by the next commit, though the lock is still ours',
    ],
  },
  {
    name: 'hard links are let in',
    in: 'aliasOf',
    find: 'nlink > 1',
    replace: 'nlink > 2',
    foundBy: [IDENTITY, 'E6 a hard link is refused at opening, by either name, and a symbolic link is not'],
  },
  {
    name: 'a waiting scheduler starts a thread for each try',
    in: 'Connection.open',
    find: 'const lock = await takeLock({ path, location, waitMs })',
    replace:
      "await (await Channel.open({ ...file, purpose: 'look' }, onThread)).channel.close(); const lock = await takeLock({ path, location, waitMs })",
    foundBy: [DEATH, 'E6 takes no thread'],
  },
];
