/**
 * A batch as statements, in one transaction.
 *
 * What a running scheduler writes is one statement, if no task is in two of its parts: the parts then touch different rows. Otherwise the
 * parts go one after the other, since a statement sees no change of its own, and a change that follows a refused one is left out.
 *
 * A change that was not granted is refused, unless its record shows that it was made before (E9). That is asked of the record itself, with the
 * functions that the scheduler asks too.
 */
import type { GivenAnswer } from '../../core/control.ts';
import type { TaskRecord } from '../../core/record.ts';
import { showsEnd, showsMove, showsUnstart } from '../../core/shown.ts';
import type { Batch, Refusal } from '../port.ts';
import { Params } from './columns.ts';
import { type Ask, arrayOf, type Row } from './driver.ts';
import { answerCte } from './record-statements.ts';
import { recordsOf, selectRecords } from './records.ts';
import { endRows, idsOf, type Numbers, startRows } from './run-rows.ts';
import {
  endPart,
  meCte,
  movePart,
  type Part,
  pausePart,
  type Scope,
  startPart,
  unstartPart,
} from './run-statements.ts';

/** The parts of a batch that change runs and pauses, in their order: what is over, and, after whole records, what follows. */
const OVER = ['ends', 'unstarts'] as const;
const NEXT = ['pauses', 'moves', 'starts'] as const;
const KINDS = [...OVER, ...NEXT] as const;
type Kind = (typeof KINDS)[number];

/** The answer of the database to a statement, or to several. */
export interface Written {
  /** By kind: the ids whose changes were made. */
  readonly granted: ReadonlyMap<Kind, ReadonlySet<number>>;
  /** The database's clock. */
  readonly at: number;
}

/** A batch on its way to the database. */
export interface Sent {
  readonly batch: Batch;
  /** The epoch of the configurations that the instance knows. */
  readonly epoch: number;
  /** The number of the request. */
  readonly sent: number;
}

/** The instance is not there any more (K4). */
export class Absent extends Error {}

/** A later request of the instance was done before this one, so that nothing of it is. */
export class Late extends Error {
  override readonly message = 'a later request of this instance came first';
}

/** Why a request found no row of its instance that it may change. */
async function whyNot(ask: Ask, { schema, me }: Scope): Promise<Absent | Late> {
  const rows = await ask(`SELECT FROM ${schema}.member WHERE id = $1::int`, [me]);
  return rows.length === 0 ? new Absent() : new Late();
}

/** Which kinds of a batch there are anything of. */
const kindsOf = (batch: Batch): Kind[] => KINDS.filter((kind) => (batch[kind]?.length ?? 0) > 0);

const changesOf = (batch: Batch, kind: Kind): ReadonlyArray<{ readonly name: string }> =>
  Array.from<{ readonly name: string }>(batch[kind] ?? []);

/** Whether a task is in two parts. */
export function overlaps(batch: Batch, numbers: Numbers): boolean {
  const kinds = kindsOf(batch);
  if (kinds.length === 1) return false;
  const ids = new Set<number>();
  for (const kind of kinds)
    for (const id of idsOf(batch[kind] ?? [], numbers)) {
      if (ids.has(id)) return true;
      ids.add(id);
    }
  return false;
}

/** All parts of these kinds in one statement. */
export async function writeRuns(
  ask: Ask,
  scope: Scope,
  { batch, epoch, sent }: Sent,
  kinds: readonly Kind[] = kindsOf(batch),
): Promise<Written> {
  const params = new Params();
  const me = meCte(scope, params, sent);
  const parts = new Map(kinds.map((kind) => [kind, partOf(kind, scope, params, batch, epoch)]));
  const { answers: given = [] } = batch;
  const answers = given.length > 0 ? [answerCte(scope, params, given, parts.get('starts')?.granted)] : [];
  const ctes = [me, ...[...parts.values()].flatMap((part) => part.ctes), ...answers];
  const granted = [...parts.values()].map(
    (part) => `(SELECT string_agg(id::text, ',') FROM (${part.granted}) AS g)`,
  );
  const [row] = await ask(
    `WITH ${ctes.join(',\n')} SELECT (SELECT at FROM me), ${granted.join() || '0'}`,
    params.values,
  );
  if (row[0] === null) throw await whyNot(ask, scope);
  return { at: Number(row[0]), granted: new Map(kinds.map((kind, place) => [kind, idsIn(row, place + 1)])) };
}

const idsIn = (row: Row, column: number): ReadonlySet<number> =>
  new Set((row[column] ?? '').split(',').filter(Boolean).map(Number));

function partOf(kind: Kind, scope: Scope, params: Params, batch: Batch, epoch: number): Part {
  const { pauses = [], ends = [], unstarts = [], moves = [], starts = [] } = batch;
  switch (kind) {
    case 'pauses':
      return pausePart(scope, params, pauses);
    case 'ends':
      return endPart(scope, params, endRows(ends, scope));
    case 'unstarts':
      return unstartPart(scope, params, unstarts);
    case 'moves':
      return movePart(scope, params, moves);
    case 'starts':
      return startPart(scope, params, startRows(starts, scope), epoch);
  }
}

