/** Faults planted into the hold on a file: its lock, its identity, its mark, and the thread that is replaced when it dies. */
import type { PlantedFault } from '../planted-fault.ts';

const DEATH = 'store/thread-death.test.ts';
const IDENTITY = 'store/identity.test.ts';

/** The files are below `src/store`. */
export const OWNERSHIP_MUTANTS: readonly PlantedFault[] = [
  {
    name: 'the lock dies with the thread',
    file: 'sqlite-connection.ts',
    find: '        this.#later();\n        this.#options.onTrouble',
    replace: '        this.#later();\n        this.#lock.close();\n        this.#options.onTrouble',
    foundBy: [
      DEATH,
      'E6 nobody else gets the file while it is dead, nor when the session is closed before it is replaced',
    ],
  },
  {
    name: 'a dead thread is not replaced',
    file: 'sqlite-connection.ts',
    find: '        this.#later();\n        this.#options.onTrouble',
    replace: '        this.#options.onTrouble',
    foundBy: [DEATH, 'D7 stop resolves though the thread is dead, since everything was durable'],
  },
  {
    name: 'the death of an idle thread is passed over',
    file: 'sqlite-channel.ts',
    find: "if (this.#state === 'broken') this.onDeath",
    replace: "if (this.#state === 'broken' && this.#users > 0) this.onDeath",
    foundBy: [DEATH, 'E8 the death is noticed though nothing is asked, again and again'],
  },
  {
    name: 'a new thread is thought to know the names that were sent to the dead one',
    file: 'sqlite-session.ts',
    find: 'const lists = this.#lists.get(channel) ?? new WeakMap();\n    this.#lists.set(channel, lists);',
    replace:
      'const first = Reflect.get(this, "first") ?? channel;\n    Reflect.set(this, "first", first);\n    const lists = this.#lists.get(first) ?? new WeakMap();\n    this.#lists.set(first, lists);',
    foundBy: [DEATH, 'E8 the next thread knows the names of runs that were begun before'],
  },
  {
    name: 'the lock is let go before the store is closed',
    file: 'sqlite-connection.ts',
    find: '      await this.#channel?.close();\n    } finally {',
    replace: '      void this.#channel?.close();\n    } finally {',
    foundBy: ['store/ownership.test.ts', 'E6 when close resolves, nothing of the file is open'],
  },
  {
    name: 'a commit into a file that is gone is answered',
    file: 'sqlite-possession.ts',
    find: 'mustBeAt(this.#path, this.identity);',
    replace: '',
    foundBy: [IDENTITY, 'A4 a file that is deleted takes no commit'],
  },
  {
    name: 'a file is known by its path',
    file: 'sqlite-place.ts',
    find: 'return status === undefined ? undefined : ',
    replace: "return status === undefined ? undefined : 'there' || ",
    foundBy: [IDENTITY, 'A4 a file that is replaced by a copy takes no commit, until it is back'],
  },
  {
    name: 'what was written into a file that is gone is read back from there',
    file: 'sqlite-serve.ts',
    find: '      held.possession?.mustBeInPlace();\n',
    replace: '',
    foundBy: [IDENTITY, 'A4 a file that is moved away takes no commit, until it is back'],
  },
  {
    name: 'a close says that all is well with a file that is gone',
    file: 'sqlite-connection.ts',
    find: '      this.#lock.close();\n    }\n    mustBeAt(this.#location, this.#identity);',
    replace: '      this.#lock.close();\n    }',
    foundBy: [IDENTITY, 'D7 stop rejects though nothing was left to write, if the file is gone'],
  },
  {
    name: 'the mark of another owner is passed over',
    file: 'sqlite-possession.ts',
    find: 'if (this.#read.get()?.token === this.#mark.token) return;',
    replace: 'if (this.#read.get()?.token !== undefined) return;',
    foundBy: [
      'store/strangers.test.ts',
      'E6 the mark of another owner is noticed by the next commit, though the lock is still ours',
    ],
  },
  {
    name: 'hard links are let in',
    file: 'sqlite-place.ts',
    find: 'if (nlink > 1)',
    replace: 'if (nlink > 2)',
    foundBy: [IDENTITY, 'E6 a hard link is refused at opening, by either name, and a symbolic link is not'],
  },
  {
    name: 'a waiting scheduler starts a thread for each try',
    file: 'sqlite-connection.ts',
    find: '    const lock = await takeLock({ path, location, waitMs });\n',
    replace:
      "    await (await Channel.open({ ...file, purpose: 'look' }, onThread)).channel.close();\n    const lock = await takeLock({ path, location, waitMs });\n",
    foundBy: [DEATH, 'E6 takes no thread'],
  },
];
