/** `obbligato/cron`: POSIX cron expressions in civil time. */
export {
  CronCalculationError,
  FieldParseError,
  InvalidCronExpressionError,
  UnknownTimeZoneError,
} from '../errors.ts';
