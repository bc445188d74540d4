/** Random traces: those of the little scheduler, mutants of them, and calls that overlap. */
import type { TraceRecord } from '../../../src/trace/record.ts';
import type { Grant } from './bound.ts';
import { Dice } from './dice.ts';
import { Ideal } from './ideal.ts';
import { Tangle } from './tangle.ts';

export interface RandomTrace {
  readonly records: readonly TraceRecord[];
  readonly grant: Grant;
}

const noon = Date.UTC(2026, 5, 1, 11, 57);
/** An hour before clocks change in Berlin and New York. */
const changes = [
  ['Europe/Berlin', Date.UTC(2026, 2, 29, 0, 50)],
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 0, 50)],
  ['America/New_York', Date.UTC(2026, 2, 8, 6, 50)],
  ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 14, 50)],
  ['Asia/Kolkata', noon],
] as const;

/** Where a trace comes from: the little scheduler, the same with changes, or calls at random. */
export type Origin = 'ideal' | 'mutant' | 'tangle';
export const origins: readonly Origin[] = ['ideal', 'mutant', 'mutant', 'tangle'];

export function randomTrace(seed: number, origin: Origin): RandomTrace {
  const dice = new Dice(seed);
  const durability = dice.chance(0.6) ? 'recorded' : 'unrecorded';
  const grant = {
    lagMs: dice.one([60_000, 60_000, 60_000, 60_000, 10_000, 3000]),
    b: dice.one([0, 0, 0, 0, 5000]),
  };
  const length = 6 + dice.below(dice.chance(0.5) ? 34 : 14);
  if (origin === 'tangle')
    return {
      grant,
      records: withoutDeadClaims(new Tangle(dice, durability, noon + dice.below(240_000)).play(length)),
    };
  const [timeZone, from] = dice.chance(0.9) ? (['UTC', noon] as const) : dice.one(changes);
  const ideal = new Ideal(dice, {
    length,
    durability,
    timeZone,
    from: from + dice.below(240_000),
    ...(dice.chance(0.1) && { workers: 1 + dice.below(2) }),
    sloppiness: dice.one([0, 0.05, 0.2]),
  });
  let records = withoutSomeNumbers(ideal.play(), dice);
  const times = origin === 'mutant' ? 1 + dice.below(3) : 0;
  for (let i = 0; i < times; i++) records = mutate(records, dice);
  return { records: withoutDeadClaims(records).map(planned), grant };
}

/** No plan is made after its initialization has succeeded. */
const planned = (record: TraceRecord): TraceRecord =>
  record.event === 'InitSuccess' && record.plannedAt !== undefined
    ? { ...record, plannedAt: Math.min(record.plannedAt, record.at) }
    : record;

/** Nothing becomes durable in a process in which no initialization has succeeded. */
function withoutDeadClaims(records: readonly TraceRecord[]): readonly TraceRecord[] {
  let isAlive = false;
  return records.filter(({ event }) => {
    if (event === 'InitSuccess') isAlive = true;
    if (event === 'UnexpectedShutdown') isAlive = false;
    return isAlive || event !== 'StartDurable';
  });
}

/** A foreign scheduler may not number its runs. */
function withoutSomeNumbers(records: readonly TraceRecord[], dice: Dice): readonly TraceRecord[] {
  if (!dice.chance(0.15)) return records;
  return records.map((record) => {
    if (!('runId' in record)) return record;
    const { runId: _, ...rest } = record;
    return rest as TraceRecord;
  });
}

type Mutation = (records: readonly TraceRecord[], place: number, dice: Dice) => readonly TraceRecord[];

const insert = (records: readonly TraceRecord[], place: number, ...more: readonly object[]) =>
  records.toSpliced(
    place + 1,
    0,
    ...more.map((record) => ({ at: records[place].at, ...record }) as TraceRecord),
  );

/** An end goes with the record that it is durable. */
const drop: Mutation = (records, place) => {
  const { event } = records[place];
  const goesToo = /^Run(Success|Failure)$/.test(event) && records[place + 1]?.event === 'EndDurable';
  return records.toSpliced(place, goesToo ? 2 : 1);
};

const dropStart: Mutation = (records, _, dice) => {
  const starts = records.flatMap(({ event }, i) => (event === 'RunStart' ? [i] : []));
  if (starts.length === 0) return records;
  const place = dice.one(starts);
  const start = records[place];
  const runId = 'runId' in start ? start.runId : undefined;
  if (runId === undefined) return records.toSpliced(place, 1);
  return records.filter((record, i) => i < place || !('runId' in record) || record.runId !== runId);
};

/** A task that is never started again from here on. */
const fallSilent: Mutation = (records, place, dice) => {
  const task = dice.one(['a', 'a', 'b', 'c']);
  return records.filter((record, i) => i < place || !('task' in record) || record.task !== task);
};

/** A run right after an initialization that follows a crash. */
const runAfterCrash: Mutation = (records, _, dice) => {
  const crash = records.findIndex(({ event }) => event === 'UnexpectedShutdown');
  const place = crash < 0 ? -1 : records.findIndex(({ event }, i) => i > crash && event === 'InitSuccess');
  return place < 0 ? records : addRun(records, place, dice);
};

