/** `obbligato/cron`: POSIX cron expressions in civil time. */
export {
  CronCalculationError,
  FieldParseError,
  InvalidCronExpressionError,
  ObbligatoError,
  UnknownTimeZoneError,
} from '../errors.ts';
export { type CronExpression, type CronOptions, parseCron } from './expression.ts';
export { rewriteCron } from './rewrite.ts';
