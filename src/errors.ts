/**
 * Every error the library throws on purpose (G1).
 *
 * Names, messages and detail keys are a contract: users match on them, and a snapshot test keeps them. Each error
 * carries its particulars twice, in `details` and as fields of its own, so that `error.details.field` and
 * `error.field` both read naturally; an error that wraps another has it as `cause` and as `details.cause`. What else a program may
 * want to know is a field too: the way out (`wayOut`), and what an `initialize` failed for (`fault`).
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

/** A message that ends in a way out. */
export type WithWayOut = readonly [problem: string, separator: ': ' | '; ', wayOut: string];

/** The base of all of them: `error instanceof ObbligatoError` is true for our errors, and for no other. */
export abstract class ObbligatoError<Details extends object = object> extends Error {
  readonly details: Readonly<Details & { cause?: unknown }>;
  /** The message without the way out. */
  declare readonly problem: string;
  /** What to do about it: the end of the message. Undefined where the library does not know. */
  declare readonly wayOut: string | undefined;

  constructor(name: string, message: string | WithWayOut, details: Details, cause?: unknown) {
    const [problem, separator, wayOut] = typeof message === 'string' ? [message] : message;
    super(`${problem}${separator ?? ''}${wayOut ?? ''}`, cause === undefined ? undefined : { cause });
    this.details = Object.freeze(cause === undefined ? { ...details } : { ...details, cause });
    // A detail called "name" stays in `details` alone: on an error that word is taken.
    for (const [key, value] of Object.entries({ ...this.details, problem, wayOut, name })) {
      Object.defineProperty(this, key, { value, enumerable: false, configurable: true, writable: true });
    }
  }

  /** What an `initialize` that rejects with this failed for; undefined for an error with which none does. */
  get fault(): Fault | undefined {
    return undefined;
  }
}

/** Any error of a list of tasks that `initialize` refuses. */
export abstract class RegistrationError<Details extends object = object> extends ObbligatoError<Details> {
  override get fault(): 'list' {
    return 'list';
  }
}

/** `initialize` was given something that is not an array. */
export class RegistrationsNotArrayError extends RegistrationError {
  constructor() {
    super('RegistrationsNotArrayError', 'Registrations must be an array', {});
  }
}

/** A registration is not a `[name, cron, callback, retryDelay]` of the right types. */
export class RegistrationShapeError extends RegistrationError<{
  registrationIndex: number;
  received: unknown;
}> {
  declare readonly registrationIndex: number;
  declare readonly received: unknown;

  constructor(registrationIndex: number, received: unknown, cause?: unknown) {
    super(
      'RegistrationShapeError',
      'Invalid registration shape: expected [string, string, function, Duration]',
      { registrationIndex, received },
      cause,
    );
  }
}

/** A registration has the right types, but a value that cannot be used. */
export class InvalidRegistrationError extends RegistrationError<{
  field: string;
  value: unknown;
  reason: string;
}> {
  declare readonly field: string;
  declare readonly value: unknown;
  declare readonly reason: string;

  constructor(registrationIndex: number, field: string, value: unknown, reason: string) {
    super(
      'InvalidRegistrationError',
      `Invalid registration at index ${registrationIndex}: ${field} ${reason}`,
      {
        field,
        value,
        reason,
      },
    );
  }
}

/** Two registrations have the same name. */
export class ScheduleDuplicateTaskError extends RegistrationError<{ taskName: string }> {
  declare readonly taskName: string;

  constructor(taskName: string) {
    super('ScheduleDuplicateTaskError', `Task with name "${taskName}" is already scheduled`, { taskName });
  }
}

/** A registration's cron expression is refused; `cause` is the parser's own error, or the proof that it is never due. */
export class CronExpressionInvalidError extends RegistrationError<{
  expression: string;
  field: string;
  reason: string;
}> {
  declare readonly expression: string;
  declare readonly field: string;
  declare readonly reason: string;

  constructor({ message, expression, field, reason }: InvalidCronExpressionError, cause: unknown) {
    super('CronExpressionInvalidError', message, { expression, field, reason }, cause);
  }
}

/** A retry delay is below zero. */
export class NegativeRetryDelayError extends RegistrationError<{ retryDelayMs: number }> {
  declare readonly retryDelayMs: number;

  constructor(retryDelayMs: number) {
    super('NegativeRetryDelayError', 'Retry delay must be non-negative', { retryDelayMs });
  }
}

/** `initialize` was called while the scheduler was already initializing, running or stopping (D4). */
export class SchedulerAlreadyActiveError extends ObbligatoError<{ currentState: ActiveState }> {
  declare readonly currentState: ActiveState;

  constructor(currentState: ActiveState) {
    super(
      'SchedulerAlreadyActiveError',
      `Cannot initialize scheduler: scheduler is already ${currentState}`,
      {
        currentState,
      },
    );
  }

