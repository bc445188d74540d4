/**
 * What the live view knows: a row for each task, made from the scheduler's events alone, and the latest lines of the log. It reads no
 * clock and writes nothing.
 *
 *     row:  waiting ──TaskRunStarted──▶ running ──TaskRunCompleted──▶ waiting
 *              ▲                         ▲   └──TaskRunFailed──▶ retry ──TaskRetryStarted, TaskRunStarted──▶ running
 *              └── as registered         └── a task that the store knew to wait for a retry begins in retry
 */

import type { StoredPolicy } from '../../config.ts';
import type { Zone } from '../../cron/index.ts';
import type { SchedulerEvent, TaskRecord } from '../../index.ts';
import { type Description, describeEvent, describeNotice, describeVerdict } from '../run/describe-event.ts';
import type { Notice, ScheduleFacts, WrittenLine } from '../run/reporter.ts';
import { messageOf } from '../terminal/text.ts';

export type RowState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running'; readonly since: number; readonly isRestart: boolean }
  | { readonly kind: 'retry'; readonly at: number };

export interface LastRun {
  readonly outcome: 'ok' | 'failed';
  readonly at: number;
  /** Missing of a run from before stores kept durations. */
  readonly durationMs?: number;
}

export interface Row {
  readonly name: string;
  readonly cron: string;
  readonly policy?: StoredPolicy;
  state: RowState;
  /** Since when it is paused. What runs goes on. */
  pausedAt: number | undefined;
  last: LastRun | undefined;
  /** How late its last start was. */
  lateMs: number | undefined;
  /** Up to when its dues are served; not known before the scheduler is initialized. */
  servedThrough: number | undefined;
  succeeded: number;
  failed: number;
}

export interface LogLine extends Description {
  readonly at: number;
  readonly isOutput: boolean;
}

export interface View {
  readonly facts: ScheduleFacts;
  readonly rows: readonly Row[];
  readonly log: readonly LogLine[];
  /** When the scheduler was initialized; infinite before. */
  readonly begunAt: number;
  readonly phase: 'starting' | 'running' | 'stopping' | 'stopped';
  /** What the store says, while it fails. */
  readonly trouble: string | undefined;
  /** What the monitor says, if there is one. */
  readonly monitor: Description | undefined;
}

const KEPT_LINES = 200;
const waiting: RowState = { kind: 'waiting' };

const newRow = (name: string): Omit<Row, 'cron' | 'policy'> => ({
  name,
  state: waiting,
  pausedAt: undefined,
  last: undefined,
  lateMs: undefined,
  servedThrough: undefined,
  succeeded: 0,
  failed: 0,
});

export class Model implements View {
  readonly facts: ScheduleFacts;
  rows: readonly Row[] = [];
  readonly log: LogLine[] = [];
  phase: View['phase'] = 'starting';
  trouble: string | undefined;
  monitor: Description | undefined;
  readonly #zone: Zone;
  #byName: ReadonlyMap<string, Row> = new Map();
  /** Nothing is later than since this: what was due before is caught up with, which is not the same as late. */
  begunAt = Number.POSITIVE_INFINITY;

  constructor(facts: ScheduleFacts, zone: Zone) {
    this.facts = facts;
    this.#zone = zone;
    this.relist(facts.tasks);
  }

  /** Another list of tasks. What is known of a name stays. */
  relist(tasks: ScheduleFacts['tasks']): void {
    const known = this.#byName;
    this.rows = tasks.map(({ name, cron, policy = {} }) => ({
      ...(known.get(name) ?? newRow(name)),
      cron,
      policy,
    }));
    this.#byName = new Map(this.rows.map((row) => [row.name, row]));
  }

  isPaused(name: string): boolean {
    return this.#byName.get(name)?.pausedAt !== undefined;
  }

  event(event: SchedulerEvent): void {
    if ('task' in event) this.#taskEvent(event);
    else this.#schedulerEvent(event);
    const description = describeEvent(event, this.#zone, this.facts.afterwards);
    if (description === undefined) return;
    const { stack = [], ...said } = description;
    this.#say({ ...said, at: event.at, isOutput: false });
    // There is no room for the places in the code, which are indented more than the causes.
    for (const text of stack.filter((line) => /^ {2}\S/.test(line)))
      this.#say({ ...said, text: text.trim(), at: event.at, isOutput: false });
  }

  notice(notice: Notice): void {
    if (notice.type === 'Verdict') this.monitor = describeVerdict(notice.verdict);
    this.#say({
      ...describeNotice(notice, this.#zone, this.facts.afterwards),
      at: notice.at,
      isOutput: false,
    });
  }

