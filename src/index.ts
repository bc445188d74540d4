/** The public door of `obbligato`: nothing but exports. */
export {
  CronCalculationError,
  FieldParseError,
  HostTimeZoneError,
  InvalidCronExpressionError,
  ObbligatoError,
  UnknownTimeZoneError,
} from './errors.ts';
