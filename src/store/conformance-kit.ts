/** What the checks of the conformance suite are made of. */
import assert from 'node:assert/strict';
import { NOTHING_YET, type TaskRecord } from '../core/record.ts';
import { overlayOf } from './overlay.ts';
import type {
  Batch,
  CutOffChange,
  EndChange,
  MoveChange,
  Refusal,
  StartChange,
  Store,
  StoreSession,
  UnstartChange,
} from './port.ts';

/** A store to try, empty at first. */
export interface StoreUnderTest {
  readonly store: Store;
  /** The same records as another program would come to them: a second store on the same file, say. */
  again(): Store;
  /** Removes all traces. Sessions may still be open if a check failed. */
  cleanup(): Promise<void>;
}

/** One check of the conformance suite: `run` rejects if the store fails it. */
export interface Check {
  readonly name: string;
  run(): Promise<void>;
}

export type CheckBody = (subject: StoreUnderTest) => Promise<void>;

/** Opens, hands over the session, and closes whatever happens. */
export async function withSession<T>(store: Store, use: (session: StoreSession) => Promise<T>): Promise<T> {
  const session = await store.open({ waitMs: 0 });
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

const MIDNIGHT = Date.UTC(2025, 0, 1);

export const newRecord = (name: string, over: Partial<TaskRecord> = {}): TaskRecord => ({
  name,
  cron: '0 6 * * 1-5',
  retryDelayMs: 300_000,
  policy: null,
  firstSeenAt: MIDNIGHT,
  servedThrough: MIDNIGHT - 1,
  ...NOTHING_YET,
  ...over,
});

/** A record with something in every field. */
export const fullRecord = (name: string): TaskRecord =>
  newRecord(name, {
    policy: '{"jitterMs":60000}',
    pausedAt: MIDNIGHT,
    lastAttemptAt: MIDNIGHT + 1,
    lastSuccessAt: MIDNIGHT + 2,
    lastFailureAt: MIDNIGHT + 3,
    pendingRetryUntil: MIDNIGHT + 4,
    failures: 2,
    failingSince: MIDNIGHT + 3,
    lastError: { name: 'TypeError', message: 'x is not a function' },
    lastDurationMs: 17,
    work: { key: 'key-0', scheduledFor: MIDNIGHT + 5, attempt: 3 },
    run: {
      runId: runIdOf(),
      instanceId: 'instance-0',
      startedAt: MIDNIGHT + 6,
      reason: 'retry',
      cutOffAt: null,
    },
  });

/** A name that comes has this version, if none was forgotten before. */
const FIRST = 1;

const runIdOf = (attempt?: number): string => (attempt === undefined ? 'run-0' : `run ${attempt}`);

/** Decided by this version of the record: as it is, unless said otherwise, if each attempt before has ended. */
export const startOf = (name: string, attempt = 1, version = FIRST + 2 * (attempt - 1)): StartChange => ({
  name,
  version,
  work: { key: `key of ${attempt}`, scheduledFor: MIDNIGHT + 60_000, attempt },
  run: {
    runId: runIdOf(attempt),
    instanceId: 'instance-1',
    startedAt: MIDNIGHT + 60_001,
    reason: attempt === 1 ? 'due' : 'retry',
    cutOffAt: null,
  },
});

/** Two runs are never called in the same millisecond here: a store may know a run that has ended by its id or by its instants. */
const calledAtOf = (runId: string): number => MIDNIGHT + 60_002 + 10 * Number(runId.replace(/\D/g, ''));

/** The end of the run that `startOf` gives, or, without an attempt, of the one that `fullRecord` has. */
export const successOf = (name: string, attempt?: number): EndChange => {
  const runId = runIdOf(attempt);
  const calledAt = calledAtOf(runId);
  return {
    name,
    runId,
    instanceId: attempt === undefined ? 'instance-0' : 'instance-1',
    reason: 'due',
    work: { key: 'key of 1', scheduledFor: MIDNIGHT + 60_000, attempt: attempt ?? 3 },
    calledAt,
    endedAt: calledAt + 1,
    outcome: 'success',
    pendingRetryUntil: null,
    failures: 0,
    failingSince: null,
    error: null,
  };
};

export const failureOf = (name: string, attempt?: number): EndChange => ({
  ...successOf(name, attempt),
  outcome: 'failure',
  pendingRetryUntil: MIDNIGHT + 370_003,
  failures: attempt ?? 1,
  failingSince: MIDNIGHT + 60_003,
  error: {
    name: 'RangeError',
    message: `too large: ${attempt} "🎻"\n\0`,
    text: `RangeError: too large: ${attempt}\n    at callback`,
  },
});

/** A stop has ended the same run (A13). */
export const interruptedOf = (name: string, attempt?: number): EndChange => ({
  ...successOf(name, attempt),
  outcome: 'interrupted',
  failures: 2,
  failingSince: MIDNIGHT + 3,
});

/** The run that this record shows was cut off. */
export const cutOffOf = ({ name, run }: TaskRecord, at = MIDNIGHT + 90_000): CutOffChange => ({
  name,
  runId: run?.runId ?? '',
  at,
});

/** Takes the run of `startOf`, or of `fullRecord`, back. */
export const unstartOf = (
  name: string,
  attempt?: number,
  { work, run }: Pick<UnstartChange, 'work' | 'run'> = { work: null, run: null },
): UnstartChange => ({ name, runId: runIdOf(attempt), work, run });

/** A move of this record. */
export const moveOf = (
  { name, version }: Pick<TaskRecord, 'name' | 'version'>,
  servedThrough: number,
  pendingRetryUntil: number | null = null,
): MoveChange => ({ name, version, servedThrough, pendingRetryUntil });

/** The records of a store, by name, and what it remembers of those that are gone. */
export class Model extends Map<string, TaskRecord> {
  forgotten = 0;

  get records(): this {
    return this;
  }
}

/** What the records must be after these batches, by name. */
export function modelOf(...batches: readonly Batch[]): Model {
  const model = new Model();
  for (const batch of batches) applyToModel(model, batch);
  return model;
}

/** Changes the records as a batch must; answers what must be refused of it. */
export function applyToModel(model: Model, batch: Batch): readonly Refusal[] {
  const { overlay, refused, forgotten } = overlayOf(model, batch, 'model');
  model.forgotten = forgotten;
  for (const [name, record] of overlay) {
    if (record === undefined) model.delete(name);
    else model.set(name, record);
  }
  return refused;
}

/** The batch, with each change decided by the version that its record has by then. */
export function decidedBy(model: Model, batch: Batch): Batch {
  const { configures = [], moves = [], starts = [], pauses = [], ...first } = batch;
  const versionsAfter = (parts: Batch) => {
    const { overlay } = overlayOf(model, parts, 'model');
    return <Change extends { readonly name: string }>(
      change: Change,
    ): Change & { readonly version: number } => {
      const record = overlay.has(change.name) ? overlay.get(change.name) : model.get(change.name);
      return { ...change, version: record?.version ?? FIRST };
    };
  };
  const configured = { ...first, configures: configures.map(versionsAfter(first)), pauses };
  const moved = { ...configured, moves: Array.from(moves, versionsAfter(configured)) };
  return { ...moved, starts: Array.from(starts, versionsAfter(moved)) };
}

/** These batches, one after the other, each decided by what the ones before it leave. */
export function inTurn(...batches: readonly Batch[]): Batch[] {
  const model = new Model();
  return batches.map((batch) => {
    const decided = decidedBy(model, batch);
    applyToModel(model, decided);
    return decided;
  });
}

/** Commits a batch, and fails unless exactly these changes of it are refused, with these records; a store may name them in any order. */
export async function expectRefused(
  session: StoreSession,
  batch: Batch,
  refused: readonly Refusal[],
): Promise<void> {
  const inWords = (refusals: readonly Refusal[]): readonly string[] =>
    refusals.map(({ change, name, missing }) => `${change} of ${name}${missing ? ', missing' : ''}`).sort();
  const found = (await session.commit(batch)).refused;
  assert.deepEqual(inWords(found), inWords(refused));
  const wanted = new Map(refused.flatMap(({ name, record }) => (record ? [[name, record]] : [])));
  for (const { name, record, missing } of found) {
    if (missing) continue;
    const expected = wanted.get(name);
    if (expected !== undefined) assert.deepEqual(structuredClone(record), expected, `what holds of ${name}`);
  }
}

/** Fails unless the session holds exactly these records; a store may give them in any order. */
export async function expectRecords(session: StoreSession, expected: Iterable<TaskRecord>): Promise<void> {
  const found = inOrder(await session.read());
  const wanted = inOrder([...expected]);
  // One by one: a difference between two lists of 20,000 records would take minutes to print.
  assert.equal(found.length, wanted.length, 'the number of records');
  for (const [index, record] of wanted.entries()) assert.deepEqual(found[index], record);
}

const nameOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? String(Reflect.get(value, 'name')) : '';

export function inOrder(values: readonly unknown[]): unknown[] {
  return values.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).map((value) => structuredClone(value));
}

/** A small generator of chance, the same on every run. */
export function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** Names that have broken stores: each must come back as it is, and none may be taken for another. */
export const NASTY_NAMES: readonly string[] = [
  'plain',
  'Plain',
  ' ',
  '\t\n',
  'a\0b',
  'a\0c',
  'a',
  '\0',
  "it's",
  '"quoted"',
  '\\"',
  '\\u0000',
  'ünïcödé',
  'u\u0308',
  'ü',
  '🎻',
  '👩‍👩‍👧‍👦',
  '\ud83c',
  '\udfbb',
  '\ufffd',
  '%_?',
  ':name',
  '$1',
  "'; DROP TABLE task; --",
  '__proto__',
  'constructor',
  'toString',
  'null',
  '1',
  '01',
  '1e0',
  'x'.repeat(10_000),
  `${'x'.repeat(9_999)}y`,
];
