/**
 * Every error the library throws on purpose (G1).
 *
 * Names, messages and detail keys are a contract: users match on them, and a snapshot test keeps them. Each class is made by
 * {@link errorClass} from its name, its base, and a function from the arguments of its constructor to the message and the details, so that
 * each of them is stated once.
 */

/** A text from outside, made fit for a message: at most so many characters, and all on one line. */
export function visible(text: string, length: number): string {
  const clipped = text.length > length ? `${text.slice(0, length)}…` : text;
  return clipped.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, codePoint);
}

/** A value of any kind in a few words, for a message: what it is, or its kind if that would be too long. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `"${visible(value, 40)}"`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : 'a Date';
  return typeof value === 'object' && value !== null ? 'an object' : visible(String(value), 40);
}

/** "U+000A". */
export const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** What an `initialize` failed for: the list of tasks, a scheduler that is already active, the store, or the host (its time zone). */
export type Fault = 'list' | 'active' | 'store' | 'host';

/** A message that ends in a way out, after a colon or a semicolon. */
export type WithWayOut = readonly [problem: string, wayOut: string, separator?: '; '];

/** What one error says and carries. */
export interface Content<Details extends object = object> {
  readonly message: string | WithWayOut;
  readonly details: Details;
  readonly cause?: unknown;
  readonly fault?: Fault | undefined;
}

/**
 * The base of all of them: `error instanceof ObbligatoError` is true for our errors, and for no other.
 *
 * An error carries its particulars twice, in `details` and as fields of its own, so that `error.details.field` and `error.field` both read
 * naturally. Node prints the properties of an error that can be enumerated, and its cause. So only `details` can be enumerated, without the
 * cause in it: each particular and each cause is printed once, and loggers that write an error as JSON have the particulars.
 */
export abstract class ObbligatoError extends Error {
  declare readonly details: Readonly<{ cause?: unknown }>;
  /** The message without the way out. */
  declare readonly problem: string;
  /** What to do about it. Undefined where the library does not know, and where the message says it all. */
  declare readonly wayOut: string | undefined;
  /** Which task of the program it is about, such as `tasks[0] ("backup")`. Undefined for an error that is about none. */
  declare readonly place: string | undefined;
  /** What an `initialize` that rejects with this failed for; undefined for an error with which none does. */
  declare readonly fault: Fault | undefined;

  constructor({ message, details, cause, fault }: Content) {
    const [problem, wayOut, separator = ': '] = typeof message === 'string' ? [message] : message;
    const holder = cause === undefined ? undefined : { cause };
    super(wayOut === undefined ? problem : `${problem}${separator}${wayOut}`, holder);
    this.details = Object.freeze(hide({ ...details }, holder));
    // A detail called "name" stays in `details` alone: on an error that word is taken.
    hide(this, { ...details, name: this.name, problem, wayOut, place: undefined, fault });
  }

  /** The error in one line: the place, the message, and the way out if the message does not end in it. The stack begins with it. */
  get headline(): string {
    const { place, message, wayOut } = this;
    const whole = place === undefined ? message : `${place}: ${message}`;
    return wayOut === undefined || message.endsWith(wayOut) ? whole : `${whole}; ${wayOut}`;
  }
}

/** Puts properties on an object that are not enumerated. */
function hide<Target extends object>(target: Target, properties: object = {}): Target {
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(target, name, { value, enumerable: false, configurable: true, writable: true });
  return target;
}

/**
 * Says of an error that is about to be thrown which task it is about, and the way out if its message does not. Our own causes were made in the
 * same call, so that their stacks say nothing new, and are cut off.
 */
export function placed<Err extends ObbligatoError>(error: Err, place: string, wayOut = error.wayOut): Err {
  const before = String(error);
  const { stack } = hide(error, { place, wayOut });
  if (stack !== undefined) error.stack = stack.replace(before, () => `${error.name}: ${error.headline}`);
  for (let { cause } = error; cause instanceof ObbligatoError; { cause } = cause) cause.stack = String(cause);
  return error;
}

/** A class of errors: each has the details as fields, too. */
export type ErrorClass<Args extends readonly unknown[], Details extends object, Base = ObbligatoError> = new (
  ...args: Args
) => Base & Readonly<Details> & { readonly details: Readonly<Details> };

/**
 * Makes a class of errors. `contentOf` makes of the arguments of the constructor what the error says and carries. Bundlers are told that the
 * call does nothing else, so that they leave out the classes that a program does not use.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function errorClass<
  Args extends readonly unknown[],
  Details extends object,
  Base extends ObbligatoError,
>(
  name: string,
  base: abstract new (content: Content) => Base,
  contentOf: (...args: Args) => Content<Details>,
): ErrorClass<Args, Details, Base> {
  const Parent: abstract new (content: Content) => ObbligatoError = base;
  class Made extends Parent {
    constructor(...args: Args) {
      super(contentOf(...args));
    }
  }
  hide(Made.prototype, { name });
  // The one cast: `ObbligatoError` has made fields of the details.
  return Made as unknown as ErrorClass<Args, Details, Base>;
}

/** Any error of a list of tasks that `initialize` refuses. */
export abstract class RegistrationError extends ObbligatoError {
  constructor(content: Content) {
    super({ ...content, fault: 'list' });
  }
}

