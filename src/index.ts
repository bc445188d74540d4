/** The public door of `obbligato`: nothing but exports. */
export {
  CronCalculationError,
  FieldParseError,
  InvalidCronExpressionError,
  ObbligatoError,
  UnknownTimeZoneError,
} from './errors.ts';
