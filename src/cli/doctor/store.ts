/** The store: its place, its file, its lock, its version and its records. Only looked at; nothing is made or changed. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { ObbligatoError } from '../../errors.ts';
import type { Store } from '../../index.ts';
import { type Inspection, inspect, StoreMissingError } from '../../index.ts';
import { ownerText } from '../../text/owner.ts';
import { statusOf } from '../files.ts';
import { counted, printable } from '../terminal/text.ts';
import { type Check, fine, wrong } from './check.ts';

export interface StoreChecks {
  readonly checks: readonly Check[];
  /** Undefined where there is nothing to look into. */
  readonly inspection: Inspection | undefined;
}

export async function checkStore(store: Store): Promise<StoreChecks> {
  if (store.inspect === undefined) {
    return {
      checks: [fine('store', `${store.location}, which cannot be looked into`)],
      inspection: undefined,
    };
  }
  try {
    const inspection = await inspect(store);
    const checks = isFile(store)
      ? [...(refusalChecks(inspection) ?? placeChecks(store.location)), ...fileChecks(inspection)]
      : databaseChecks(inspection);
    return { checks, inspection };
  } catch (error) {
    if (error instanceof StoreMissingError) {
      const checks = isFile(store)
        ? missingChecks(store.location, error)
        : [fine('store', `${printable(store.location)} has no schema yet; the first start makes it`)];
      return { checks, inspection: undefined };
    }
    if (!(error instanceof ObbligatoError)) throw error;
    return { checks: [errorCheck('store', error)], inspection: undefined };
  }
}

function errorCheck(what: string, { problem, wayOut = 'see docs/scheduler.md' }: ObbligatoError): Check {
  return wrong(what, printable(problem), printable(wayOut));
}

/** Why a scheduler would not take the file, though it can be read: it has a second path. Undefined if nothing speaks against it. */
const refusalChecks = ({ refusal }: Inspection): Check[] | undefined =>
  refusal instanceof ObbligatoError ? [errorCheck('place', refusal)] : undefined;

const isFile = ({ location }: Store): boolean => isAbsolute(location);

/** A store that several schedulers may share: there is no file and no lock, but there are members. */
function databaseChecks({
  location,
  version,
  newestVersion = version,
  members = [],
  records,
  damaged,
}: Inspection): Check[] {
  const all = members.map((member) => printable(ownerText(member)));
  return [
    fine('store', `${printable(location)}, ${counted(records.length + damaged.length, 'record')}`),
    fine(
      'instances',
      all.length === 0 ? 'none: no scheduler runs on it' : `${all.length}: ${all.join(', ')}`,
    ),
    version > newestVersion
      ? wrong(
          'schema',
          `version ${version}, and this version of obbligato knows ${newestVersion}`,
          'bring the newer version of obbligato here',
        )
      : schemaCheck(version, newestVersion),
    recordCheck(damaged),
  ];
}

const schemaCheck = (version: number, newestVersion: number): Check =>
  fine(
    'schema',
    `version ${version} of ${newestVersion}${version < newestVersion ? ', brought up to date at the next start' : ''}`,
  );

function fileChecks(inspection: Inspection): Check[] {
  const { location, version, newestVersion = version, owner, records, damaged } = inspection;
  const locks: Readonly<Record<Inspection['owner'], Check>> = {
    held: heldCheck(inspection),
    free: fine('lock', 'free: no scheduler runs on it'),
    unknown: wrong(
      'lock',
      'it cannot be read',
      `check who owns ${printable(location)}.lock and its permissions`,
    ),
  };
  const lockSize = statusOf(`${location}.lock`)?.size ?? 0;
  const lock =
    lockSize > 0
      ? wrong(
          'lock',
          `${printable(location)}.lock is not empty`,
          'it is not ours: move it away, or use another store',
        )
      : locks[owner];
  return [
    fine('store', `${printable(location)}, ${counted(records.length + damaged.length, 'record')}`),
    lock,
    schemaCheck(version, newestVersion),
    recordCheck(damaged),
  ];
}

/** The owner leaves its mark in the file. If its process is not there, the lock is that of another file, which was here before. */
function heldCheck({ ownedBy, location }: Inspection): Check {
  if (ownedBy === undefined) return fine('lock', 'held: a scheduler runs on it');
  const who = printable(ownerText(ownedBy));
  if (ownedBy.host !== hostname() || isAlive(ownedBy.pid)) return fine('lock', `held by ${who}`);
  return wrong(
    'lock',
    `held, but not by the last owner of this file (${who}), which has ended: the file was replaced under a running scheduler`,
    `put the file back that was at ${printable(location)}, or stop that scheduler`,
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
}

function recordCheck(damaged: Inspection['damaged']): Check {
  if (damaged.length === 0) return fine('records', 'all healthy');
  const [{ task, reason }] = damaged;
  const found = `${counted(damaged.length, 'damaged record')}; ${printable(task)}: ${printable(reason)}`;
  return wrong('records', found, 'a scheduler refuses to start on it: run "obbligato repair"');
}

/** A store that is not there is no fault, unless there was one. */
function missingChecks(location: string, { lock, problem, wayOut = '' }: StoreMissingError): Check[] {
  const ways = {
    held: printable(wayOut),
    'left behind': 'put the store back, or a backup of it; to begin with an empty one, remove the .lock too',
  };
  const store =
    lock === undefined
      ? fine('store', `${printable(location)} is not there yet; the first start makes it`)
      : wrong('store', printable(problem), ways[lock]);
  return [store, ...placeChecks(location)];
}

/** SQLite's locks do not work there: NFS, SMB, CIFS, SMB2. */
const NETWORK = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);
const LEAST_FREE = 50 * 1024 * 1024;

function placeChecks(location: string): Check[] {
  const folder = dirname(location);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (statusOf(location) !== undefined) accessSync(location, constants.R_OK | constants.W_OK);
  } catch (error) {
    const path = String(Reflect.get(Object(error), 'path') ?? folder);
    const code = String(Reflect.get(Object(error), 'code'));
    const isMissing = code === 'ENOENT';
    return [
      wrong(
        'place',
        `${printable(path)} ${isMissing ? 'does not exist' : 'cannot be written'} (${code})`,
        isMissing
          ? 'create the folder'
          : 'let this user write it; SQLite keeps more files in the folder of the store',
      ),
    ];
  }
  const { type, bavail, bsize } = statfsSync(folder);
  if (NETWORK.has(type)) {
    return [
      wrong(
        'place',
        `${printable(folder)} is on a network drive`,
        'keep the store on a local disk: locks are not reliable there',
      ),
    ];
  }
  const free = bavail * bsize;
  const found = `${printable(folder)}, ${Math.floor(free / 1024 / 1024).toLocaleString('en')} MB free`;
  return [
    free < LEAST_FREE
      ? wrong('place', found, 'make room: starts wait while the disk is full')
      : fine('place', found),
  ];
}
