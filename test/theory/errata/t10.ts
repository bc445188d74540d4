/** What a crash may have undone can only be judged with the durability that a trace tells of: records, not positions. */
import type { TraceRecord } from '../../../src/trace/record.ts';
import { at } from './happenings.ts';

type Durability = 'recorded' | 'unrecorded';

const initialized = (time: string, cron: string): TraceRecord[] => [
  {
    event: 'InitStart',
    at: at(time),
    registrations: [{ name: 'x', cron, retryDelayMs: 3_600_000 }],
    timeZone: 'UTC',
  },
  { event: 'InitSuccess', at: at(time) },
];
const durable = (time: string, runId: string, durability: Durability): TraceRecord[] =>
  durability === 'recorded' ? [{ event: 'StartDurable', at: at(time), task: 'x', runId }] : [];
const succeeded = (time: string, runId: string): TraceRecord[] => [
  { event: 'RunStart', at: at(time), task: 'x', runId },
  { event: 'RunSuccess', at: at(time), task: 'x', runId },
];
const crash = (time: string): TraceRecord[] => [
  { event: 'UnexpectedShutdown', at: at(time) },
  { event: 'Frozen', at: at(time) + 1, from: at(time) - 1, to: at(time) + 1 },
];

/** A run succeeds, and the process dies before that is durable: it is repeated (A10). */
export const lostEnd = (durability: Durability): TraceRecord[] => [
  ...initialized('12:00:01', '0 * * * *'),
  ...durable('12:00:02', 'first', durability),
  ...succeeded('12:00:02', 'first'),
  ...crash('12:00:03'),
  ...initialized('12:00:04', '0 * * * *'),
  ...durable('12:00:05', 'again', durability),
  ...succeeded('12:00:05', 'again'),
];

/** A start is durable, and the process dies before the call. Under another schedule nothing is due, and yet it is started again. */
export const neverCalled = (durability: Durability): TraceRecord[] => [
  ...initialized('12:00:01', '0 * * * *'),
  ...durable('12:00:02', 'first', durability),
  ...crash('12:00:03'),
  ...initialized('12:00:04', '30 * * * *'),
  ...durable('12:00:05', 'again', durability),
  ...succeeded('12:00:05', 'again'),
];

/** T6 on records: a valid list, rejected because the scheduler is active. */
export const refused: TraceRecord[] = [
  ...initialized('12:00:01', '30 * * * *').map((record) => ({ ...record, call: 1 })),
  ...initialized('12:00:02', '30 * * * *')
    .slice(0, 1)
    .map((record) => ({ ...record, call: 2 })),
  { event: 'InitFailure', at: at('12:00:02'), call: 2, valid: true, error: 'SchedulerAlreadyActiveError' },
];

/** T9 on records: an end that never began. */
export const unbegun: TraceRecord[] = [
  ...initialized('12:00:01', '30 * * * *'),
  { event: 'RunSuccess', at: at('12:00:02'), task: 'x' },
];

/** T11 on records: the first initialization is cut off, and what it owed is started after the second. */
export const cutOff: TraceRecord[] = [
  ...initialized('12:00:01', '0 * * * *').slice(0, 1),
  ...crash('12:00:02'),
  ...initialized('12:01:01', '0 * * * *'),
  ...succeeded('12:01:02', 'first'),
];

/** T11 on records: a removal is cut off after its commit, so x comes anew within its minute, and runs again. */
export const cutOffRemoval: TraceRecord[] = [
  ...initialized('12:00:01', '0 * * * *'),
  ...succeeded('12:00:02', 'first'),
  { event: 'StopStart', at: at('12:00:03') },
  { event: 'StopEnd', at: at('12:00:03') },
  { event: 'InitStart', at: at('12:00:04'), registrations: [], timeZone: 'UTC' },
  ...crash('12:00:05'),
  ...initialized('12:00:06', '0 * * * *'),
  ...succeeded('12:00:07', 'second'),
];

/** T11 on records: the same with a retry to come. If the removal was committed it is forgotten, and if not it is kept: both are right. */
export const cutOffRetry = (retry: 'forgotten' | 'kept'): TraceRecord[] => [
  ...initialized('12:00:01', '0 * * * *'),
  { event: 'RunStart', at: at('12:00:02'), task: 'x' },
  { event: 'RunFailure', at: at('12:00:02'), task: 'x' },
  { event: 'StopStart', at: at('12:01:03') },
  { event: 'StopEnd', at: at('12:01:03') },
  { event: 'InitStart', at: at('12:01:04'), registrations: [], timeZone: 'UTC' },
  ...crash('12:01:05'),
  ...initialized('12:02:06', '59 0 * * *'),
  ...(retry === 'kept' ? succeeded('13:00:03', 'retry') : []),
  { event: 'StopStart', at: at('13:30') },
  { event: 'StopEnd', at: at('13:30') },
];

/** T14 on records: an override to a schedule that was due since the last start. */
export const overridden: TraceRecord[] = [
  ...initialized('12:00:01', '0 * * * *'),
  ...succeeded('12:00:02', 'first'),
  { event: 'StopStart', at: at('12:00:03') },
  { event: 'StopEnd', at: at('12:00:03') },
  ...initialized('12:03:00', '2 * * * *'),
  ...succeeded('12:03:01', 'second'),
];
