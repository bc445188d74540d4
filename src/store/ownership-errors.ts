/** What can go wrong with the ownership of a store: another scheduler has it, or the file is not the one that was opened. */
import { ownerText } from '../text/owner.ts';
import type { OwnedBy } from './port.ts';
import { storeErrorClass } from './store-error.ts';

/** The store is owned by another process, or by another scheduler in this one (E6). */
export class StoreLockedError extends storeErrorClass(
  'StoreLockedError',
  ({
    path,
    waitedMs,
    ownedBy,
  }: {
    path: string;
    waitedMs: number;
    /** Who has it; absent if the store does not say. */
    ownedBy?: OwnedBy;
  }) => {
    const owner = ownedBy === undefined ? [] : [ownerText(ownedBy)];
    const about = [...owner, ...(waitedMs > 0 ? [`waited ${waitedMs} ms`] : [])];
    return [
      `Store "${path}" is in use by another scheduler${about.length > 0 ? ` (${about.join(', ')})` : ''}`,
      'stop that one, give this one a store of its own, or let it wait longer (lockWait)',
    ];
  },
) {}

/** The file has a second path, so that two schedulers could own it at once: a hard link, or a file that is mounted by itself. */
export class StoreSharedFileError extends storeErrorClass(
  'StoreSharedFileError',
  ({ path, reason }: { path: string; reason: string }) => [
    `Store file "${path}" ${reason}, so two schedulers could own it at once`,
    'keep it under one name, and mount its folder rather than the file',
  ],
) {}

/** The file is not in its place any more: it was deleted or moved away, or another one was put there. */
export class StoreMovedError extends storeErrorClass(
  'StoreMovedError',
  ({ path, found }: { path: string; found: 'nothing' | 'another file' }) => [
    found === 'nothing'
      ? `Store file "${path}" is gone: it was deleted or moved away while a scheduler runs on it`
      : `Store file "${path}" was replaced by another file while a scheduler runs on it`,
    path.endsWith('-wal')
      ? 'stop this scheduler, keep the store with its -wal and -shm, and run "obbligato repair": the newest changes may be in none of them'
      : 'put the same file back, and it goes on; or stop this scheduler, put a backup in its place without -wal and -shm, and start again',
  ],
) {}

/** Another scheduler has taken the store over, though this one has not let go of it: the lock was deleted, or does not work there. */
export class StoreLostError extends storeErrorClass(
  'StoreLostError',
  ({
    path,
    owner,
  }: {
    path: string;
    /** Who has it now, as far as it can be read. */
    owner?: string;
  }) => [
    `Store "${path}" was taken over by another scheduler${owner === undefined ? '' : ` (${owner})`}`,
    'this one starts nothing any more; never delete or copy over the .lock file, and stop this scheduler',
  ],
) {}