  override get fault(): 'active' {
    return 'active';
  }
}

/** What a scheduler is while it is not at rest. */
export type ActiveState = 'initializing' | 'running' | 'stopping';

/** The store would not take the registrations; what was stored before stands (E5). `name` is `*` when all of them are concerned. */
export class ScheduleTaskError extends ObbligatoError<{ name: string; cronExpression: string }> {
  declare readonly cronExpression: string;

  constructor(name: string, cronExpression: string, cause: Error) {
    super(
      'ScheduleTaskError',
      `Failed to schedule task '${name}': ${cause.message}`,
      { name, cronExpression },
      cause,
    );
  }

  override get fault(): 'store' {
    return 'store';
  }
}

/** The last write of a stopping scheduler failed. Ends that did not become durable are lost: the next `initialize` repeats those runs (D7). */
export class StopSchedulerError extends ObbligatoError {
  constructor(cause: Error) {
    super('StopSchedulerError', `Failed to stop scheduler: ${cause.message}`, {}, cause);
  }
}

/** A list lacks more than half of what is stored, and `guardRemovals` is on (I6). Nothing has changed. */
export class RemovalsRefusedError extends ObbligatoError<{ names: readonly string[]; stored: number }> {
  declare readonly names: readonly string[];
  declare readonly stored: number;

  constructor(names: readonly string[], stored: number) {
    const some = names.slice(0, 10).map((name) => `"${visible(name, 60)}"`);
    const more = names.length > some.length ? ` and ${names.length - some.length} more` : '';
    super(
      'RemovalsRefusedError',
      [
        `The list would forget ${names.length} of ${stored} stored tasks: ${some.join(', ')}${more}`,
        '; ',
        'if that is meant, initialize without guardRemovals, or run with --allow-removal',
      ],
      { names, stored },
    );
  }

  /** What is stored speaks against the list. */
  override get fault(): 'store' {
    return 'store';
  }
}

/** A run took longer than its `timeout`, or `withTimeout`, lets it. */
export class TaskTimeoutError extends ObbligatoError<{ taskName: string; limitMs: number }> {
  declare readonly taskName: string;
  declare readonly limitMs: number;

  constructor(taskName: string, limitMs: number) {
    super('TaskTimeoutError', `Task "${taskName}" took longer than ${limitMs} ms`, { taskName, limitMs });
  }
}

/** Somebody has asked for the end of a run (I4): the reason of its signal. */
export class TaskCancelledError extends ObbligatoError<{ taskName: string }> {
  declare readonly taskName: string;

  constructor(taskName: string) {
    super('TaskCancelledError', `Task "${taskName}" was cancelled`, { taskName });
  }
}

/** A run is not current any more, so that it cannot be completed (K8): another instance has taken its task over, or the run is over. */
export class RunLostError extends ObbligatoError<{ taskName: string; runId: string }> {
  declare readonly taskName: string;
  declare readonly runId: string;

  constructor(taskName: string, runId: string) {
    super(
      'RunLostError',
      [`Run "${runId}" of task "${taskName}" is not current any more`, ': ', 'roll back'],
      { taskName, runId },
    );
  }
}

/** A run cannot be completed in a transaction as it was asked (K8). */
export class CompletionError extends ObbligatoError<{ taskName: string; reason: string }> {
  declare readonly taskName: string;
  declare readonly reason: string;

  constructor(taskName: string, reason: string) {
    super('CompletionError', `Task "${taskName}" cannot be completed in a transaction: ${reason}`, {
      taskName,
      reason,
    });
  }
}

/** The base of what is wrong with a stored record (E7). `taskName` says whose it is, where that can be read. */
export class TaskTryDeserializeError<Details extends object = object> extends ObbligatoError<
  Details & { taskName: string }
> {
  declare readonly taskName: string;

  override get fault(): 'store' {
    return 'store';
  }
}

/** A stored record lacks a field (E7). */
export class TaskMissingFieldError extends TaskTryDeserializeError<{ field: string }> {
  declare readonly field: string;

  constructor(taskName: string, field: string) {
    super('TaskMissingFieldError', `Missing required field: ${field}`, { field, taskName });
  }
}

/** A field of a stored record has the wrong type (E7). */
export class TaskInvalidTypeError extends TaskTryDeserializeError<{
  field: string;
  value: unknown;
  expectedType: string;
  actualType: string;
}> {
  declare readonly field: string;
  declare readonly value: unknown;
  declare readonly expectedType: string;
  declare readonly actualType: string;

  constructor(taskName: string, field: string, value: unknown, expectedType: string) {
    const actualType = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    super(
      'TaskInvalidTypeError',
      `Invalid type for field '${field}': expected ${expectedType}, got ${actualType}`,
      { field, value, expectedType, actualType, taskName },
    );
  }
}