/** `initialize` was given something that is not an array. */
export class RegistrationsNotArrayError extends errorClass(
  'RegistrationsNotArrayError',
  RegistrationError,
  () => ({ message: 'Registrations must be an array', details: {} }),
) {}

/** A registration is not a `[name, cron, callback, retryDelay]` of the right types. */
export class RegistrationShapeError extends errorClass(
  'RegistrationShapeError',
  RegistrationError,
  (registrationIndex: number, received: unknown, cause?: unknown) => ({
    message: 'Invalid registration shape: expected [string, string, function, Duration]',
    details: { registrationIndex, received },
    cause,
  }),
) {}

/** A registration has the right types, but a value that cannot be used. */
export class InvalidRegistrationError extends errorClass(
  'InvalidRegistrationError',
  RegistrationError,
  (registrationIndex: number, field: string, value: unknown, reason: string) => ({
    message: `Invalid registration at index ${registrationIndex}: ${field} ${reason}`,
    details: { field, value, reason },
  }),
) {}

/** Two registrations have the same name. */
export class ScheduleDuplicateTaskError extends errorClass(
  'ScheduleDuplicateTaskError',
  RegistrationError,
  (taskName: string) => ({
    message: `Task with name "${taskName}" is already scheduled`,
    details: { taskName },
  }),
) {}

/** A registration's cron expression is refused; `cause` is the parser's own error, or the proof that it is never due. */
export class CronExpressionInvalidError extends errorClass(
  'CronExpressionInvalidError',
  RegistrationError,
  ({ message, expression, field, reason }: InvalidCronExpressionError, cause: unknown) => ({
    message,
    details: { expression, field, reason },
    cause,
  }),
) {}

/** A retry delay is below zero. */
export class NegativeRetryDelayError extends errorClass(
  'NegativeRetryDelayError',
  RegistrationError,
  (retryDelayMs: number) => ({ message: 'Retry delay must be non-negative', details: { retryDelayMs } }),
) {}

/** `initialize` was called while the scheduler was already initializing, running or stopping (D4). */
export class SchedulerAlreadyActiveError extends errorClass(
  'SchedulerAlreadyActiveError',
  ObbligatoError,
  (currentState: ActiveState) => ({
    message: `Cannot initialize scheduler: scheduler is already ${currentState}`,
    details: { currentState },
    fault: 'active',
  }),
) {}

/** What a scheduler is while it is not at rest. */
export type ActiveState = 'initializing' | 'running' | 'stopping';

/** The store would not take the registrations; what was stored before stands (E5). `details.name` is `*` when all of them are concerned. */
export class ScheduleTaskError extends errorClass(
  'ScheduleTaskError',
  ObbligatoError,
  (name: string, cronExpression: string, cause: Error) => ({
    message: `Failed to schedule task '${name}': ${cause.message}`,
    details: { name, cronExpression },
    cause,
    fault: 'store',
  }),
) {}

/** The last write of a stopping scheduler failed. Ends that did not become durable are lost: the next `initialize` repeats those runs (D7). */
export class StopSchedulerError extends errorClass('StopSchedulerError', ObbligatoError, (cause: Error) => ({
  message: `Failed to stop scheduler: ${cause.message}`,
  details: {},
  cause,
})) {}

/** A list lacks more than half of what is stored, and `guardRemovals` is on (I6). Nothing has changed. */
export class RemovalsRefusedError extends errorClass(
  'RemovalsRefusedError',
  ObbligatoError,
  (names: readonly string[], stored: number) => {
    const some = names.slice(0, 10).map((name) => `"${visible(name, 60)}"`);
    const more = names.length > some.length ? ` and ${names.length - some.length} more` : '';
    return {
      message: [
        `The list would forget ${names.length} of ${stored} stored tasks: ${some.join(', ')}${more}`,
        'if that is meant, initialize without guardRemovals, or run with --allow-removal',
        '; ',
      ],
      details: { names, stored },
      fault: 'store', // what is stored speaks against the list
    };
  },
) {}

/** A run took longer than its `timeout`, or `withTimeout`, lets it. */
export class TaskTimeoutError extends errorClass(
  'TaskTimeoutError',
  ObbligatoError,
  (taskName: string, limitMs: number) => ({
    message: `Task "${taskName}" took longer than ${limitMs} ms`,
    details: { taskName, limitMs },
  }),
) {}

/** Somebody has asked for the end of a run (I4): the reason of its signal. */
export class TaskCancelledError extends errorClass(
  'TaskCancelledError',
  ObbligatoError,
  (taskName: string) => ({ message: `Task "${taskName}" was cancelled`, details: { taskName } }),
) {}

/** A run is not current any more, so that it cannot be completed (K8): another instance has taken its task over, or the run is over. */
export class RunLostError extends errorClass(
  'RunLostError',
  ObbligatoError,
  (taskName: string, runId: string) => ({
    message: [`Run "${runId}" of task "${taskName}" is not current any more`, 'roll back'],
    details: { taskName, runId },
  }),
) {}

