/** Starts and ends that are objects, packed into rows of numbers as the journal has them. */
import type { EndChange, StartChange } from '../core/changes.ts';
import type { RunError } from '../core/history.ts';
import { OUTCOMES, REASONS, ROW } from '../core/rows.ts';
import { RunNames } from '../core/run-names.ts';
import { ENTRY_WIDTHS, INSTANCE, putName, VERSION } from './journal-entry.ts';

/** Starts or ends. */
export interface RowsSheet {
  readonly kind: 'rows';
  readonly part: 'starts' | 'ends';
  readonly count: number;
  /** Rows of the core, or, one number longer, of the journal; there may be room behind the last one. */
  readonly cells: Float64Array;
  readonly width: number;
  /** The tasks by name, where the first number of a row does not say it. */
  readonly tasks: readonly string[] | undefined;
  /** Which list of names the places in the rows count, and what is new in it. List 0 is for this sheet alone. */
  readonly list: number;
  readonly names: readonly string[];
  readonly errors: readonly RunError[];
}

/** The rows of changes that are objects. The places in them count the names of the sheet. */
export function packRows(
  part: 'starts' | 'ends',
  changes: ReadonlyArray<StartChange | EndChange>,
): RowsSheet {
  const width = ENTRY_WIDTHS[part];
  const cells = new Float64Array(changes.length * width);
  const runNames = new RunNames();
  const tasks: string[] = [];
  const errors: RunError[] = [];
  for (const [row, change] of changes.entries()) {
    tasks.push(change.name);
    if ('run' in change) packStart(change, cells, row * width, runNames);
    else packEnd(change, cells, row * width, runNames, errors);
  }
  return {
    kind: 'rows',
    part,
    count: changes.length,
    cells,
    width,
    tasks,
    list: 0,
    names: runNames.from(0),
    errors,
  };
}

function packStart(
  { work, run, version }: StartChange,
  cells: Float64Array,
  at: number,
  names: RunNames,
): void {
  packWork(work, cells, at, names);
  putName(cells, at + ROW.runPlace, run.runId, names);
  cells[at + ROW.reason] = REASONS.indexOf(run.reason);
  cells[at + ROW.startedAt] = run.startedAt;
  cells[at + INSTANCE.starts] = names.place(run.instanceId);
  cells[at + VERSION.starts] = version;
}

function packEnd(end: EndChange, cells: Float64Array, at: number, names: RunNames, errors: RunError[]): void {
  packWork(end.work, cells, at, names);
  putName(cells, at + ROW.runPlace, end.runId, names);
  cells[at + ROW.reason] = REASONS.indexOf(end.reason);
  cells[at + ROW.calledAt] = end.calledAt;
  cells[at + ROW.servedThrough] = end.servedThrough ?? Number.NaN;
  cells[at + ROW.endedAt] = end.endedAt;
  cells[at + ROW.outcome] = OUTCOMES.indexOf(end.outcome);
  cells[at + ROW.retryAt] = end.pendingRetryUntil ?? Number.NaN;
  cells[at + ROW.failures] = end.failures;
  cells[at + ROW.failingSince] = end.failingSince ?? Number.NaN;
  cells[at + ROW.error] = end.error === null ? 0 : errors.push(end.error);
  cells[at + INSTANCE.ends] = names.place(end.instanceId);
}

function packWork(work: StartChange['work'], cells: Float64Array, at: number, names: RunNames): void {
  putName(cells, at + ROW.keyPlace, work.key, names);
  cells[at + ROW.scheduledFor] = work.scheduledFor;
  cells[at + ROW.attempt] = work.attempt;
}
