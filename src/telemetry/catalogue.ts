/**
 * Every metric: its name for Prometheus and for OpenTelemetry, its kind, its labels, and what it says. The text page, the instruments,
 * the table in docs/telemetry.md, and the tests of the dashboard and the alert rules are made from this table.
 *
 * `task` is the last label where there is one: its values are the user's, and everything before it is from a fixed list.
 */
import type { EndOutcome, Reason, Refusal } from '../index.ts';

/** One metric of the catalogue. */
export interface Metric {
  /** As Prometheus has it. */
  readonly name: string;
  /** As OpenTelemetry has it. */
  readonly otel: string;
  /** `balance` is a gauge that goes up and down by one: an up-down counter for OpenTelemetry. */
  readonly kind: 'counter' | 'gauge' | 'balance' | 'histogram';
  /** In the words of UCUM, for OpenTelemetry. */
  readonly unit: string;
  /** What it says, in one sentence. */
  readonly help: string;
  readonly labels: readonly string[];
  /** What it hangs on: events of a scheduler in this process, the store, or this process itself. */
  readonly from: 'events' | 'store' | 'process';
  /** The upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** Each outcome of a run that has an end event, as a label: labels have no blanks. The compiler holds the list complete. */
const OUTCOMES = {
  success: 'success',
  failure: 'failure',
  'gave up': 'gave_up',
  'timed out': 'timed_out',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
} as const satisfies Readonly<Record<EndOutcome, string>>;

const REASONS = {
  due: 'due',
  retry: 'retry',
  orphaned: 'orphaned',
  manual: 'manual',
} as const satisfies Readonly<Record<Reason, string>>;

const CHANGES = {
  end: 'end',
  unstart: 'unstart',
  configure: 'configure',
  pause: 'pause',
  move: 'move',
  start: 'start',
} as const satisfies Readonly<Record<Refusal['change'], string>>;

/** Every value of the labels of events but `task`: a counter is there with each of them, at 0, before anything has happened. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  reason: Object.values(REASONS),
  outcome: Object.values(OUTCOMES),
  cause: ['unnoticed', 'queue', 'store', 'call'],
  why: ['late', 'running'],
  result: ['success', 'failure'],
  direction: ['forward', 'backward'],
  change: Object.values(CHANGES),
};

/** The labels of every series that a metric of events can have, where these tasks have series of their own. */
export function seriesOf({ labels }: Metric, tasks: readonly string[]): readonly (readonly string[])[] {
  let all: readonly (readonly string[])[] = [[]];
  for (const label of labels) {
    const values = label === 'task' ? tasks : (VALUES[label] ?? []);
    all = all.flatMap((series) => values.map((value) => [...series, value]));
  }
  return all;
}

const DURATIONS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 60, 300, 900, 3600, 14_400];
const DELAYS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 600, 3600];
const COMMITS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const SIZES = [1, 10, 100, 1000, 10_000, 100_000];

const metric = (
  [name, otel]: readonly [string, string],
  kind: Metric['kind'],
  unit: string,
  labels: readonly string[],
  help: string,
  buckets?: readonly number[],
): Metric => ({ name, otel, kind, unit, labels, help, from: 'events', ...(buckets && { buckets }) });

const seen = (
  [name, otel]: readonly [string, string],
  unit: string,
  labels: readonly string[],
  help: string,
  from: 'store' | 'process' = 'store',
): Metric => ({ name, otel, kind: 'gauge', unit, labels, help, from });

