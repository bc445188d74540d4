/** What an `initialize` would do to a store, found out without doing it (E4): the same planner, on records that are only read. */
import { isDeepStrictEqual } from 'node:util';
import { Agenda } from '../core/agenda.ts';
import type { ControlRequest } from '../core/control.ts';
import { Planner } from '../core/plan.ts';
import type { Reason, TaskRecord } from '../core/record.ts';
import { type CheckedRegistration, checkRegistrations } from '../core/registration.ts';
import { Tasks } from '../core/tasks.ts';
import type { Inspection, Store } from '../store/index.ts';
import { inspect, StoreMissingError } from '../store/index.ts';
import { hostNow, hostZoneName } from '../time/host.ts';
import { zoneOf } from '../time/zone.ts';
import { forgetsMost } from './removals-guard.ts';

/** How a task is configured in a store, or in a list. */
export interface TaskConfiguration {
  readonly cron: string;
  readonly retryDelayMs: number;
  /** What a task object says beyond that, as a JSON text; `null` if nothing. */
  readonly policy: string | null;
}

/** What would become of a store and its tasks. */
export interface InitializePreview {
  /** By which instant it was planned, in epoch milliseconds. */
  readonly at: number;
  /** Whether a scheduler owns the store right now; `missing` if there is no store yet, `lost` if there was one: only its lock is left. */
  readonly owner: Inspection['owner'] | 'missing' | 'lost';
  /** Tasks that the store does not have yet. */
  readonly added: readonly string[];
  /** Tasks whose configuration would change; their history is kept. */
  readonly overridden: ReadonlyArray<{
    readonly name: string;
    readonly before: TaskConfiguration;
    readonly after: TaskConfiguration;
  }>;
  /** Tasks that the store would forget, with their state. */
  readonly removed: readonly string[];
  /** Whether a scheduler with `guardRemovals` would refuse the list, since it forgets more than half of ten or more stored tasks (I6). */
  readonly forgetsMost: boolean;
  /** Tasks whose run was cut off. If the store has an owner, a run is going on and this is empty. */
  readonly orphaned: readonly string[];
  /** Tasks that run right now, under the owner of the store. */
  readonly running: readonly string[];
  /** How many tasks would stay as they are. */
  readonly preserved: number;
  /** What would be started at once, and why. */
  readonly starts: ReadonlyArray<{ readonly name: string; readonly reason: Reason }>;
}

/** How to plan. */
export interface PreviewOptions {
  /** The zone of the scheduler; the host's by default. */
  readonly timeZone?: string | undefined;
  /** The instant to plan by, in epoch milliseconds; now by default. */
  readonly at?: number;
}

/**
 * Plans an `initialize` of these tasks on a store, given as such or by the path of its file, and changes nothing. It throws what `initialize`
 * would throw for a list that is wrong, for a record that is damaged, and for a file that a scheduler refuses; and `StoreMissingError` if the file was taken
 * away from a scheduler that still runs.
 */
export async function plan(
  target: string | URL | Store,
  tasks: unknown,
  { timeZone, at = hostNow() }: PreviewOptions = {},
): Promise<InitializePreview> {
  const places = new Map<string, number>();
  const registrations = checkRegistrations(tasks, places);
  const zone = zoneOf(timeZone ?? hostZoneName());
  const { owner, records, requests = [] } = await lookInto(target);
  const running = owner === 'held' ? records.filter(({ run }) => run !== null) : [];
  const planned = new Tasks(registrations, '');
  const planner = new Planner(planned, { registrations, places });
  for (const record of records) planner.add(owner === 'held' ? asEnded(record) : record);
  const { fresh, removes, orphaned, stored } = finished(planner.plan(at, zone));
  const agenda = new Agenda(registrations, zone);
  agenda.reset(at);
  const overridden = records.flatMap((record) =>
    differenceOf(record, registrations[places.get(record.name) ?? -1]),
  );
  // An owner answers them within seconds; if there is none, the next start does, before anything else.
  if (owner !== 'held') takeIn(requests, planned, at);
  const starts = registrations.flatMap(({ name }, task) => {
    const lastDue = agenda.lastDue(task, at);
    if (planned.isTooOld(task, at, lastDue)) planned.moveCursor(task, lastDue); // H4
    const reason = planned.reasonToRun(task, at, lastDue);
    return reason === undefined ? [] : [{ name, reason }];
  });
  return {
    at,
    owner,
    added: fresh.map((task) => registrations[task].name),
    overridden,
    removed: removes,
    forgetsMost: forgetsMost({ removes, stored }),
    orphaned,
    running: running.map(({ name }) => name),
    preserved: registrations.length - fresh.length - overridden.length,
    starts,
  };
}

/** What operators have asked for since the last scheduler ran, as far as it decides what is started (I2, I3). There is no run to cancel. */
function takeIn(requests: readonly ControlRequest[], tasks: Tasks, at: number): void {
  for (const { kind, task: name, catchUp } of requests) {
    const task = tasks.find(name);
    if (task < 0) continue;
    if (kind === 'run') tasks.request(task);
    else if (kind === 'pause') tasks.pause(task);
    else if (kind === 'resume' && tasks.isPaused(task)) {
      tasks.resume(task);
      if (!catchUp && tasks.cursorOf(task) < at) tasks.moveCursor(task, at);
    }
  }
}

interface Found {
  readonly owner: InitializePreview['owner'];
  readonly records: readonly TaskRecord[];
  readonly requests?: readonly ControlRequest[] | undefined;
}

async function lookInto(target: string | URL | Store): Promise<Found> {
  try {
    const { owner, records, damaged, refusal, requests } = await inspect(target);
    if (refusal !== undefined) throw refusal;
    if (damaged.length > 0) throw damaged[0].error;
    return { owner, records, requests };
  } catch (error) {
    if (!(error instanceof StoreMissingError) || error.lock === 'held') throw error;
    return { owner: error.lock === undefined ? 'missing' : 'lost', records: [] };
  }
}

/** A task that runs under a live owner ends before that owner gives the store away: what its run serves is not owed then. */
const asEnded = (record: TaskRecord): TaskRecord =>
  record.run === null
    ? record
    : { ...record, run: null, servedThrough: Math.max(record.servedThrough, record.run.startedAt) };

function differenceOf(
  record: TaskRecord,
  registration: CheckedRegistration | undefined,
): InitializePreview['overridden'] {
  if (registration === undefined) return [];
  const before = { cron: record.cron, retryDelayMs: record.retryDelayMs, policy: record.policy };
  const { cron, retryDelayMs, policy } = registration;
  const after = { cron, retryDelayMs, policy: policy.text };
  return isDeepStrictEqual(before, after) ? [] : [{ name: record.name, before, after }];
}

/** What a generator returns. The pauses between its slices are for a scheduler that runs. */
function finished<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
