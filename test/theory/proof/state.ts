/**
 * A state of the world: the clock, the life of the scheduler, and for each name what is durable of it, what the scheduler holds
 * of it in memory, and what the theory makes of its past.
 *
 *     life     down ─asks─▶ asked ─plans─▶ planned ─commits─▶ committed ─returns─▶ running
 *               ▲ ▲           │              │                    │                   │ stop
 *               │ └── fails ──┴──────────────┘                    └─(a stop came)─▶ stopping
 *               └────────────────────────── all ended, all durable ────────────────────┘
 *
 *     phase    idle ─claim─▶ claimed ─durable─▶ ready ─call─▶ running ─end─▶ idle (its end not durable at first)
 *                               └── a stop ───────┴──▶ unstarting ─durable─▶ idle
 *
 * A crash leads from everywhere to `down`, and leaves what is durable.
 *
 * *Shifting time is sound.* The schedules repeat every `PERIOD_MS`, and every decision of core and theory compares instants with
 * each other, or asks whether a minute is due. So a state and the same one with all instants a period earlier have the same
 * future, and the clock is kept within one period.
 *
 * *Forgetting what is long past is sound.* Within any period every schedule of an instance is due. So a cursor a period back or
 * more is like any other such cursor, whatever the expression becomes. The theory compares what it remembers with starts of
 * minutes only, and asks once more whether the minute of a first coming is due: there the minute is kept, up to whole periods.
 * A deadline that has passed stays passed, and the failure that it came from is not looked at any more: it only tells whether
 * a clock that was set back has moved the deadline away, and the clock of the model is never set back.
 *
 * *What is left out.* Fields that no decision reads (when a name was first seen, its last attempt and success, failures in a row,
 * keys and counts of attempts, reasons, identifiers of runs and instances) are set to constants.
 */
import type { EndChange } from '../../../src/core/changes.ts';
import type { StartedRun, TaskRecord, WorkRecord } from '../../../src/core/record.ts';
import { BASE, MINUTE_MS, PERIOD_MS, TICK_MS } from './instance.ts';
import type { Way } from './way.ts';

export type Life = 'down' | 'asked' | 'planned' | 'committed' | 'running' | 'stopping';
export type Phase = 'idle' | 'claimed' | 'ready' | 'running' | 'unstarting';

/** What all names share. */
export interface Scene {
  readonly now: number;
  readonly life: Life;
  /** Whether a stop was called during this initialization (T7). */
  readonly stopCalled: boolean;
  /** The list that was registered last; −1 before there was one. */
  readonly list: number;
  /** While initializing, the list that is to be, else −1; and the reading of the clock that it was planned with, else NaN. */
  readonly nextList: number;
  readonly plannedAt: number;
  readonly initializations: number;
  readonly crashes: number;
  readonly stops: number;
  readonly failures: number;
}

/** What there is of one name. */
export interface Name {
  readonly stored: TaskRecord | undefined;
  /** What `Tasks` holds of it, as a record to make it from again; its run is there if and only if it is marked as orphaned. */
  readonly held: TaskRecord | undefined;
  readonly phase: Phase;
  /** An end that is not durable yet. */
  readonly end: EndChange | undefined;
  readonly real: Way;
  /** What will have been the case if the process dies now, where that is something else (T10, T11). */
  readonly shade: Way | undefined;
}

export interface State {
  readonly scene: Scene;
  readonly names: readonly Name[];
}

/** Called for each move: what it is, and where it leads. */
export type Visit = (label: string, next: State) => void;

/** An initialization or a life is over. */
export const over = (scene: Scene, life: Life): Scene => ({
  ...scene,
  life,
  stopCalled: false,
  nextList: -1,
  plannedAt: Number.NaN,
});

/** Every life has this name, and its runs have the count 1. */
export const INSTANCE = 'instance';
export const someRun: StartedRun = Object.freeze({
  runId: `${INSTANCE}-1`,
  instanceId: INSTANCE,
  startedAt: BASE,
  reason: 'due',
  cutOffAt: null,
});
const someWork: WorkRecord = Object.freeze({ key: someRun.runId, scheduledFor: BASE, attempt: 1 });

/** A cursor, or the instant of a call that will be one. */
const settledCursor = (at: number, shift: number, now: number): number =>
  Math.max(at - shift, now - PERIOD_MS);

const settledDeadline = (at: number, shift: number, now: number): number =>
  at - shift < now ? now - TICK_MS : at - shift;

