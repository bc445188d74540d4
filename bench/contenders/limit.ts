/**
 * The physical limit: what the machine takes for the least that our scheduler has to do. The same number of calls of a callback in a
 * bare loop, and the same number of bytes appended to a file with the same number of syncs. Nothing else: no schedule, no record.
 */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { contend } from '../runner/contend.ts';
import type { Figures } from '../runner/scenario.ts';
import { idleMinute } from './idle.ts';
import { createTally } from './task-list.ts';

/** What is written in all, and in how many pieces that are synced. */
export interface Written {
  readonly bytes: number;
  readonly syncs: number;
}

export interface LimitParams {
  readonly initialize?: Written;
  /** The bytes that a restart reads. */
  readonly restartBytes?: number;
  /** A minute: its calls, what is written until the last start, and until all ends are durable. */
  readonly due?: { readonly calls: number; readonly starts: Written; readonly ends: Written };
  readonly isIdleMeasured?: boolean;
}

const LARGEST_PIECE = 2 ** 22;
const piece = Buffer.alloc(LARGEST_PIECE, 1);

function write(file: number, bytes: number): void {
  for (let left = bytes; left > 0; ) left -= writeSync(file, piece, 0, Math.min(left, LARGEST_PIECE));
}

/** How long it takes to append, sync and call, in as many turns as there are syncs. */
function appendAndCall(file: number, { bytes, syncs }: Written, calls: number): number {
  const { call } = createTally(calls);
  const turns = Math.max(1, syncs);
  const startedAt = performance.now();
  for (let turn = 1; turn <= turns; turn++) {
    write(file, share(bytes, turn, turns));
    if (syncs > 0) fsyncSync(file);
    for (let left = share(calls, turn, turns); left > 0; left--) call();
  }
  return performance.now() - startedAt;
}

/** What falls to one of so many turns, in whole numbers whose sum is right. */
const share = (whole: number, turn: number, turns: number): number =>
  Math.floor((whole * turn) / turns) - Math.floor((whole * (turn - 1)) / turns);

/** How long it takes to read a file that was written just now. */
function read(file: number, bytes: number): number {
  write(file, bytes);
  const startedAt = performance.now();
  for (let at = 0; at < bytes; at += LARGEST_PIECE) readSync(file, piece, 0, LARGEST_PIECE, at);
  return performance.now() - startedAt;
}

/** The starts with their calls, and then what is written in addition for the ends. */
function minute(file: number, calls: number, starts: Written, ends: Written): Figures {
  const lastStartMs = appendAndCall(file, starts, calls);
  const rest = { bytes: ends.bytes - starts.bytes, syncs: ends.syncs - starts.syncs };
  return {
    lastStartMs,
    endsDurableMs: lastStartMs + appendAndCall(file, rest, 0),
    startBytes: starts.bytes,
    startSyncs: starts.syncs,
  };
}

await contend<LimitParams>(async ({ folder, isQuick, ...params }): Promise<Figures> => {
  const { initialize, restartBytes, due, isIdleMeasured } = params;
  const onNewFile = <T>(measure: (file: number) => T): T => {
    const file = openSync(join(folder, 'appended'), 'w+');
    const figures = measure(file);
    closeSync(file);
    return figures;
  };
  return {
    ...(initialize && { initializeMs: onNewFile((file) => appendAndCall(file, initialize, 0)) }),
    ...(restartBytes !== undefined && { restartMs: onNewFile((file) => read(file, restartBytes)) }),
    ...(due && onNewFile((file) => minute(file, due.calls, due.starts, due.ends))),
    ...(isIdleMeasured && !isQuick && { idleCpuMs: await idleMinute() }),
  };
});
