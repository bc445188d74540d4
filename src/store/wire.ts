/**
 * How batches and records cross between the main thread and the store's thread: texts in one flat array, numbers in one
 * Float64Array, row after row. Copying a typed array is a memcpy and a flat array of texts is the next cheapest thing, so the
 * main thread pays a fraction of a microsecond for a change instead of cloning a small graph of objects for each.
 *
 * A number that is `null` travels as NaN. The name is the first text of every row. `COLUMNS` says which columns of the table the
 * other texts and the numbers of each part go to, and the statements are made from it (`sqlite-write.ts`), so that packing and
 * writing cannot drift apart. `was run_id` is a value that is compared with its column and not written.
 */
import type { EndChange, MoveChange, UnstartChange } from '../core/changes.ts';
import type { RunRecord, TaskRecord, WorkRecord } from '../core/record.ts';
import type { Batch } from './port.ts';

/** The parts of a batch, in the order in which they take effect. */
export type Part = keyof Batch;

interface Columns {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  /** Of a change that can be refused: if the record shows these as they were to be written, it was made before (`core/shown.ts`). */
  readonly shownBy?: readonly string[];
}

const WORK_AND_RUN: Columns = {
  texts: ['work_key', 'run_id', 'run_instance_id'],
  numbers: ['work_scheduled_for', 'work_attempt', 'run_started_at'],
};

export const COLUMNS: Readonly<Record<Part, Columns>> = {
  removes: { texts: [], numbers: [] },
  puts: {
    texts: ['cron', ...WORK_AND_RUN.texts],
    numbers: [
      'retry_delay_ms',
      'first_seen_at',
      'served_through',
      'last_attempt_at',
      'last_success_at',
      'last_failure_at',
      'pending_retry_until',
      ...WORK_AND_RUN.numbers,
    ],
  },
  configures: { texts: ['cron'], numbers: ['retry_delay_ms'] },
  ends: {
    texts: ['work_key', 'was run_id'],
    numbers: [
      'served_through',
      'last_attempt_at',
      'last_success_at',
      'last_failure_at',
      'pending_retry_until',
      'work_scheduled_for',
      'work_attempt',
    ],
    shownBy: ['last_attempt_at', 'last_success_at', 'last_failure_at'],
  },
  unstarts: {
    texts: [...WORK_AND_RUN.texts, 'was run_id'],
    numbers: WORK_AND_RUN.numbers,
    shownBy: ['run_id', 'work_key', 'work_attempt'],
  },
  moves: {
    texts: ['was run_id'],
    numbers: ['served_through', 'pending_retry_until', 'was last_attempt_at'],
    shownBy: ['served_through', 'pending_retry_until'],
  },
  starts: WORK_AND_RUN,
};

/** Some rows of one part: name and other texts, numbers. */
export interface Sheet {
  readonly part: Part;
  readonly count: number;
  readonly texts: ReadonlyArray<string | null>;
  readonly numbers: Float64Array<ArrayBuffer>;
}

type Texts = Array<string | null>;
type Pack<Item> = (item: Item, texts: Texts, numbers: Float64Array, at: number) => void;

/** The batch as sheets of at most `limit` rows each, made one at a time as they are asked for. */
export function* sheetsOf(batch: Batch, limit: number): Generator<Sheet> {
  yield* cut('removes', batch.removes, limit, (name, texts) => texts.push(name));
  yield* cut('puts', batch.puts, limit, packPut);
  yield* cut('configures', batch.configures, limit, ({ name, cron, retryDelayMs }, texts, numbers, at) => {
    texts.push(name, cron);
    numbers[at] = retryDelayMs;
  });
  yield* cut('ends', batch.ends, limit, packEnd);
  yield* cut('unstarts', batch.unstarts, limit, packUnstart);
  yield* cut('moves', batch.moves, limit, packMove);
  yield* cut('starts', batch.starts, limit, packClaim);
}

function* cut<Item>(
  part: Part,
  items: readonly Item[] | undefined,
  limit: number,
  pack: Pack<Item>,
): Generator<Sheet> {
  const width = COLUMNS[part].numbers.length;
  for (let from = 0; items !== undefined && from < items.length; from += limit) {
    const count = Math.min(limit, items.length - from);
    const texts: Texts = [];
    const numbers = new Float64Array(count * width);
    for (let row = 0; row < count; row++) pack(items[from + row], texts, numbers, row * width);
    yield { part, count, texts, numbers };
  }
}

function packPut(record: TaskRecord, texts: Texts, numbers: Float64Array, at: number): void {
  texts.push(record.name, record.cron);
  numbers[at] = record.retryDelayMs;
  numbers[at + 1] = record.firstSeenAt;
  numbers[at + 2] = record.servedThrough;
  numbers[at + 3] = record.lastAttemptAt ?? Number.NaN;
  numbers[at + 4] = record.lastSuccessAt ?? Number.NaN;
  numbers[at + 5] = record.lastFailureAt ?? Number.NaN;
  numbers[at + 6] = record.pendingRetryUntil ?? Number.NaN;
  packWorkAndRun(record.work, record.run, texts, numbers, at + 7);
}

function packEnd(end: EndChange, texts: Texts, numbers: Float64Array, at: number): void {
  texts.push(end.name, end.work?.key ?? null, end.runId);
  numbers[at] = end.calledAt;
  numbers[at + 1] = end.calledAt;
  numbers[at + 2] = end.outcome === 'success' ? end.endedAt : Number.NaN;
  numbers[at + 3] = end.outcome === 'failure' ? end.endedAt : Number.NaN;
  numbers[at + 4] = end.pendingRetryUntil ?? Number.NaN;
  numbers[at + 5] = end.work?.scheduledFor ?? Number.NaN;
  numbers[at + 6] = end.work?.attempt ?? Number.NaN;
}

function packMove(move: MoveChange, texts: Texts, numbers: Float64Array, at: number): void {
  texts.push(move.name, move.runId);
  numbers[at] = move.servedThrough;
  numbers[at + 1] = move.pendingRetryUntil ?? Number.NaN;
  numbers[at + 2] = move.lastAttemptAt ?? Number.NaN;
}

function packUnstart(unstart: UnstartChange, texts: Texts, numbers: Float64Array, at: number): void {
  packClaim(unstart, texts, numbers, at);
  texts.push(unstart.runId);
}

interface Claim {
  readonly name: string;
  readonly work: WorkRecord | null;
  readonly run: RunRecord | null;
}

function packClaim({ name, work, run }: Claim, texts: Texts, numbers: Float64Array, at: number): void {
  texts.push(name);
  packWorkAndRun(work, run, texts, numbers, at);
}

function packWorkAndRun(
  work: WorkRecord | null,
  run: RunRecord | null,
  texts: Texts,
  numbers: Float64Array,
  at: number,
): void {
  texts.push(work?.key ?? null, run?.runId ?? null, run?.instanceId ?? null);
  numbers[at] = work?.scheduledFor ?? Number.NaN;
  numbers[at + 1] = work?.attempt ?? Number.NaN;
  numbers[at + 2] = run?.startedAt ?? Number.NaN;
}