/** A field of a stored record has the right type, and a value that makes no sense (E7). */
export class TaskInvalidValueError extends TaskTryDeserializeError<{
  field: string;
  value: unknown;
  reason: string;
}> {
  declare readonly field: string;
  declare readonly value: unknown;
  declare readonly reason: string;

  constructor(taskName: string, field: string, value: unknown, reason: string) {
    super('TaskInvalidValueError', `Invalid value for field '${field}': ${reason}`, {
      field,
      value,
      reason,
      taskName,
    });
  }
}

/** What is stored is no record at all (E7). */
export class TaskInvalidStructureError extends TaskTryDeserializeError<{ value: unknown }> {
  declare readonly value: unknown;

  constructor(value: unknown, problem: string) {
    super('TaskInvalidStructureError', `Invalid task record: ${problem}`, { value, taskName: '' });
  }
}

/** A store holds records that cannot be matched with what is expected of it. */
export class TaskListMismatchError extends ObbligatoError<{ expected: unknown; actual: unknown }> {
  declare readonly expected: unknown;
  declare readonly actual: unknown;

  constructor(problem: string, expected: unknown, actual: unknown) {
    super('TaskListMismatchError', `Task list mismatch: ${problem}`, { expected, actual });
  }

  override get fault(): 'store' {
    return 'store';
  }
}

/** One field of a cron expression cannot be read. It is the `cause` of an {@link InvalidCronExpressionError}. */
export class FieldParseError extends ObbligatoError<{ fieldValue: string; fieldName: string }> {
  declare readonly fieldValue: string;
  declare readonly fieldName: string;

  constructor(fieldName: string, fieldValue: string, reason: string) {
    super('FieldParseError', `${fieldName} field ${reason}`, { fieldValue, fieldName });
  }
}

/** An expression longer than this is refused for its length (C0); a message shows its beginning, the details have all of it. */
const LONGEST_SHOWN = 1000;

/** A text is not a cron expression that can ever be due. `reason` is one line and says what to write instead. */
export class InvalidCronExpressionError extends ObbligatoError<{
  expression: string;
  field: string;
  reason: string;
}> {
  declare readonly expression: string;
  declare readonly field: string;
  declare readonly reason: string;

  /** `around` is what a message says besides: whose expression it is, and what else can be written. */
  constructor(
    expression: string,
    field: string,
    reason: string,
    cause: Error,
    around: { readonly before?: string; readonly after?: string } = {},
  ) {
    const shown = expression.length > LONGEST_SHOWN ? `${expression.slice(0, 40)}…` : expression;
    const { before = '', after = '' } = around;
    super(
      'InvalidCronExpressionError',
      `${before}Invalid cron expression "${shown}": ${field} field ${reason}${after}`,
      { expression, field, reason },
      cause,
    );
  }
}

/** A schedule has no due instant where one was asked for. `currentTime` is an ISO instant, or `any` when there is none at all. */
export class CronCalculationError extends ObbligatoError<{ expression: string; currentTime: string }> {
  declare readonly expression: string;
  declare readonly currentTime: string;

  constructor(expression: string, currentTime: string, cause: Error) {
    super(
      'CronCalculationError',
      `Failed to calculate next occurrence: ${cause.message}`,
      { expression, currentTime },
      cause,
    );
  }
}

/** A `timeZone` that the runtime does not know, with the names that were perhaps meant. */
export class UnknownTimeZoneError extends ObbligatoError<{
  timeZone: string;
  suggestions: readonly string[];
}> {
  declare readonly timeZone: string;
  declare readonly suggestions: readonly string[];

  constructor(timeZone: string, suggestions: readonly string[]) {
    const hint =
      suggestions.length > 0
        ? `did you mean ${suggestions.map((name) => `"${name}"`).join(' or ')}?`
        : 'use an IANA name such as "Europe/Stockholm" or "UTC"';
    super('UnknownTimeZoneError', [`Unknown time zone "${visible(timeZone, 64)}"`, ': ', hint], {
      timeZone,
      suggestions,
    });
  }

  override get fault(): 'host' {
    return 'host';
  }
}

/** The host's own zone has no name: `TZ` holds something else. Pass `timeZone`, and the host's zone is not needed. */
export class HostTimeZoneError extends ObbligatoError<{ setting: string }> {
  declare readonly setting: string;

  constructor(setting: string) {
    super(
      'HostTimeZoneError',
      [
        `The host's TZ="${visible(setting, 64)}" names no IANA zone, and no fixed offset either`,
        '; ',
        'pass { timeZone: "Europe/Stockholm" } or the like',
      ],
      { setting },
    );
  }

  override get fault(): 'host' {
    return 'host';
  }
}
