/**
 * Checks whether a value is a trace record. Every record that is judged passes here, so a good one is returned as it is: nothing
 * is copied or created, and a message is built only when something is wrong.
 */
import { describeValue, type Fault, visible } from '../errors.ts';
import type { TraceRecord } from './record.ts';

/** Why a value is no record: it names no event that there is, or a field of it is missing or of the wrong type. */
export interface Refusal {
  readonly kind: 'event' | 'field';
  readonly message: string;
}

/** Any object, as far as it has been looked at. */
type Unchecked = { readonly [Field in FieldName]?: unknown };
type FieldName =
  | 'at'
  | 'call'
  | 'cron'
  | 'error'
  | 'event'
  | 'fault'
  | 'from'
  | 'instance'
  | 'plannedAt'
  | 'name'
  | 'registrations'
  | 'retryDelayMs'
  | 'runId'
  | 'task'
  | 'timeZone'
  | 'to'
  | 'units'
  | 'valid'
  | 'workers';

/**
 * Some thirty thousand years from now and ago. No scheduler has seen a time beyond that: it is in microseconds, or wrong. The
 * bound also keeps readers of a trace away from the end of what a `Date` can show, in any zone.
 */
const INSTANTS_END = 1e15;

const isInstant = (value: unknown): boolean =>
  typeof value === 'number' && value > -INSTANTS_END && value < INSTANTS_END;
const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < Infinity;
const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isAmountOrAbsent = (value: unknown): boolean => value === undefined || isAmount(value);

const faults: Readonly<Record<Fault, true>> = { list: true, active: true, store: true, host: true };
const isFaultOrAbsent = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && Object.hasOwn(faults, value));

const INSTANT = 'an instant in milliseconds';
const AMOUNT = 'a number that is not negative';
const TEXT = 'a string';
const FAULTS = `one of ${Object.keys(faults).join(', ')}`;

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
  switch (record.event) {
    case 'RunStart':
    case 'RunSuccess':
    case 'RunFailure':
    case 'StartDurable':
    case 'EndDurable':
      if (!isText(record.task)) return wrong(record, 'task', TEXT);
      if (!isTextOrAbsent(record.runId)) return wrong(record, 'runId', TEXT);
      return isTextOrAbsent(record.instance) ? undefined : wrong(record, 'instance', TEXT);
    case 'InitStart':
      return initStartRefusal(record);
    case 'InitSuccess':
      return initSuccessRefusal(record);
    case 'InitFailure':
      if (typeof record.valid !== 'boolean') return wrong(record, 'valid', 'true or false');
      if (!isFaultOrAbsent(record.fault)) return wrong(record, 'fault', FAULTS);
      return callRefusal(record);
    case 'StopStart':
    case 'StopEnd':
      return callRefusal(record);
    case 'UnexpectedShutdown':
      return isTextOrAbsent(record.instance) ? undefined : wrong(record, 'instance', TEXT);
    case 'Frozen':
      return isTextOrAbsent(record.task) ? stretchRefusal(record) : wrong(record, 'task', TEXT);
    case 'Compute':
      return isAmount(record.units) ? stretchRefusal(record) : wrong(record, 'units', AMOUNT);
    case 'ClockStep':
      return stretchRefusal(record);
    case 'StoreTrouble':
      return isTextOrAbsent(record.error) ? stretchRefusal(record) : wrong(record, 'error', TEXT);
    case undefined:
      return { kind: 'event', message: 'the field "event" is missing' };
    default:
      return { kind: 'event', message: `there is no event ${describeValue(record.event)}` };
  }
}

function callRefusal(record: Unchecked): Refusal | undefined {
  if (!isAmountOrAbsent(record.call)) return wrong(record, 'call', AMOUNT);
  return isTextOrAbsent(record.error) ? undefined : wrong(record, 'error', TEXT);
}

function stretchRefusal(record: Unchecked): Refusal | undefined {
  if (!isInstant(record.from)) return wrong(record, 'from', INSTANT);
  return isInstant(record.to) ? undefined : wrong(record, 'to', INSTANT);
}

function initSuccessRefusal(record: Unchecked): Refusal | undefined {
  if (!isTextOrAbsent(record.instance)) return wrong(record, 'instance', TEXT);
  if (record.plannedAt !== undefined && !isInstant(record.plannedAt))
    return wrong(record, 'plannedAt', INSTANT);
  return callRefusal(record);
}

function initStartRefusal(record: Unchecked): Refusal | undefined {
  if (!isText(record.timeZone)) return wrong(record, 'timeZone', TEXT);
  if (!isAmountOrAbsent(record.workers)) return wrong(record, 'workers', AMOUNT);
  if (!isTextOrAbsent(record.instance)) return wrong(record, 'instance', TEXT);
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
    return {
      kind: 'field',
      message: `InitStart: ${place} must be an object, and it is ${describeValue(value)}`,
    };
  }
  const registration: Unchecked = value;
  if (!isText(registration.name)) return wrong(registration, 'name', TEXT, place);
  if (!isText(registration.cron)) return wrong(registration, 'cron', TEXT, place);
  // A list that a scheduler must refuse is recorded as it was: below zero, or a fraction, is its user's mistake and no record's.
  return Number.isFinite(registration.retryDelayMs)
    ? undefined
    : wrong(registration, 'retryDelayMs', 'a number', place);
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
