/** `task`: a registration as an object, with what a tuple has no place for (H1–H10). Everything is checked at the call. */
import { type PingTarget, setPing, webAddress } from '../core/ping.ts';
import { type Policy, policyOf, type StoredPolicy } from '../core/policy.ts';
import { TaskObject } from '../core/task-object.ts';
import { type DayRule, dayRuleProblem, hasSuchDay } from '../cron/day-rule.ts';
import { parseSchedule } from '../cron/expression.ts';
import { describeValue, placed, UnknownTimeZoneError, visible } from '../errors.ts';
import { wayFrom } from '../text/unknown-name.ts';
import { type Duration, hours, minutes, toMilliseconds } from '../time/duration.ts';
import { zoneOf } from '../time/zone.ts';
import { parseTaskCron } from './cron.ts';
import { RETRY_WORDS, TASK_WORDS } from './foreign-words.ts';
import type { Callback } from './options.ts';

/** How failed work is tried again (H2). */
export interface RetryPolicy {
  /** How long after the first failure. */
  readonly delay: Duration;
  /** After how many attempts the work is given up; never by default. */
  readonly max?: number;
  /** By what the delay is multiplied after each further failure; 1 by default. */
  readonly backoff?: number;
  /** The longest delay; no bound by default. */
  readonly maxDelay?: Duration;
}

/** What `task` takes. */
export interface TaskOptions {
  /** Its history belongs to it. */
  readonly name: string;
  /** A POSIX expression; `cron('*\/5 * * * mon-fri')` makes one of the popular forms. */
  readonly cron: string;
  /** What it does. A promise is waited for; the run fails if it throws or rejects. */
  readonly run: Callback;
  /** `false` for never. By default after 1 minute, then 2, 4, 8 …, at most an hour, until it succeeds or is due again. */
  readonly retry?: RetryPolicy | false;
  /** The zone of its expression, as an IANA name; the scheduler's by default (H3). */
  readonly timeZone?: string;
  /**
   * What a change of the clock does (H3). `posix`: a local time that is skipped is not due, one that is repeated is due twice.
   * `once`: each is due once, unless the hour field is `*`.
   */
  readonly clockChanges?: 'posix' | 'once';
  /** Days that POSIX cannot say: `lastDayOfMonth()`, `nthWeekday(2, 'tue')`, `everyNthWeek(2, '2026-01-06')`. */
  readonly days?: DayRule;
  /** A due instant that is older than this is not served any more (H4); by default each is, however old. */
  readonly startWithin?: Duration;
  /** What becomes of a due that comes while the task runs (H9): one start follows (`remember`), none does (`skip`), or the run is aborted for it (`replace`). */
  readonly whileRunning?: 'remember' | 'skip' | 'replace';
  /** Every due instant is moved by a part of this that the name decides (H5), so that many tasks do not start at once. */
  readonly jitter?: Duration;
  /** After this the signal is aborted, and the run counts as failed (H6). */
  readonly timeout?: Duration;
  /** How long after the timeout the run counts as ended, although its callback has not; by default it is waited for. */
  readonly abandonAfter?: Duration;
  /** Whether a changed registration keeps the history of the name, or makes it a new one (H10). */
  readonly onOverride?: 'keep' | 'reset';
  /** In a sentence, for people. */
  readonly description?: string;
  /** Anything that JSON can say; it is kept with the task. */
  readonly meta?: unknown;
  /**
   * Who is told of each start and end: the address of a check, or what `healthchecks` or `sentry` makes. `pings({ tasks })` of `obbligato/telemetry` sends it,
   * and so does `obbligato run`. It is a secret: it is stored, printed and traced nowhere.
   */
  readonly ping?: PingTarget | undefined;
}

/** What `task` makes. `initialize` takes it, mixed with tuples. */
export interface Task {
  readonly name: string;
  readonly cron: string;
}

/** A task: what `[name, cron, callback, retryDelay]` says, and everything that a tuple has no place for (H1). */
export function task(options: TaskOptions): Task {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`task takes an object: task({ name, cron, run }); got ${describeValue(options)}`);
  const label = typeof options.name === 'string' ? ` "${visible(options.name, 40)}"` : '';
  const wrong = (name: string, must: string): TypeError =>
    new TypeError(`task${label}: ${name} ${must}; got ${describeValue(Reflect.get(options, name))}`);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(CHECKS, name)) continue;
    const known = Object.keys(CHECKS);
    const way = wayFrom(name, known, TASK_WORDS) ?? `they are ${known.join(', ')}`;
    throw new TypeError(`task${label} has no property "${visible(name, 40)}": ${way}`);
  }
  for (const [name, check] of Object.entries(CHECKS)) {
    const value: unknown = Reflect.get(options, name);
    const must = value === undefined ? REQUIRED.get(name) : check(value, label);
    // An address that is wrong in one place may still have the secret in another.
    if (must !== undefined)
      throw name === 'ping' ? new TypeError(`task${label}: ping ${must}`) : wrong(name, must);
  }
  const { name, cron: expression, run, days } = options;
  if (days !== undefined && !hasSuchDay(parseSchedule(expression), days))
    throw wrong('days', `leaves no day of "${visible(expression, 40)}", so the task would never be due`);
  const made = new TaskObject({
    name,
    cron: expression,
    run,
    ...retryOf(options),
    policy: policyFrom(options),
  });
  setPing(made, options.ping);
  return made;
}

/** What is wrong with a value, if anything is. `label` names the task, for errors of its own. */
type Check = (value: unknown, label: string) => string | undefined;

const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value)
      ? undefined
      : `must be ${words.map((word) => `"${word}"`).join(' or ')}`;

