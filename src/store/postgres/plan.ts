/** What an `initialize` writes, and the few other batches that change whole records: in one transaction that holds `meta`, one after the other. */
import { showsConfigure } from '../../core/shown.ts';
import type { Batch, ConfigureChange } from '../port.ts';
import { Absent, Late, type Refused, recordsNamed, type Sent, writeNext, writeOver } from './commit.ts';
import type { Ask } from './driver.ts';
import { enlist, hasAny } from './lists.ts';
import { put } from './put-records.ts';
import { configure, cutOff, markEpoch, remove } from './record-statements.ts';
import type { Scope } from './run-statements.ts';

/** A batch, and what it was planned from. */
export interface PlannedBatch extends Sent {
  readonly path: string;
  /** Given by an initialize that shares the store: the names of its list. */
  readonly list?: readonly string[];
}

export interface WrittenPlan {
  readonly refused: readonly Refused[];
  /** Names that were to be removed and stay (K5). */
  readonly held: readonly string[];
  /** The epoch after it. */
  readonly epoch: number;
  /** The version of the names that it has brought. */
  readonly firstVersion: number;
}

export const isPlan = ({
  timeZone,
  cutOffs = [],
  removes = [],
  puts = [],
  configures = [],
}: Batch): boolean =>
  timeZone !== undefined || cutOffs.length + removes.length + puts.length + configures.length > 0;

export async function writePlan(
  ask: Ask,
  scope: Scope,
  planned: PlannedBatch,
): Promise<WrittenPlan | 'stale'> {
  const { schema, me } = scope;
  const { path, batch, list, sent } = planned;
  const { cutOffs = [] } = batch;
  const [[current]] = await ask(`SELECT epoch FROM ${schema}.meta FOR UPDATE`);
  const present = await ask(`SELECT last_sent FROM ${schema}.member WHERE id = $1::int FOR NO KEY UPDATE`, [
    me,
  ]);
  if (present.length === 0) throw new Absent();
  if (Number(present[0][0]) > sent) throw new Late();
  if (list !== undefined && Number(current) !== planned.epoch) return 'stale';
  // A record that goes or is written over takes the run with it that it shows, so runs that are over come first (J1).
  if (scope.isAlone && cutOffs.length > 0) await cutOff(ask, path, scope, cutOffs);
  const over = await writeOver(ask, scope, planned);
  const { isChanged, held, firstVersion, refused } = await writeRecords(
    ask,
    scope,
    planned,
    Number(current) + 1,
  );
  const epoch = Number(current) + (isChanged ? 1 : 0);
  if (isChanged) await ask(`UPDATE ${schema}.meta SET epoch = $1::bigint`, [epoch]);
  if (batch.timeZone !== undefined)
    await ask(`UPDATE ${schema}.meta SET time_zone = $1::text`, [batch.timeZone]);
  if (list !== undefined) await enlist(ask, scope, list);
  // Whose configurations were up to date before this are so after it.
  const known = planned.epoch === Number(current) ? epoch : planned.epoch;
  const before = [...over, ...refused];
  const taking = before.length === 0 ? before : [...stillThere(over, batch, held), ...refused];
  const next = await writeNext(ask, scope, { batch, epoch: known, sent }, taking);
  return { epoch: known, held, firstVersion, refused: await withRecords(ask, scope, [...before, ...next]) };
}

/** With what holds by now, after all of the batch (K2). */
async function withRecords(ask: Ask, scope: Scope, refused: readonly Refused[]): Promise<Refused[]> {
  if (refused.length === 0) return [];
  const records = await recordsNamed(ask, scope, refused);
  return refused.map(({ change, name, missing }) => {
    const record = records.get(name);
    if (missing) return { change, name, missing };
    return { change, name, ...(record && { record }) };
  });
}

/** What was refused of tasks whose records have not gone with the batch. */
function stillThere(
  refused: readonly Refused[],
  { removes = [], puts = [] }: Batch,
  held: readonly string[],
): readonly Refused[] {
  const gone = new Set(removes);
  for (const name of held) gone.delete(name);
  for (const { name } of puts) gone.delete(name);
  return refused.filter(({ name }) => !gone.has(name));
}

/** What a plan has made of records and configurations. */
interface WrittenRecords extends Pick<WrittenPlan, 'refused' | 'held' | 'firstVersion'> {
  readonly isChanged: boolean;
}

async function writeRecords(
  ask: Ask,
  scope: Scope,
  { path, batch, list }: PlannedBatch,
  epoch: number,
): Promise<WrittenRecords> {
  const { removes = [], puts = [], configures = [] } = batch;
  const { count, held } = removes.length > 0 ? await remove(ask, scope, removes) : { count: 0, held: [] };
  const over = scope.isAlone ? 'all' : list === undefined ? 'nothing' : 'all of an idle one';
  const [[first]] = await ask(`SELECT forgotten_version + 1 FROM ${scope.schema}.meta`);
  const firstVersion = Number(first);
  await put(ask, scope, puts, over, () => firstVersion);
  const refused = await writeConfigures(ask, path, scope, configures);
  const changed = [...puts, ...configures].map(({ name }) => scope.names.id(name));
  if (changed.length > 0) await markEpoch(ask, scope, changed, epoch);
  const isGivenUp = held.length > 0 && (list === undefined || (await hasAny(ask, scope, held)));
  return { isChanged: isGivenUp || count + changed.length > 0, held, firstVersion, refused };
}

/** Answers what is refused. */
async function writeConfigures(
  ask: Ask,
  path: string,
  scope: Scope,
  configures: readonly ConfigureChange[],
): Promise<readonly Refused[]> {
  if (configures.length === 0) return [];
  const left = await configure(ask, path, scope, configures);
  if (left.length === 0) return [];
  const records = await recordsNamed(ask, scope, left);
  const isRefused = (change: ConfigureChange): boolean => {
    const record = records.get(change.name);
    return record !== undefined && !showsConfigure(record, change);
  };
  return left.filter(isRefused).map(({ name }) => ({ change: 'configure', name }));
}
