/**
 * Checks whether a value is a trace record. Every record that is judged passes here, so a good one is returned as it is: nothing
 * is copied or created, and a message is built only when something is wrong.
 */
import { describeValue, type Fault, visible } from '../errors.ts';
import { policyFault } from './check-policy.ts';
import type { FailureOutcome, RunEvent, TracedRegistration, TraceRecord } from './record.ts';

/** Why a value is no record: it names no event that there is, or a field of it is missing or of the wrong type. */
export interface Refusal {
  readonly kind: 'event' | 'field';
  readonly message: string;
}

/** Any object, as far as it has been looked at. */
type Unchecked = { readonly [Field in FieldName]?: unknown };
type FieldName = FieldOf<TraceRecord> | keyof TracedRegistration;
type FieldOf<AnyRecord> = AnyRecord extends unknown ? keyof AnyRecord : never;

// Some thirty thousand years from now and ago. No scheduler has seen a time beyond that: it is in microseconds, or wrong. The
// bound also keeps readers of a trace away from the end of what a `Date` can show, in any zone.
const INSTANTS_END = 1e15;

const isInstant = (value: unknown): boolean =>
  typeof value === 'number' && value > -INSTANTS_END && value < INSTANTS_END;
const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < Infinity;
const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isComing = (value: { readonly at?: unknown; readonly names?: unknown } | null): boolean =>
  isInstant(value?.at) && isTexts(value?.names);
const isComingsOrAbsent = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isComing));
const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isAmountOrAbsent = (value: unknown): boolean => value === undefined || isAmount(value);
const isInstantOrAbsent = (value: unknown): boolean => value === undefined || isInstant(value);
const isBooleanOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'boolean';

const faults: Readonly<Record<Fault, true>> = { list: true, active: true, store: true, host: true };
const runEvents: Readonly<Record<RunEvent, true>> = {
  RunStart: true,
  RunSuccess: true,
  RunFailure: true,
  RunInterrupted: true,
  StartDurable: true,
  EndDurable: true,
};
const outcomes: Readonly<Record<FailureOutcome, true>> = {
  failure: true,
  'gave up': true,
  cancelled: true,
  'timed out': true,
};
const isOneOf = (words: Readonly<Record<string, true>>, value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(words, value);

const INSTANT = 'an instant in milliseconds';
const AMOUNT = 'a number that is not negative';
const TEXT = 'a string';
const BOOLEAN = 'true or false';
const NAMES = 'an array of strings';
const COMINGS = 'an array of instants with names';
const FAULTS = `one of ${Object.keys(faults).join(', ')}`;
const OUTCOMES = `one of ${Object.keys(outcomes).join(', ')}`;

/** The value itself, if it is a record; otherwise why it is none. A record has an `event`, a refusal never has. */
export function checkRecord(value: unknown): TraceRecord | Refusal {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'event', message: `a record is an object, and this is ${describeValue(value)}` };
  }
  const record: Unchecked = value;
  const refusal = isInstant(record.at) ? refusalOf(record) : wrong(record, 'at', INSTANT);
  // The one cast: everything that the type promises has been looked at.
  return refusal ?? (value as TraceRecord);
}

function refusalOf(record: Unchecked): Refusal | undefined {
  if (isOneOf(runEvents, record.event)) return runRefusal(record);
  switch (record.event) {
    case 'DueSkipped':
      return skipRefusal(record);
    case 'RunRequested':
    case 'Paused':
    case 'Resumed':
    case 'CancelRequested':
    case 'Removed':
      return requestRefusal(record);
    case 'InitStart':
      return initStartRefusal(record);
    case 'InitSuccess':
      return initSuccessRefusal(record);
    case 'InitFailure':
      return initFailureRefusal(record);
    case 'StopStart':
    case 'StopEnd':
      return callRefusal(record);
    case 'UnexpectedShutdown':
    case 'InstanceGone':
      return shutdownRefusal(record);
    case 'Compute':
      return isAmount(record.units) ? stretchRefusal(record) : wrong(record, 'units', AMOUNT);
    case 'Frozen':
    case 'ClockStep':
    case 'StoreTrouble':
      return stretchRefusal(record);
    case undefined:
      return { kind: 'event', message: 'the field "event" is missing' };
    default:
      return { kind: 'event', message: `there is no event ${describeValue(record.event)}` };
  }
}

function runRefusal(record: Unchecked): Refusal | undefined {
  if (!isText(record.task)) return wrong(record, 'task', TEXT);
  if (record.event === 'RunFailure' && record.outcome !== undefined && !isOneOf(outcomes, record.outcome))
    return wrong(record, 'outcome', OUTCOMES);
  if (!isTextOrAbsent(record.runId)) return wrong(record, 'runId', TEXT);
  if (!isInstantOrAbsent(record.claimedAt)) return wrong(record, 'claimedAt', INSTANT);
  if (!isInstantOrAbsent(record.completedAt)) return wrong(record, 'completedAt', INSTANT);
  return isTextOrAbsent(record.instance) ? undefined : wrong(record, 'instance', TEXT);
}

function shutdownRefusal(record: Unchecked): Refusal | undefined {
  if (record.tasks !== undefined && !isTexts(record.tasks)) return wrong(record, 'tasks', NAMES);
  if (!isTextOrAbsent(record.task)) return wrong(record, 'task', TEXT);
  if (!isTextOrAbsent(record.runId)) return wrong(record, 'runId', TEXT);
  if (!isBooleanOrAbsent(record.requested)) return wrong(record, 'requested', BOOLEAN);
  const isNamed = record.event === 'InstanceGone' ? isText : isTextOrAbsent;
  return isNamed(record.instance) ? undefined : wrong(record, 'instance', TEXT);
}

