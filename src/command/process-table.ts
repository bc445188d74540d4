/**
 * Which process is which. A process number alone says nothing once its process may have ended: numbers are given out again. So a
 * process is known by its number and its *mark*, which is the boot of the machine and the tick at which the process began; no two
 * processes share that. Where there is no `/proc` (macOS, the BSDs), `ps` shows the second at which it began.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface KnownProcess {
  readonly pid: number;
  readonly mark: string;
}

/** What every process of a run has in its environment, so that it can be recognised when the first of them is gone. */
export const RUN_ID_VARIABLE = 'OBBLIGATO_RUN_ID';

const hasProc = process.platform === 'linux';

/** The mark of a living process; undefined if there is none of that number. One that only waits to be buried is dead. */
export function markOf(pid: number): string | undefined {
  return hasProc ? markFromProc(pid) : markFromPs(pid);
}

export const isAlive = ({ pid, mark }: KnownProcess): boolean => markOf(pid) === mark;

let self: KnownProcess | undefined;

/** This process. */
export function ownProcess(): KnownProcess {
  self ??= { pid: process.pid, mark: markOf(process.pid) ?? '' };
  return self;
}

interface Status {
  readonly state: string;
  readonly group: number;
  readonly startedAtTick: string;
}

function statusOf(pid: number): Status | undefined {
  const text = readProc(`${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is a name in parentheses, which may hold blanks and parentheses of its own; the third follows the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], group: Number(fields[2]), startedAtTick: fields[19] };
}

const isDead = ({ state }: Status): boolean => state === 'Z' || state === 'X';

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return undefined; // it has ended meanwhile, or is somebody else's
  }
}

function markFromProc(pid: number): string | undefined {
  const status = statusOf(pid);
  if (status === undefined || isDead(status)) return undefined;
  return `${readProc('sys/kernel/random/boot_id')?.trim()} ${status.startedAtTick}`;
}

function markFromPs(pid: number): string | undefined {
  try {
    const [state, ...startedAt] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    })
      .trim()
      .split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : startedAt.join(' ');
  } catch {
    return undefined;
  }
}

/** The living processes of a run that are still in the group that its first process made. Only `/proc` shows that. */
function membersOf(group: number, runId: string): readonly number[] {
  if (!hasProc) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const status = statusOf(pid);
      if (status === undefined || status.group !== group || isDead(status)) return false;
      return readProc(`${pid}/environ`)?.split('\0').includes(`${RUN_ID_VARIABLE}=${runId}`) === true;
    });
}

/** A program as it was started: its first process, which leads a group of its own, and the run that it belongs to. */
export interface StartedProgram extends KnownProcess {
  readonly runId: string;
}

/** Whether anything of a program is left: its first process, or another of its group. */
export function isLeft(program: StartedProgram): boolean {
  return isAlive(program) || membersOf(program.pid, program.runId).length > 0;
}

/**
 * Sends a signal to all of a program, and never to anybody else: to the group while its leader is known to be alive, since the
 * group then bears its number; to the members that prove to be of this run, once it is not.
 */
export function signalProgram(program: StartedProgram, signal: NodeJS.Signals): void {
  const targets = isAlive(program) ? [-program.pid] : membersOf(program.pid, program.runId);
  for (const target of targets) {
    try {
      process.kill(target, signal);
    } catch (error) {
      // It has ended in between, which is just as well. The caller gets any other error.
      if (Reflect.get(Object(error), 'code') !== 'ESRCH') throw error;
    }
  }
}
