/** Looks at the options of `createScheduler`: a wrong one is a mistake in the program, and the error says what to write. */
import { printable } from '../text/printable.ts';
import { refuseUnknown, wayFrom } from '../text/unknown-name.ts';
import { toMilliseconds } from '../time/duration.ts';
import { zoneOf } from '../time/zone.ts';
import { OPTION_WORDS } from './foreign-words.ts';
import type { SchedulerOptions } from './options.ts';

type Check = (value: unknown) => string | undefined;

const has = (value: unknown, methods: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  methods.every((method) => typeof Reflect.get(value, method) === 'function');

const isFunction: Check = (value) => (typeof value === 'function' ? undefined : 'must be a function');
const isBoolean: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const isCount: Check = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'must not be negative';
const isDuration: Check = (value) =>
  value === Number.POSITIVE_INFINITY || Number(toMilliseconds(value)) >= 0
    ? undefined
    : 'must be a duration, such as seconds(5), and must not be negative';

const isZone: Check = (value) => {
  if (typeof value !== 'string') return "must be the name of a zone, such as 'Europe/Stockholm'";
  zoneOf(value); // throws an error of its own
  return undefined;
};

const isRetention: Check = (value) => {
  if (value === false) return undefined;
  const way = 'must be false, or an object such as { keepDays: 30, keepRuns: 1_000_000 }';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return way;
  const isKnown = ([name, count]: [string, unknown]): boolean =>
    (name === 'keepDays' || name === 'keepRuns') && (count === undefined || isCount(count) === undefined);
  return Object.entries(value).every(isKnown) ? undefined : `${way}, without anything negative`;
};

const CHECKS: Readonly<Record<keyof SchedulerOptions, Check>> = {
  store: (value) => {
    if (typeof value === 'string' && /^postgres(ql)?:/i.test(value))
      return 'must be a file or a store; for PostgreSQL write postgres(…) of "obbligato/postgres"';
    return typeof value === 'string' || value instanceof URL || has(value, ['open'])
      ? undefined
      : "must be a store, such as 'jobs.db', sqlite('jobs.db') or memory()";
  },
  timeZone: isZone,
  clock: (value) =>
    has(value, ['now', 'monotonic', 'setTimer', 'defer'])
      ? undefined
      : 'must be a clock, with the methods now, monotonic, setTimer and defer',
  workers: (value) =>
    value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) >= 1)
      ? undefined
      : 'must be a whole number of at least 1, or Infinity',
  logger: (value) =>
    value === false || has(value, ['debug', 'info', 'warn', 'error'])
      ? undefined
      : 'must have the methods debug, info, warn and error, as console has; or be false, for silence',
  onEvent: isFunction,
  trace: isFunction,
  lockWait: isDuration,
  finalWrite: isDuration,
  lateAfter: isDuration,
  history: isRetention,
  recordErrors: isBoolean,
  reload: isBoolean,
  guardRemovals: isBoolean,
};

/** The options that are durations, in milliseconds; each may be without end. */
export interface Lengths {
  readonly lockWaitMs: number;
  readonly finalWriteMs: number;
  readonly lateAfterMs: number;
}

/** Reads durations that were checked. */
export function lengthsOf({
  lockWait = 0,
  finalWrite = 10_000,
  lateAfter = 1000,
}: SchedulerOptions): Lengths {
  const forEver = Number.POSITIVE_INFINITY; // no finite number, and so no number of milliseconds
  return {
    lockWaitMs: toMilliseconds(lockWait) ?? forEver,
    finalWriteMs: toMilliseconds(finalWrite) ?? forEver,
    lateAfterMs: toMilliseconds(lateAfter) ?? forEver,
  };
}

/** What is wrong with the value of an option, if anything is. A zone that is not known is thrown. */
export const optionProblem = (name: keyof SchedulerOptions, value: unknown): string | undefined =>
  CHECKS[name](value);

export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError('createScheduler takes an object of options, or nothing');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(CHECKS, name))
      refuseUnknown('createScheduler', { [name]: value }, Object.keys(CHECKS), OPTION_WORDS);
    const problem = CHECKS[name as keyof SchedulerOptions](value);
    if (problem === undefined) continue;
    const message = `${name} ${problem}; got ${shown(value)}`;
    throw typeof value === 'number' ? new RangeError(message) : new TypeError(message);
  }
}

/** What to write instead of an option that is not known, if anything is near. */
export const optionWay = (name: string, known: readonly string[]): string | undefined =>
  wayFrom(name, known, OPTION_WORDS);

function shown(value: unknown): string {
  // An address may have a password (G5).
  if (typeof value === 'string')
    return `"${printable(value.replace(/^([a-z]+:\/\/).*/is, '$1…')).slice(0, 40)}"`;
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : `a value of type ${typeof value}`;
}