function skipRefusal(record: Unchecked): Refusal | undefined {
  if (!isText(record.task)) return wrong(record, 'task', TEXT);
  if (!isInstant(record.dueAt)) return wrong(record, 'dueAt', INSTANT);
  return record.why === 'late' || record.why === 'running'
    ? undefined
    : wrong(record, 'why', 'late or running');
}

function requestRefusal(record: Unchecked): Refusal | undefined {
  if (!isText(record.task)) return wrong(record, 'task', TEXT);
  if (record.event === 'Resumed' && typeof record.catchUp !== 'boolean')
    return wrong(record, 'catchUp', BOOLEAN);
  if (!isTextOrAbsent(record.request)) return wrong(record, 'request', TEXT);
  return isInstantOrAbsent(record.since) ? undefined : wrong(record, 'since', INSTANT);
}

function callRefusal(record: Unchecked): Refusal | undefined {
  if (!isAmountOrAbsent(record.call)) return wrong(record, 'call', AMOUNT);
  return isTextOrAbsent(record.error) ? undefined : wrong(record, 'error', TEXT);
}

function stretchRefusal(record: Unchecked): Refusal | undefined {
  if (!isTextOrAbsent(record.task)) return wrong(record, 'task', TEXT);
  if (!isTextOrAbsent(record.error)) return wrong(record, 'error', TEXT);
  if (!isInstant(record.from)) return wrong(record, 'from', INSTANT);
  return isInstant(record.to) ? undefined : wrong(record, 'to', INSTANT);
}

function initSuccessRefusal(record: Unchecked): Refusal | undefined {
  if (!isTextOrAbsent(record.instance)) return wrong(record, 'instance', TEXT);
  if (!isInstantOrAbsent(record.plannedAt)) return wrong(record, 'plannedAt', INSTANT);
  if (record.forgotten !== undefined && !isTexts(record.forgotten)) return wrong(record, 'forgotten', NAMES);
  if (record.added !== undefined && !isTexts(record.added)) return wrong(record, 'added', NAMES);
  if (!isComingsOrAbsent(record.came)) return wrong(record, 'came', COMINGS);
  if (!isInstantOrAbsent(record.hostAt)) return wrong(record, 'hostAt', INSTANT);
  if (!isAmountOrAbsent(record.epoch)) return wrong(record, 'epoch', AMOUNT);
  if (!isBooleanOrAbsent(record.reload)) return wrong(record, 'reload', BOOLEAN);
  if (!isTexts(record.ranAtPlan ?? [])) return wrong(record, 'ranAtPlan', NAMES);
  return callRefusal(record);
}

function initFailureRefusal(record: Unchecked): Refusal | undefined {
  if (typeof record.valid !== 'boolean') return wrong(record, 'valid', BOOLEAN);
  if (record.fault !== undefined && !isOneOf(faults, record.fault)) return wrong(record, 'fault', FAULTS);
  return callRefusal(record);
}

function initStartRefusal(record: Unchecked): Refusal | undefined {
  if (!isText(record.timeZone)) return wrong(record, 'timeZone', TEXT);
  if (!isAmountOrAbsent(record.workers)) return wrong(record, 'workers', AMOUNT);
  if (!isTextOrAbsent(record.instance)) return wrong(record, 'instance', TEXT);
  if (!isBooleanOrAbsent(record.reload)) return wrong(record, 'reload', BOOLEAN);
  if (!isBooleanOrAbsent(record.follows)) return wrong(record, 'follows', BOOLEAN);
  const { registrations } = record;
  if (!Array.isArray(registrations)) return wrong(record, 'registrations', 'an array');
  for (let index = 0; index < registrations.length; index++) {
    const refusal = registrationRefusal(registrations[index], index);
    if (refusal !== undefined) return refusal;
  }
  return callRefusal(record);
}

function registrationRefusal(value: unknown, index: number): Refusal | undefined {
  const place = `registrations[${index}]`;
  if (typeof value !== 'object' || value === null) {
    const message = `InitStart: ${place} must be an object, and it is ${describeValue(value)}`;
    return { kind: 'field', message };
  }
  const registration: Unchecked = value;
  if (!isText(registration.name)) return wrong(registration, 'name', TEXT, place);
  if (!isText(registration.cron)) return wrong(registration, 'cron', TEXT, place);
  // A list that a scheduler must refuse is recorded as it was: below zero, or a fraction, is its user's mistake and no record's.
  const { retryDelayMs } = registration;
  if (!Number.isFinite(retryDelayMs)) return wrong(registration, 'retryDelayMs', 'a number', place);
  if (registration.policy === undefined) return undefined;
  const fault = policyFault(registration.policy);
  if (fault === undefined) return undefined;
  return { kind: 'field', message: `InitStart: the field "${place}.policy${fault}` };
}

function wrong(owner: Unchecked, field: FieldName, expected: string, place?: string): Refusal {
  const value = owner[field];
  const event = place === undefined ? owner.event : 'InitStart';
  const where = typeof event === 'string' ? `${visible(event, 40)}: ` : '';
  const name = place === undefined ? `"${field}"` : `"${place}.${field}"`;
  const fault = value === undefined ? 'is missing' : `must be ${expected}, and it is ${describeValue(value)}`;
  const hint = expected === INSTANT ? unitHint(value) : '';
  return { kind: 'field', message: `${where}the field ${name} ${fault}${hint}` };
}

/** What this century's instants are in other units; as milliseconds they would be tens of thousands of years away. */
function unitHint(value: unknown): string {
  if (typeof value !== 'number') return '';
  if (value >= INSTANTS_END && value < 1e17) return ': are these microseconds? Divide by 1,000';
  if (value >= 1e18 && value < 1e20) return ': are these nanoseconds? Divide by 1,000,000';
  return '';
}

/** A value in a few words, on one line. */