  output({ task, line }: WrittenLine, at: number): void {
    const whose = task === undefined ? {} : { task };
    this.#say({ ...whose, text: line, tone: 'plain', at, isOutput: true });
  }

  /** What the store knew; events that have come meanwhile know better. */
  remember(records: readonly TaskRecord[]): void {
    for (const record of records) {
      const {
        name,
        servedThrough,
        lastSuccessAt,
        lastFailureAt,
        lastDurationMs,
        pendingRetryUntil,
        pausedAt,
      } = record;
      const row = this.#byName.get(name);
      if (row === undefined) continue;
      row.pausedAt ??= pausedAt ?? undefined;
      const at = Math.max(lastSuccessAt ?? 0, lastFailureAt ?? 0);
      if (row.last === undefined && at > 0)
        row.last = {
          outcome: at === lastSuccessAt ? 'ok' : 'failed',
          at,
          ...(lastDurationMs === null ? {} : { durationMs: lastDurationMs }),
        };
      if (row.state !== waiting || row.succeeded > 0) continue;
      row.servedThrough = servedThrough;
      if (pendingRetryUntil !== null) {
        row.state = { kind: 'retry', at: pendingRetryUntil };
      }
    }
  }

  #taskEvent(event: Extract<SchedulerEvent, { task: string }>): void {
    const row = this.#byName.get(event.task);
    if (row === undefined) return;
    switch (event.type) {
      case 'TaskRunStarted':
      case 'TaskRetryStarted': {
        const { at, reason, scheduledFor } = event;
        const retryAt = row.state.kind === 'retry' ? row.state.at : at;
        const owedAt = { due: scheduledFor, retry: retryAt, manual: at, orphaned: this.begunAt }[reason];
        // Not before its own last run had ended (A5). If it is really late, the next event says by how much.
        row.lateMs = Math.max(0, at - Math.max(owedAt, this.begunAt, row.last?.at ?? 0));
        row.state = { kind: 'running', since: at, isRestart: reason === 'orphaned' };
        row.servedThrough = at;
        break;
      }
      case 'TaskStartedLate':
        row.lateMs = event.lateMs;
        break;
      case 'TaskRunCompleted':
        row.state = waiting;
        row.last = { outcome: 'ok', at: event.at, durationMs: event.durationMs };
        row.succeeded++;
        break;
      case 'TaskRunInterrupted':
        row.state = waiting;
        break;
      case 'TaskRunFailed':
        row.state =
          event.pendingRetryUntil === null ? waiting : { kind: 'retry', at: event.pendingRetryUntil };
        row.last = { outcome: 'failed', at: event.at, durationMs: event.durationMs };
        row.failed++;
        break;
      default:
        moveCursor(row, event);
    }
  }

  #schedulerEvent(event: SchedulerEvent): void {
    switch (event.type) {
      case 'SchedulerInitializationCompleted':
        this.begunAt = event.at;
        // A task that comes for the first time is still to be served in this minute (E2).
        for (const row of this.rows) row.servedThrough ??= Math.floor(event.at / 60_000) * 60_000 - 1;
        if (this.phase === 'starting') this.phase = 'running';
        break;
      case 'SchedulerStopRequested':
        this.phase = 'stopping';
        break;
      case 'SchedulerStopped':
        this.phase = 'stopped';
        break;
      case 'StoreLost':
      case 'StoreTroubleStarted':
        this.trouble = messageOf(event.error);
        break;
      case 'StoreTroubleEnded':
        this.trouble = undefined;
        break;
      default:
    }
  }

  #say(line: LogLine): void {
    this.log.push(line);
    if (this.log.length > 2 * KEPT_LINES) this.log.splice(0, KEPT_LINES);
  }
}

/** Dues that are not served because somebody paused the task, or because they are skipped. */
function moveCursor(row: Row, event: SchedulerEvent): void {
  const servedThrough = row.servedThrough ?? 0;
  switch (event.type) {
    case 'TaskPaused':
      row.pausedAt = event.at;
      break;
    case 'TaskResumed':
      row.pausedAt = undefined;
      if (!event.catchUp) row.servedThrough = Math.max(servedThrough, event.at);
      break;
    case 'TaskDueSkipped':
      row.servedThrough = Math.max(servedThrough, event.dueAt);
      break;
    default:
  }
}
