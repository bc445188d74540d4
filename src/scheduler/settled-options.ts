/** The options of a scheduler once they are checked, with the default of each that was left out. */
import { RETENTION, type Retention } from '../core/history.ts';
import { storeOf } from '../store/sqlite.ts';
import { hostClock } from '../time/host-clock.ts';
import type { TraceSink } from '../trace/record.ts';
import type { AttachedPorts } from './attached.ts';
import { calmClock } from './calm-clock.ts';
import { checkOptions, type Lengths, lengthsOf } from './check-options.ts';
import { FailureLog } from './failure-log.ts';
import { calmLogger } from './guests.ts';
import type { Logger } from './logger.ts';
import type { SchedulerOptions } from './options.ts';
import { SIZES, type Sizes } from './sizes.ts';
import { guardTrace } from './trace-guard.ts';

/** The options with what holds where nothing was said, and what the clock made of them if it wants to be attached to. */
export type SettledOptions = Required<
  Omit<
    SchedulerOptions,
    | 'store'
    | 'timeZone'
    | 'onEvent'
    | 'trace'
    | 'history'
    | 'logger'
    | 'lockWait'
    | 'finalWrite'
    | 'lateAfter'
  >
> &
  Lengths &
  Pick<SchedulerOptions, 'timeZone'> &
  Pick<AttachedPorts, 'onEvent' | 'store'> &
  Partial<Pick<AttachedPorts, 'call' | 'died'>> & {
    trace?: TraceSink;
    readonly logger: Logger;
    readonly failureLog: FailureLog;
    readonly sizes: Sizes;
    readonly history: Retention | false;
  };

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
/** Where no logger is given: what must not be missed. */
const lastResort: Logger = { ...silent, error: (line) => console.error(`obbligato: ${line}`) };

/** How much is kept where the options say nothing, or `undefined`. */
const retentionOf = ({
  keepDays = RETENTION.keepDays,
  keepRuns = RETENTION.keepRuns,
}: Partial<Retention> = {}): Retention => ({ keepDays, keepRuns });

/** Checks the options; a wrong one is a mistake in the program and thrown at once. One that is `undefined` is not given. */
export function settleOptions(given: SchedulerOptions, sizes: Sizes = SIZES): SettledOptions {
  checkOptions(given);
  const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined;
  const options: SchedulerOptions = Object.fromEntries(Object.entries(given).filter(isGiven));
  const logger = calmLogger(options.logger === false ? silent : (options.logger ?? lastResort));
  const settled: SettledOptions = {
    workers: Number.POSITIVE_INFINITY,
    recordErrors: true,
    reload: false,
    guardRemovals: false,
    ...options,
    ...lengthsOf(options),
    store: storeOf(options.store ?? 'obbligato.db'),
    history: options.history === false ? false : retentionOf(options.history),
    clock: options.clock ?? hostClock,
    logger,
    failureLog: new FailureLog(logger, options.logger === undefined),
    sizes,
  };
  if (options.trace !== undefined) settled.trace = guardTrace(options.trace, logger);
  const attached = { ...settled, ...settled.clock.attach?.(settled) };
  return { ...attached, clock: calmClock(attached.clock, logger) };
}