/** All metrics, by the name under which this code knows them. */
export const METRICS = {
  // What runs do.
  starts: metric(
    ['obbligato_run_starts_total', 'obbligato.run.starts'],
    'counter',
    '{run}',
    ['reason', 'task'],
    'Starts, by reason: due, retry, orphaned, manual.',
  ),
  ends: metric(
    ['obbligato_runs_total', 'obbligato.run.ends'],
    'counter',
    '{run}',
    ['outcome', 'task'],
    'Runs that have ended, by outcome: success, failure, gave_up, timed_out, cancelled, interrupted.',
  ),
  active: metric(
    ['obbligato_runs_active', 'obbligato.run.active'],
    'balance',
    '{run}',
    [],
    'Callbacks that run now.',
  ),
  duration: metric(
    ['obbligato_run_duration_seconds', 'obbligato.run.duration'],
    'histogram',
    's',
    ['outcome'],
    'How long runs took, from the call to the end.',
    DURATIONS,
  ),
  startDelay: metric(
    ['obbligato_run_start_delay_seconds', 'obbligato.run.start_delay'],
    'histogram',
    's',
    [],
    'How long runs were owed before they were called.',
    DELAYS,
  ),
  lateStarts: metric(
    ['obbligato_late_starts_total', 'obbligato.run.late_starts'],
    'counter',
    '{run}',
    ['task'],
    'Starts that were later than the lateAfter option of the scheduler.',
  ),
  lateSeconds: metric(
    ['obbligato_late_start_seconds_total', 'obbligato.run.late_time'],
    'counter',
    's',
    ['cause'],
    'Where the time of late starts went: unnoticed (the event loop was held), queue, store, call.',
  ),
  skipped: metric(
    ['obbligato_dues_skipped_total', 'obbligato.task.dues_skipped'],
    'counter',
    '{due}',
    ['why', 'task'],
    'Dues that were not served, by why: late (startWithin), running (whileRunning).',
  ),
  preempted: metric(
    ['obbligato_retries_preempted_total', 'obbligato.task.retries_preempted'],
    'counter',
    '{retry}',
    ['task'],
    'Retries that a due instant came before.',
  ),
  abandoned: metric(
    ['obbligato_runs_abandoned_total', 'obbligato.run.abandoned'],
    'counter',
    '{run}',
    ['task'],
    'Runs that ended for the scheduler while their callback goes on (abandonAfter).',
  ),
  // What the scheduler does.
  up: metric(
    ['obbligato_scheduler_up', 'obbligato.scheduler.up'],
    'balance',
    '{scheduler}',
    [],
    'Whether the scheduler of this process is initialized and not stopping.',
  ),
  initializations: metric(
    ['obbligato_initializations_total', 'obbligato.scheduler.initializations'],
    'counter',
    '{initialization}',
    ['result'],
    'Initializations and reloads, by result: success, failure.',
  ),
  clockSteps: metric(
    ['obbligato_clock_steps_total', 'obbligato.clock.steps'],
    'counter',
    '{step}',
    ['direction'],
    'Steps of the wall clock, by direction: forward, backward.',
  ),
  // What the store does.
  commitDuration: metric(
    ['obbligato_store_commit_duration_seconds', 'obbligato.store.commit.duration'],
    'histogram',
    's',
    [],
    'How long the store took to make a batch durable.',
    COMMITS,
  ),
  batchSize: metric(
    ['obbligato_store_batch_changes', 'obbligato.store.batch.changes'],
    'histogram',
    '{change}',
    [],
    'How many changes a durable batch had.',
    SIZES,
  ),
  trouble: metric(
    ['obbligato_store_trouble', 'obbligato.store.trouble'],
    'balance',
    '{store}',
    [],
    'Whether the store is in trouble: starts wait, ends are kept in memory.',
  ),
  troubles: metric(
    ['obbligato_store_troubles_total', 'obbligato.store.troubles'],
    'counter',
    '{trouble}',
    [],
    'How often the store has got into trouble.',
  ),
  refused: metric(
    ['obbligato_store_changes_refused_total', 'obbligato.store.changes_refused'],
    'counter',
    '{change}',
    ['change'],
    'Changes that the store refused, because another scheduler has taken the task over.',
  ),
  setAside: metric(
    ['obbligato_tasks_set_aside', 'obbligato.task.set_aside'],
    'balance',
    '{task}',
    [],
    'Tasks that stand still because their record has gone from the store.',
  ),
  // What the store holds.
  tasks: seen(
    ['obbligato_tasks', 'obbligato.task.count'],
    '{task}',
    ['state'],
    'Tasks by state: waiting, owed, running, retrying, paused, cut_off, interrupted.',
  ),
  failing: seen(
    ['obbligato_tasks_failing', 'obbligato.task.failing'],
    '{task}',
    [],
    'Tasks whose latest run failed.',
  ),
  overdue: seen(
    ['obbligato_task_overdue_seconds', 'obbligato.task.overdue'],
    's',
    ['task'],
    'How long the first due instant, retry or cut-off run that is owed a start has waited for it; 0 if nothing is owed.',
  ),
  failures: seen(
    ['obbligato_task_consecutive_failures', 'obbligato.task.consecutive_failures'],
    '{run}',
    ['task'],
    'Failures since the last success.',
  ),
  lastStart: seen(
    ['obbligato_task_last_start_timestamp_seconds', 'obbligato.task.last_start'],
    's',
    ['task'],
    'When it was started last, in seconds since the epoch; also of a run that goes on.',
  ),
  runningSince: seen(
    ['obbligato_task_running_since_timestamp_seconds', 'obbligato.task.running_since'],
    's',
    ['task'],
    'When the run that goes on was started, in seconds since the epoch; absent while it does not run.',
  ),
  lastSuccess: seen(
    ['obbligato_task_last_success_timestamp_seconds', 'obbligato.task.last_success'],
    's',
    ['task'],
    'When it succeeded last, in seconds since the epoch.',
  ),
  lastFailure: seen(
    ['obbligato_task_last_failure_timestamp_seconds', 'obbligato.task.last_failure'],
    's',
    ['task'],
    'When it failed last, in seconds since the epoch.',
  ),
  nextDue: seen(
    ['obbligato_task_next_due_timestamp_seconds', 'obbligato.task.next_due'],
    's',
    ['task'],
    'The first due instant that is not served, in seconds since the epoch: in the past if it is owed.',
  ),
  lastDuration: seen(
    ['obbligato_task_last_duration_seconds', 'obbligato.task.last_duration'],
    's',
    ['task'],
    'How long its latest run took.',
  ),
  paused: seen(
    ['obbligato_task_paused', 'obbligato.task.paused'],
    '{task}',
    ['task'],
    'Whether an operator has paused it.',
  ),
  taskInfo: seen(
    ['obbligato_task_info', 'obbligato.task.info'],
    '1',
    ['cron', 'time_zone', 'task'],
    'Always 1; the labels have the expression and the zone.',
  ),
  owned: seen(
    ['obbligato_store_owned', 'obbligato.store.owned'],
    '{store}',
    [],
    'Whether a scheduler owns the store, in whatever process.',
  ),
  damaged: seen(
    ['obbligato_store_damaged_records', 'obbligato.store.damaged_records'],
    '{record}',
    [],
    'Records on which a scheduler would refuse to start.',
  ),
  readable: seen(
    ['obbligato_store_readable', 'obbligato.store.readable'],
    '{store}',
    [],
    'Whether the store could be looked into; if not, the other metrics of the store are absent.',
  ),
  lookedAt: seen(
    ['obbligato_store_looked_at_timestamp_seconds', 'obbligato.store.looked_at'],
    's',
    [],
    'When the store was looked into, in seconds since the epoch: the metrics of the store are as of then.',
  ),
  lookDuration: seen(
    ['obbligato_store_look_duration_seconds', 'obbligato.store.look.duration'],
    's',
    [],
    'How long that took.',
  ),
  // What a cluster does: only where several instances may share the store.
  instances: seen(
    ['obbligato_instances', 'obbligato.instance.count'],
    '{instance}',
    [],
    'Instances of the cluster that are alive.',
  ),
  leaseLeft: seen(
    ['obbligato_instance_lease_remaining_seconds', 'obbligato.instance.lease_remaining'],
    's',
    ['instance_id'],
    'How long an instance is still taken for alive if it is not heard of again.',
  ),
  instanceRuns: seen(
    ['obbligato_instance_runs_active', 'obbligato.instance.runs_active'],
    '{run}',
    ['instance_id'],
    'Runs that an instance has begun and not ended.',
  ),
  clockOffset: seen(
    ['obbligato_clock_offset_seconds', 'obbligato.clock.offset'],
    's',
    [],
    'By how much the clock of the store is ahead of the one of this process, which is scraped.',
  ),
  // What the process does.
  loopDelay: seen(
    ['obbligato_event_loop_delay_seconds', 'obbligato.event_loop.delay'],
    's',
    ['percentile'],
    'By how much the event loop of this process was late, within the last one to two minutes.',
    'process',
  ),
  build: seen(
    ['obbligato_build_info', 'obbligato.build.info'],
    '1',
    ['version', 'node'],
    'Always 1; the labels have the version of the package and of Node.',
    'process',
  ),
} as const satisfies Readonly<Record<string, Metric>>;