const addRun: Mutation = (records, place, dice) => {
  const task = dice.one(['a', 'a', 'b', 'c']);
  const runId = `m${place}`;
  const events = dice.one([
    ['RunStart'],
    ['RunStart', 'RunSuccess'],
    ['RunStart', 'RunFailure'],
    ['StartDurable', 'RunStart'],
    ['StartDurable', 'RunStart', 'RunSuccess', 'EndDurable'],
    ['StartDurable', 'RunStart', 'RunSuccess'],
    ['StartDurable'],
    ['RunSuccess'],
    ['RunFailure'],
  ]);
  const isNumbered = records.some((record) => 'runId' in record);
  return insert(records, place, ...events.map((event) => ({ event, task, ...(isNumbered && { runId }) })));
};

const addCrash: Mutation = (records, place) => insert(records, place, { event: 'UnexpectedShutdown' });

const addStop: Mutation = (records, place, dice) => {
  const call = 1000 + place;
  const stop = { event: 'StopStart', call };
  return dice.chance(0.8)
    ? insert(records, place, stop, { event: 'StopEnd', call })
    : insert(records, place, stop);
};

const addInit: Mutation = (records, place, dice) => {
  const inits = records.filter(({ event }) => event === 'InitStart');
  if (inits.length === 0) return records;
  const call = 2000 + place;
  const start = { ...dice.one(inits), at: records[place].at, call };
  const end = dice.one([
    { event: 'InitSuccess', call },
    { event: 'InitFailure', call, valid: true, error: 'ScheduleTaskError', fault: 'store' },
    { event: 'InitFailure', call, valid: true, error: 'TypeError', fault: 'list' },
  ]);
  if (dice.chance(0.3)) return insert(records, place, start);
  const later = Math.min(records.length, place + 1 + dice.below(3));
  const withEnd = later < records.length ? insert(records, later, end) : records;
  return insert(withEnd, place, start);
};

/** Everything from here on comes later, and so do the stretches that lie wholly after here. */
const delay: Mutation = (records, place, dice) => {
  const { at } = records[place];
  const by = dice.one([1, 1000, 30_000, 61_000, 200_000]);
  return records.map((record, i) => {
    if (i < place) return record;
    if ('from' in record && record.from >= at)
      return { ...record, at: record.at + by, from: record.from + by, to: record.to + by };
    if (record.event === 'ClockStep') return { ...record, at: record.at + by, to: record.to + by };
    if (record.event === 'InitSuccess' && record.plannedAt !== undefined && record.plannedAt >= at)
      return { ...record, at: record.at + by, plannedAt: record.plannedAt + by };
    return { ...record, at: record.at + by };
  });
};

/** Two neighbours change places and keep their instants. */
const swap: Mutation = (records, place) => {
  const next = records[place + 1];
  const one = records[place];
  if (next === undefined || 'from' in one || 'from' in next) return records;
  return records.toSpliced(place, 2, { ...next, at: one.at }, { ...one, at: next.at });
};

const repeat: Mutation = (records, place, dice) => {
  const record = records[place];
  if ('from' in record) return records;
  const isNew = dice.chance(0.5) && 'runId' in record && record.event === 'RunStart';
  return insert(records, place, isNew ? { ...record, runId: `n${place}` } : record);
};

/** The next list is another one, or the same as the one before. */
const changeList: Mutation = (records, _, dice) => {
  const inits = records.flatMap((record, i) => (record.event === 'InitStart' ? [{ record, i }] : []));
  if (inits.length === 0) return records;
  const { record, i } = dice.one(inits);
  const from = dice.one(inits).record;
  const cron = dice.one(['* * * * *', '0 12 * * *', '*/5 * * * *', '0 0 1 1 *']);
  const registrations = dice.chance(0.5)
    ? from.registrations
    : record.registrations.map((one) => (dice.chance(0.5) ? { ...one, cron } : one));
  return records.toSpliced(i, 1, { ...record, registrations });
};

/** A late word about an earlier stretch. */
const addStretch: Mutation = (records, _, dice) => {
  const last = records.at(-1);
  if (last === undefined) return records;
  const one = dice.one(records).at;
  const other = dice.one(records).at;
  const stretch = { from: Math.min(one, other), to: Math.max(one, other) };
  const at = last.at + dice.one([0, 5000, 20_000]);
  const hasOther = records.some((record) => 'from' in record); // what a Compute record could contradict
  const event = dice.one(['Frozen', 'StoreTrouble', hasOther ? 'Frozen' : 'Compute']);
  const units = event === 'Compute' && {
    units: Math.floor((stretch.to - stretch.from) * dice.one([0, 0.1, 2])),
  };
  return [...records, { event, at, ...stretch, ...units } as TraceRecord];
};

const mutations: readonly Mutation[] = [
  drop,
  drop,
  dropStart,
  dropStart,
  fallSilent,
  fallSilent,
  runAfterCrash,
  runAfterCrash,
  addRun,
  addRun,
  addCrash,
  addCrash,
  addStop,
  addInit,
  addInit,
  delay,
  delay,
  delay,
  swap,
  swap,
  repeat,
  changeList,
  changeList,
  addStretch,
];

const mutate = (records: readonly TraceRecord[], dice: Dice): readonly TraceRecord[] =>
  records.length === 0 ? records : dice.one(mutations)(records, dice.below(records.length), dice);
