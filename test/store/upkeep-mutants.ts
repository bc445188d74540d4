/** Faults planted into the upkeep of a file: its syncs, its log, its lock, the turns that others get. */
import type { PlantedFault } from '../faults/fault.ts';

export const UPKEEP_MUTANTS: readonly PlantedFault[] = [
  {
    name: 'the log is synced now and then',
    in: 'prepareConnection',
    find: 'PRAGMA synchronous = FULL',
    replace: 'PRAGMA synchronous = NORMAL',
    foundBy: [
      'store/upkeep.test.ts',
      'A4 every commit waits for the disk: SQLite syncs the log at each of them',
    ],
  },
  {
    name: 'the log is never copied into the file',
    in: 'prepareConnection',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    find: 'PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}',
    replace: 'PRAGMA wal_autocheckpoint = 0',
    foundBy: [
      'store/upkeep.test.ts',
      'the log does not grow with every commit: it is copied into the file and begun again',
    ],
  },
  {
    name: 'a lock that is held for an instant is not waited for',
    in: 'GRACE_MS',
    find: '100',
    replace: '0',
    foundBy: [
      'store/upkeep.test.ts',
      'E6 a lock that is held for an instant, as an inspection holds it, is waited for even without a wait',
    ],
  },
  {
    name: 'whatever is in the place of the lock is taken for a lock',
    in: 'openLock',
    find: '(statusOf(lockPath)?.size ?? 0) > 0',
    replace: '(statusOf(lockPath)?.size ?? 0) < 0',
    foundBy: [
      'store/upkeep.test.ts',
      'E7 a lock file that holds a single byte is not ours, and is left as it is',
    ],
  },
  {
    name: 'a file is not looked at again once the lock is taken',
    in: 'openLocked',
    find: 'examine(path, busyTimeoutMs); makePrivately(realLocationOf(path)); const db = new (loadSqlite().DatabaseSync)(path, { timeout: busyTimeoutMs }); try {',
    replace:
      'makePrivately(realLocationOf(path)); const db = new (loadSqlite().DatabaseSync)(path, { timeout: busyTimeoutMs }); try { prepareConnection(db, options);',
    foundBy: [
      'store/upkeep.test.ts',
      'E7 a database that another program has made there while this one waited stays as it is, byte by byte',
    ],
  },
  {
    name: 'a large batch holds the event loop',
    in: 'SqliteSession.#postSheets',
    find: 'await nextRound();',
    foundBy: [
      'store/upkeep.test.ts',
      'a large batch is posted in pieces, with a turn of the event loop between any two',
    ],
  },
  {
    name: 'a name that is not its JSON text is believed',
    in: 'OddCells.name',
    find: 'if (isChecked && JSON.stringify(name) !== stored) this.add(row, 0, stored);',
    foundBy: ['scheduler/damage-name.test.ts', 'E7 sick is refused by initialize, which changes nothing'],
  },
];