function settledRecord(record: TaskRecord, shift: number, now: number): TaskRecord {
  const { pendingRetryUntil, lastFailureAt } = record;
  const deadline = pendingRetryUntil === null ? null : settledDeadline(pendingRetryUntil, shift, now);
  const failureAt = lastFailureAt === null || deadline === null ? null : lastFailureAt - shift;
  return {
    name: record.name,
    cron: record.cron,
    retryDelayMs: record.retryDelayMs,
    policy: null,
    version: 1,
    pausedAt: null,
    firstSeenAt: BASE,
    servedThrough: settledCursor(record.servedThrough, shift, now),
    lastAttemptAt: null,
    lastSuccessAt: null,
    lastFailureAt: deadline !== null && deadline < now && failureAt !== null ? deadline : failureAt,
    pendingRetryUntil: deadline,
    failures: 0,
    failingSince: null,
    lastError: null,
    lastDurationMs: null,
    work: record.work === null ? null : someWork,
    run: record.run === null ? null : someRun,
  };
}

function settledEnd(end: EndChange, shift: number, now: number): EndChange {
  const { pendingRetryUntil } = end;
  const deadline = pendingRetryUntil === null ? null : settledDeadline(pendingRetryUntil, shift, now);
  return {
    ...end,
    calledAt: settledCursor(end.calledAt, shift, now),
    endedAt: deadline !== null && deadline >= now ? end.endedAt - shift : now,
    pendingRetryUntil: deadline,
    failures: 0,
    failingSince: null,
    work: someWork,
  };
}

const minuteStart = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;

function settledWay(way: Way, shift: number, now: number): Way {
  const oldest = minuteStart(now) - PERIOD_MS;
  const settled = (at: number): number => {
    const minute = minuteStart(at - shift);
    if (minute >= oldest || !Number.isFinite(minute)) return minute;
    return !way.wasFirstComing ? oldest : oldest - ((oldest - minute) % PERIOD_MS);
  };
  return { ...way, servedAt: settled(way.servedAt), retryAt: way.retryAt - shift };
}

export function settledScene(scene: Scene, shift: number): Scene {
  return { ...scene, now: scene.now - shift, plannedAt: settledPlan(scene, shift) };
}

/** Once a plan is durable, its instant is in the records (D6), and nothing else asks for it. */
const settledPlan = ({ life, plannedAt }: Scene, shift: number): number =>
  life === 'planned' ? plannedAt - shift : Number.NaN;

export const settledName = (name: Name, shift: number, now: number): Name => ({
  phase: name.phase,
  stored: name.stored && settledRecord(name.stored, shift, now),
  held: name.held && settledRecord(name.held, shift, now),
  end: name.end && settledEnd(name.end, shift, now),
  real: settledWay(name.real, shift, now),
  shade: name.shade && settledWay(name.shade, shift, now),
});

/** How far a clock is ahead of the period that it is kept in. */
export const shiftOf = (now: number): number => Math.floor((now - BASE) / PERIOD_MS) * PERIOD_MS;

/** The same state, up to a shift of time, has the same keys. */
export const keyOfScene = (scene: Scene): string =>
  `${scene.now - BASE} ${scene.life} ${scene.stopCalled} ${scene.list} ${scene.nextList} ${scene.plannedAt - BASE} ${scene.initializations} ${scene.crashes} ${scene.stops} ${scene.failures}`;

export const keyOfName = ({ stored, held, phase, end, real, shade }: Name): string =>
  `${keyOfRecord(stored)}|${keyOfRecord(held)}|${phase}|${keyOfEnd(end)}|${keyOfWay(real)}|${keyOfWay(shade)}`;

const crons = new Map<string, number>();

/** Expressions are long, and few. */
function numberOfCron(cron: string): number {
  const number = crons.get(cron) ?? crons.size;
  if (number === crons.size) crons.set(cron, number);
  return number;
}

const keyOfInstant = (at: number | null): string => (at === null ? '' : String(at - BASE));

const keyOfRecord = (record: TaskRecord | undefined): string =>
  record === undefined
    ? ''
    : `${numberOfCron(record.cron)} ${record.retryDelayMs} ${keyOfInstant(record.servedThrough)} ${keyOfInstant(record.lastFailureAt)} ${keyOfInstant(record.pendingRetryUntil)} ${record.work === null ? '' : 'w'}${record.run === null ? '' : 'r'}`;

const keyOfEnd = (end: EndChange | undefined): string =>
  end === undefined
    ? ''
    : `${keyOfInstant(end.calledAt)} ${keyOfInstant(end.endedAt)} ${keyOfInstant(end.pendingRetryUntil)}`;

const keyOfWay = (way: Way | undefined): string =>
  way === undefined
    ? ''
    : `${way.state} ${way.says} ${keyOfInstant(way.servedAt)} ${way.wasFirstComing} ${keyOfInstant(way.retryAt)}`;
