/** `obbligato/cron`: POSIX cron expressions in civil time, and the zones that they are read in. */
export {
  CronCalculationError,
  FieldParseError,
  HostTimeZoneError,
  InvalidCronExpressionError,
  ObbligatoError,
  UnknownTimeZoneError,
} from '../errors.ts';
export { type ClockChange, clockChanges } from '../time/clock-change.ts';
export { hostZoneName } from '../time/host.ts';
export { type Segment, type Zone, zoneOf } from '../time/zone.ts';
export { type ClockEffect, describeClockChange } from './clock-effect.ts';
export { type CrontabRewrite, rewriteCrontab } from './crontab.ts';
export { type CronExpression, type CronOptions, parseCron } from './expression.ts';
export { FIELDS as cronFields, type Field as CronField } from './fields.ts';
export { rewriteCron } from './rewrite.ts';
