/**
 * Every error the library throws on purpose (G1).
 *
 * Names, messages and detail keys are a contract: users match on them, and a snapshot test keeps them. Each error
 * carries its particulars twice, in `details` and as fields of its own, so that `error.details.field` and
 * `error.field` both read naturally; an error that wraps another has it as `cause` and as `details.cause`.
 */

/** A text that somebody else wrote, fit for a message: at most so many characters, and all on one line. */
export function visible(text: string, length: number): string {
  const clipped = text.length > length ? `${text.slice(0, length)}…` : text;
  return clipped.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, codePoint);
}

/** "U+000A". */
export const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** The base of all of them: `error instanceof ObbligatoError` tells our errors from everybody else's. */
export abstract class ObbligatoError<Details extends object = object> extends Error {
  readonly details: Readonly<Details & { cause?: unknown }>;

  constructor(name: string, message: string, details: Details, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.details = Object.freeze(cause === undefined ? { ...details } : { ...details, cause });
    for (const [key, value] of Object.entries({ ...this.details, name })) {
      Object.defineProperty(this, key, { value, enumerable: false, configurable: true, writable: true });
    }
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

/** A text is not a cron expression that can ever be due. `reason` is one line and says what to write instead. */
export class InvalidCronExpressionError extends ObbligatoError<{
  expression: string;
  field: string;
  reason: string;
}> {
  declare readonly expression: string;
  declare readonly field: string;
  declare readonly reason: string;

  constructor(expression: string, field: string, reason: string, cause: Error) {
    super(
      'InvalidCronExpressionError',
      `Invalid cron expression "${expression}": ${field} field ${reason}`,
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
    super('UnknownTimeZoneError', `Unknown time zone "${visible(timeZone, 64)}": ${hint}`, {
      timeZone,
      suggestions,
    });
  }
}

/** The host's own zone cannot be told by a name: `TZ` holds something else. Whoever passes `timeZone` does not need it. */
export class HostTimeZoneError extends ObbligatoError<{ setting: string }> {
  declare readonly setting: string;

  constructor(setting: string) {
    super(
      'HostTimeZoneError',
      `The host's TZ="${visible(setting, 64)}" names no IANA zone, and no fixed offset either; pass { timeZone: "Europe/Stockholm" } or the like`,
      { setting },
    );
  }
}