/** A duration of at least so many milliseconds, and a whole number of them. */
const isDuration =
  (least: number): Check =>
  (value) => {
    const count = toMilliseconds(value);
    return count !== undefined && Number.isSafeInteger(count) && count >= least
      ? undefined
      : `must be a duration of at least ${least} ms, such as minutes(5)`;
  };

const isJitter: Check = (value) => {
  const count = toMilliseconds(value);
  return count !== undefined && count >= 1000 && Number.isSafeInteger(count / 1000)
    ? undefined
    : 'must be a whole number of seconds, at least one, such as minutes(10)';
};

const isText =
  (what: string): Check =>
  (value) =>
    typeof value === 'string' && value !== '' && value.isWellFormed() ? undefined : `must be ${what}`;

function isRetry(value: unknown): string | undefined {
  const way =
    'must be false, or an object such as { delay: minutes(1), max: 5, backoff: 2, maxDelay: hours(1) }';
  if (value === false) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return way;
  const known = ['delay', 'max', 'backoff', 'maxDelay'];
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const instead = wayFrom(unknown, known, RETRY_WORDS);
    return `has no property "${visible(unknown, 40)}"${instead === undefined ? '' : `: ${instead}`}; it ${way}`;
  }
  const { delay, max, backoff, maxDelay }: Partial<Record<keyof RetryPolicy, unknown>> = value;
  const problem = isDuration(0)(delay, '');
  if (problem !== undefined) return `needs a delay, which ${problem}`;
  if (max !== undefined && !(Number.isSafeInteger(max) && Number(max) >= 1))
    return 'has a max that must be a whole number of attempts, at least 1';
  if (backoff !== undefined && !(typeof backoff === 'number' && backoff >= 1 && backoff <= 1000))
    return 'has a backoff that must be a number from 1 to 1000';
  const bound = maxDelay === undefined ? undefined : isDuration(0)(maxDelay, '');
  return bound === undefined ? undefined : `has a maxDelay that ${bound}`;
}

function isJson(value: unknown): string | undefined {
  try {
    if (JSON.stringify(value) !== undefined) return undefined;
  } catch {
    // said below
  }
  return 'must be something that JSON can say';
}

const CHECKS: Readonly<Record<keyof TaskOptions, Check>> = {
  name: isText('a text that is not empty, without lone surrogates'),
  cron: (value, label) => {
    if (typeof value !== 'string') return "must be a text, such as '0 3 * * *'";
    parseTaskCron(value, label); // throws an error of its own
    return undefined;
  },
  run: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
  retry: isRetry,
  timeZone: (value, label) => {
    if (typeof value !== 'string') return "must be the name of a zone, such as 'Europe/Stockholm'";
    try {
      zoneOf(value);
      return undefined;
    } catch (error) {
      throw error instanceof UnknownTimeZoneError ? placed(error, `task${label}`) : error;
    }
  },
  clockChanges: oneOf('posix', 'once'),
  days: dayRuleProblem,
  startWithin: isDuration(1),
  whileRunning: oneOf('remember', 'skip', 'replace'),
  jitter: isJitter,
  timeout: isDuration(1),
  abandonAfter: isDuration(0),
  onOverride: oneOf('keep', 'reset'),
  description: isText('a sentence'),
  meta: isJson,
  ping: (value) =>
    typeof value === 'function' || webAddress(value) !== undefined
      ? undefined
      : 'must be an address that begins with https:// or http://, or a function',
};

const REQUIRED: ReadonlyMap<string, string> = new Map([
  ['name', 'is missing: a text'],
  ['cron', "is missing: a text, such as '0 3 * * *'"],
  ['run', 'is missing: a function'],
]);

/** Gentle, and without end: what is left of it when the task is due again is new work anyway. */
const DEFAULT_RETRY: RetryPolicy = { delay: minutes(1), backoff: 2, maxDelay: hours(1) };

const retryOf = ({ retry = DEFAULT_RETRY }: TaskOptions): { retryDelayMs: number } => ({
  retryDelayMs: retry === false ? 0 : (toMilliseconds(retry.delay) ?? 0),
});

function policyFrom(options: TaskOptions): Policy {
  const { retry = DEFAULT_RETRY, timeZone, clockChanges, days, whileRunning, onOverride } = options;
  const limits = retry === false ? { max: 1 } : retryLimits(retry);
  const stored: { -readonly [Name in keyof StoredPolicy]: StoredPolicy[Name] | undefined } = {
    retry: Object.keys(limits).length === 0 ? undefined : limits,
    timeZone: timeZone === undefined ? undefined : zoneOf(timeZone).name,
    clockChanges: clockChanges === 'once' ? clockChanges : undefined,
    days,
    startWithinMs: toMilliseconds(options.startWithin),
    whileRunning: whileRunning === 'remember' ? undefined : whileRunning,
    jitterMs: toMilliseconds(options.jitter),
    timeoutMs: toMilliseconds(options.timeout),
    abandonAfterMs: toMilliseconds(options.abandonAfter),
    onOverride: onOverride === 'reset' ? onOverride : undefined,
    description: options.description,
    meta: options.meta === undefined ? undefined : JSON.parse(JSON.stringify(options.meta)),
  };
  return policyOf(stored as StoredPolicy);
}

function retryLimits({ max, backoff, maxDelay }: RetryPolicy): NonNullable<StoredPolicy['retry']> {
  return {
    ...(max === undefined ? {} : { max }),
    ...(backoff === undefined || backoff === 1 ? {} : { backoff }),
    ...(maxDelay === undefined ? {} : { maxDelayMs: toMilliseconds(maxDelay) ?? 0 }),
  };
}