/** A refusal, with the record as it is. */
export type Refused = Refusal & { readonly record?: TaskRecord };

/** The records of some names, as they are. */
export async function recordsNamed(
  ask: Ask,
  scope: Scope,
  changes: Iterable<{ readonly name: string }>,
): Promise<ReadonlyMap<string, TaskRecord>> {
  const ids = new Set(Array.from(changes, ({ name }) => scope.names.id(name)));
  const rows = await ask(selectRecords(scope.schema, 's.id = ANY ($1::int[])'), [arrayOf(ids)]);
  const records = new Map<string, TaskRecord>();
  for (const record of await recordsOf(ask, rows, scope)) records.set(record.name, record);
  return records;
}

/** What of a batch was refused, by what was written of it. */
export async function refusedOf(
  ask: Ask,
  scope: Scope,
  batch: Batch,
  { granted }: Written,
): Promise<Refused[]> {
  const { names } = scope;
  const isGranted = (kind: Kind, name: string): boolean => granted.get(kind)?.has(names.id(name)) ?? false;
  // A name is in a part once, so the count tells whether all of them were granted.
  const open = kindsOf(batch)
    .filter((kind) => granted.has(kind) && granted.get(kind)?.size !== batch[kind]?.length)
    .flatMap((kind) => changesOf(batch, kind).filter(({ name }) => !isGranted(kind, name)));
  if (open.length === 0) return [];
  const records = await recordsNamed(ask, scope, open);
  const refused: Refused[] = [];
  const look = <Change extends { readonly name: string }>(
    kind: Kind,
    change: Refusal['change'],
    changes: Iterable<Change>,
    shows: (record: TaskRecord, change: Change) => boolean,
  ): void => {
    if (!granted.has(kind)) return;
    for (const each of changes) {
      const record = records.get(each.name);
      if (isGranted(kind, each.name) || (record && shows(record, each))) continue;
      refused.push({ change, name: each.name, ...(record ? { record } : { missing: true }) });
    }
  };
  // The pause of a name that has no record is no matter.
  const pauses = Array.from(batch.pauses ?? []).filter(({ name }) => records.has(name));
  look('pauses', 'pause', pauses, () => false);
  look('ends', 'end', batch.ends ?? [], showsEnd);
  look('unstarts', 'unstart', batch.unstarts ?? [], showsUnstart);
  look('moves', 'move', batch.moves ?? [], showsMove);
  look('starts', 'start', batch.starts ?? [], () => false);
  return refused;
}

/** What is over, one part after the other. */
export const writeOver = (ask: Ask, scope: Scope, request: Sent): Promise<Refused[]> =>
  writeInTurn(ask, scope, request, OVER, []);

/**
 * What follows, one part after the other. `before` is what was refused of that which is over and takes later changes along, so it is not of names
 * that are gone by now. Answers what was refused since.
 */
export async function writeNext(
  ask: Ask,
  scope: Scope,
  request: Sent,
  before: readonly Refused[],
): Promise<Refused[]> {
  const refused = await writeInTurn(ask, scope, request, NEXT, before);
  // Last: a pause counts only while its request is not answered. With a start that was refused, its answer is too.
  const isRefused = ({ start }: GivenAnswer): boolean =>
    refused.some(({ change, name }) => change === 'start' && name === start);
  const answers = (request.batch.answers ?? []).filter((answer) => !isRefused(answer));
  await writeRuns(ask, scope, { ...request, batch: { answers } }, []);
  return refused;
}

/** Some parts one after the other. What follows a refused change of the same task is refused with it. */
async function writeInTurn(
  ask: Ask,
  scope: Scope,
  request: Sent,
  kinds: readonly Kind[],
  before: readonly Refused[],
): Promise<Refused[]> {
  const refused: Refused[] = [];
  const { answers: _, ...rest } = request.batch;
  for (const kind of kindsOf(rest).filter((each) => kinds.includes(each))) {
    // A pause has nothing to do with runs.
    const isLost = (name: string): boolean =>
      kind !== 'pauses' && [...before, ...refused].some((each) => each.name === name && !each.missing);
    const all = changesOf(rest, kind);
    const left: Batch = { [kind]: all.filter(({ name }) => !isLost(name)) };
    const written = await writeRuns(ask, scope, { ...request, batch: left }, [kind]);
    const lost = all.filter(({ name }) => isLost(name));
    const change = CHANGES[kind];
    refused.push(
      ...(await refusedOf(ask, scope, left, written)),
      ...lost.map(({ name }) => ({ change, name })),
    );
  }
  return refused;
}

const CHANGES = {
  pauses: 'pause',
  ends: 'end',
  unstarts: 'unstart',
  moves: 'move',
  starts: 'start',
} as const;
