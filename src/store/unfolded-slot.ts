/** How the fields of a task lie in a slot of `Unfolded`, which groups of them are assigned together, and which columns of a row they are. */

/** Where in a slot each number is. The numbers that are null are NaN. */
export const AT = {
  known: 0,
  /** 1 if an entry has assigned something since the slot was folded. */
  dirty: 1,
  servedThrough: 2,
  pendingRetryUntil: 3,
  lastAttemptAt: 4,
  failures: 5,
  failingSince: 6,
  lastDurationMs: 7,
  lastSuccessAt: 8,
  lastFailureAt: 9,
  keyPlace: 10,
  keyCount: 11,
  scheduledFor: 12,
  attempt: 13,
  runPlace: 14,
  runCount: 15,
  instance: 16,
  startedAt: 17,
  reason: 18,
  cutOffAt: 19,
  version: 20,
} as const;
export const SLOT_WIDTH = 21;

/** Groups of fields that are assigned together. */
export const CURSOR = 1;
export const ATTEMPT = 2;
export const SUCCESS = 4;
export const FAILURE = 8;
export const RUN = 16;
export const ERROR = 32;
export const VERSION = 64;
export const ALL = 127;

export type Kind = 'number' | 'name' | 'instance' | 'reason' | 'error';

/** The columns of a row that entries assign: their group, and how to find their value in a slot. */
export const STATE_COLUMNS: ReadonlyArray<readonly [column: string, group: number, kind: Kind, at: number]> =
  [
    ['served_through', CURSOR, 'number', AT.servedThrough],
    ['pending_retry_until', CURSOR, 'number', AT.pendingRetryUntil],
    ['last_attempt_at', ATTEMPT, 'number', AT.lastAttemptAt],
    ['failures', ATTEMPT, 'number', AT.failures],
    ['failing_since', ATTEMPT, 'number', AT.failingSince],
    ['last_duration_ms', ATTEMPT, 'number', AT.lastDurationMs],
    ['last_success_at', SUCCESS, 'number', AT.lastSuccessAt],
    ['last_failure_at', FAILURE, 'number', AT.lastFailureAt],
    ['work_key', RUN, 'name', AT.keyPlace],
    ['work_scheduled_for', RUN, 'number', AT.scheduledFor],
    ['work_attempt', RUN, 'number', AT.attempt],
    ['run_id', RUN, 'name', AT.runPlace],
    ['run_instance_id', RUN, 'instance', AT.instance],
    ['run_started_at', RUN, 'number', AT.startedAt],
    ['run_reason', RUN, 'reason', AT.reason],
    ['run_cut_off_at', RUN, 'number', AT.cutOffAt],
    ['last_error', ERROR, 'error', 0],
    ['version', VERSION, 'number', AT.version],
  ];

export type Value = string | number | null;
