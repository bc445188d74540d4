/**
 * For each axiom that a finite trace can break: a trace that puts it to the test and that it accepts, and mutants of that trace, each
 * with one planted fault that this axiom catches, alone or first.
 */
import type { MonitorOptions } from '../../src/theory/options.ts';
import { type Trace, trace } from './traces.ts';

export interface Mutant {
  /** What is wrong, as it stands in the table. */
  readonly fault: string;
  readonly trace: Trace;
  /** Whom the violation names; nobody in particular where absent. */
  readonly task?: string;
  /** Where in time it is found. */
  readonly at: string;
  /** The record that shows it, counted from 1; absent where it is what did not happen. */
  readonly line?: number;
  readonly blame: 'scheduler' | 'environment';
  /** What the sentence must name, in this order. */
  readonly says: readonly string[];
  readonly options?: MonitorOptions;
}

export interface Case {
  readonly axiom: string;
  readonly accepted: Trace;
  readonly mutants: readonly Mutant[];
}

const hourly = { a: '0 * * * *' };
export const noon = { a: '0 12 * * *' };

/** Three runs, the second after a failure; then a stop. */
export const plain = trace()
  .at('11:59')
  .init(hourly)
  .at('12:00')
  .start('a')
  .at('12:00:01')
  .fail('a')
  .at('12:00:06')
  .start('a')
  .at('12:00:07')
  .succeed('a')
  .at('13:00')
  .start('a')
  .at('13:00:01')
  .succeed('a')
  .at('13:30')
  .stop();

/** A run, a stop that waits for it, and a second life. */
export const stopped = trace()
  .at('11:59')
  .init(noon)
  .at('12:00')
  .start('a')
  .at('12:00:10')
  .stopStart()
  .at('12:00:20')
  .succeed('a')
  .at('12:00:21')
  .stopEnd()
  .at('12:10')
  .init(noon);

/** A run that a crash cuts off, and that is started again. */
export const crashed = trace()
  .at('11:59')
  .init(noon)
  .at('12:00')
  .start('a')
  .at('12:00:10')
  .crash('12:05')
  .init(noon)
  .at('12:05:01')
  .start('a')
  .at('12:05:02')
  .succeed('a');

/** A due and a retry that are pending together after a stop, and one start for both. */
export const together = trace()
  .at('11:59')
  .init({ a: ['0,1 12 * * *', 30_000] })
  .at('12:00')
  .start('a')
  .at('12:00:05')
  .fail('a')
  .at('12:00:10')
  .stop()
  .at('12:01:30')
  .init({ a: ['0,1 12 * * *', 30_000] })
  .at('12:01:31')
  .start('a')
  .at('12:01:32')
  .succeed('a');

/** One that tells of durability. */
export const durable = trace()
  .at('11:59')
  .init(noon)
  .at('12:00')
  .startDurable('a')
  .at('12:00:00.020')
  .start('a')
  .at('12:00:01')
  .succeed('a')
  .endDurable('a');

export const startedOnceMore = plain.with((t) => t.at('13:10').start('a').at('13:10:01').succeed('a'));
export const startedAfterStop = stopped.with((t) => t.at('12:05').start('a').at('12:05:01').succeed('a'));
/** The process is back at 12:04, and starts before it is initialized. */
export const startedAfterCrash = trace()
  .at('11:59')
  .init(noon)
  .at('12:00')
  .start('a')
  .at('12:00:10')
  .crash('12:04')
  .at('12:04:30')
  .start('a')
  .at('12:05')
  .init(noon);
export const overlapping = plain.with((t) => t.at('13:00:00.500').start('a'));
export const unawaited = trace()
  .at('11:59')
  .init(noon)
  .at('12:00')
  .start('a')
  .at('12:00:10')
  .stopStart()
  .at('12:00:11')
  .stopEnd()
  .at('12:00:20')
  .succeed('a');
export const strayEnd = plain.with((t) => t.at('12:30').fail('a'));
export const lateStart = trace().at('11:59').init(noon).at('12:01:30').start('a');
/** The one record that is out of place comes between the freeze and the next initialization. */
export const endedAfterCrash = startedAfterCrash
  .without('RunStart')
  .with((t) => t.at('12:04:30').succeed('a'));

/** A trace that ends well, and the same with a start that nobody asked for: what most axioms of starts catch, each in its way. */
export const sameMinute = trace()
  .at('12:00:10')
  .init(noon)
  .at('12:00:11')
  .start('a')
  .at('12:00:12')
  .succeed('a');