/** A run cannot be completed in a transaction as it was asked (K8). */
export class CompletionError extends errorClass(
  'CompletionError',
  ObbligatoError,
  (taskName: string, reason: string) => ({
    message: `Task "${taskName}" cannot be completed in a transaction: ${reason}`,
    details: { taskName, reason },
  }),
) {}

/** The base of what is wrong with a stored record (E7). `taskName` says whose it is, where that can be read. */
export abstract class TaskTryDeserializeError extends ObbligatoError {
  declare readonly taskName: string;

  constructor(content: Content) {
    super({ ...content, fault: 'store' });
  }
}

/** A stored record lacks a field (E7). */
export class TaskMissingFieldError extends errorClass(
  'TaskMissingFieldError',
  TaskTryDeserializeError,
  (taskName: string, field: string) => ({
    message: `Missing required field: ${field}`,
    details: { field, taskName },
  }),
) {}

/** A field of a stored record has the wrong type (E7). */
export class TaskInvalidTypeError extends errorClass(
  'TaskInvalidTypeError',
  TaskTryDeserializeError,
  (taskName: string, field: string, value: unknown, expectedType: string) => {
    const actualType: string = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    return {
      message: `Invalid type for field '${field}': expected ${expectedType}, got ${actualType}`,
      details: { field, value, expectedType, actualType, taskName },
    };
  },
) {}

/** A field of a stored record has the right type, and a value that makes no sense (E7). */
export class TaskInvalidValueError extends errorClass(
  'TaskInvalidValueError',
  TaskTryDeserializeError,
  (taskName: string, field: string, value: unknown, reason: string) => ({
    message: `Invalid value for field '${field}': ${reason}`,
    details: { field, value, reason, taskName },
  }),
) {}

/** What is stored is no record at all (E7). */
export class TaskInvalidStructureError extends errorClass(
  'TaskInvalidStructureError',
  TaskTryDeserializeError,
  (value: unknown, problem: string) => ({
    message: `Invalid task record: ${problem}`,
    details: { value, taskName: '' },
  }),
) {}

/** A store holds records that cannot be matched with what is expected of it. */
export class TaskListMismatchError extends errorClass(
  'TaskListMismatchError',
  ObbligatoError,
  (problem: string, expected: unknown, actual: unknown) => ({
    message: `Task list mismatch: ${problem}`,
    details: { expected, actual },
    fault: 'store',
  }),
) {}

/** One field of a cron expression cannot be read. It is the `cause` of an {@link InvalidCronExpressionError}. */
export class FieldParseError extends errorClass(
  'FieldParseError',
  ObbligatoError,
  (fieldName: string, fieldValue: string, reason: string) => ({
    message: `${fieldName} field ${reason}`,
    details: { fieldValue, fieldName },
  }),
) {}

/** An expression longer than this is refused for its length (C0); a message shows its beginning, the details have all of it. */
const LONGEST_SHOWN = 1000;

/** A text is not a cron expression that can ever be due. `reason` is one line and says what to write instead. */
export class InvalidCronExpressionError extends errorClass(
  'InvalidCronExpressionError',
  ObbligatoError,
  (expression: string, field: string, reason: string, cause: Error) => {
    const shown = expression.length > LONGEST_SHOWN ? `${expression.slice(0, 40)}…` : expression;
    return {
      message: `Invalid cron expression "${shown}": ${field} field ${reason}`,
      details: { expression, field, reason },
      cause,
    };
  },
) {}

/** A schedule has no due instant where one was asked for. `currentTime` is an ISO instant, or `any` when there is none at all. */
export class CronCalculationError extends errorClass(
  'CronCalculationError',
  ObbligatoError,
  (expression: string, currentTime: string, cause: Error) => ({
    message: `Failed to calculate next occurrence: ${cause.message}`,
    details: { expression, currentTime },
    cause,
  }),
) {}

/** A `timeZone` that the runtime does not know, with the names that were perhaps meant. */
export class UnknownTimeZoneError extends errorClass(
  'UnknownTimeZoneError',
  ObbligatoError,
  (timeZone: string, suggestions: readonly string[]) => ({
    message: [
      `Unknown time zone "${visible(timeZone, 64)}"`,
      suggestions.length > 0
        ? `did you mean ${suggestions.map((name) => `"${name}"`).join(' or ')}?`
        : 'use an IANA name such as "Europe/Stockholm" or "UTC"',
    ],
    details: { timeZone, suggestions },
    fault: 'host',
  }),
) {}

/** The host's own zone has no name: `TZ` holds something else. Pass `timeZone`, and the host's zone is not needed. */
export class HostTimeZoneError extends errorClass('HostTimeZoneError', ObbligatoError, (setting: string) => ({
  message: [
    `The host's TZ="${visible(setting, 64)}" names no IANA zone, and no fixed offset either`,
    'pass { timeZone: "Europe/Stockholm" } or the like',
    '; ',
  ],
  details: { setting },
  fault: 'host',
})) {}
