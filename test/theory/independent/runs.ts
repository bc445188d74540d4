/** The runs of one task, as its records show them. */
import type { TraceRecord } from '../../../src/trace/record.ts';
import type { Truths } from './operators.ts';
import type { Position } from './positions.ts';

/** What the records of one task say about its runs. */
export interface Runs {
  readonly running: Truths;
  /** An end while no run is open (S4). */
  readonly unbegun: Truths;
  /** A second record of the start of a run that is open (EA3). */
  readonly repeated: Truths;
  /** Whether the task was ever started while it ran. */
  readonly hasOverlap: boolean;
  /** For each start, the position of the end of its run, if it has one before the next crash. */
  readonly endOf: ReadonlyMap<number, number>;
}

/**
 * A task runs while one of its runs is open. An end that names an open run ends that one. An end without a name, or with the name
 * of a run that is not open, ends the run that was started last. A second record of the start of an open run is no start of another
 * run (EA3).
 */
export function runsOf(positions: readonly Position[], crash: Truths, task: string): Runs {
  const open = new Map<string, number>();
  const endOf = new Map<number, number>();
  const running: boolean[] = [];
  const unbegun: boolean[] = [];
  const repeated: boolean[] = [];
  let hasOverlap = false;
  positions.forEach(({ record }, i) => {
    const run = runRecordOf(record, task);
    const runId = run?.runId ?? '';
    const isOpen = open.has(runId);
    const isEnd = run !== undefined && run.event !== 'RunStart';
    unbegun.push(isEnd && open.size === 0);
    const isStart = run?.event === 'RunStart';
    repeated.push(isStart && runId !== '' && isOpen);
    hasOverlap ||= isStart && open.size > 0;
    const isStop = record?.event === 'StopEnd';
    if (crash[i] && !isStop) open.clear();
    if (isStart && !isOpen) open.set(runId, i);
    if (isEnd) {
      const ended = isOpen ? runId : ([...open.keys()].at(-1) ?? '');
      endOf.set(open.get(ended) ?? -1, i);
      open.delete(ended);
    }
    running.push(open.size > 0);
    // S3 is asked of a stop that fails, before it counts as a crash (D7).
    if (crash[i]) open.clear();
  });
  return { running, unbegun, endOf, repeated, hasOverlap };
}

function runRecordOf(record: TraceRecord | undefined, task: string) {
  switch (record?.event) {
    case 'RunStart':
    case 'RunSuccess':
    case 'RunFailure':
    case 'RunInterrupted':
      return record.task === task ? record : undefined;
    default:
      return undefined;
  }
}
