/** The calls of `initialize` and `stop`: which record ends which call (T7), and which calls a crash cut off. */
import type { TracedRegistration, TraceRecord } from '../../../src/trace/record.ts';

type RecordOf<Event extends TraceRecord['event']> = Extract<TraceRecord, { readonly event: Event }>;

/** One call. Records are named by their index in the trace. */
export interface Call {
  readonly event: 'InitStart' | 'StopStart';
  readonly start: number;
  /** The record with which the call returned. */
  end?: number;
  /** The crash that came before it returned. */
  crash?: number;
}

export interface Calls {
  readonly inits: readonly Call[];
  readonly stops: readonly Call[];
  /**
   * Records of calls that cannot be: ends of initializations that are not open, and a start of a call that is already open. They have
   * no effect. A `StopEnd` without a stop still says that `stop` has returned, so S3 is asked of it.
   */
  readonly impossible: ReadonlySet<number>;
  /** For each good end of an initialization, the index of its start. */
  readonly startOf: ReadonlyMap<number, number>;
}

const startedBy = { InitSuccess: 'InitStart', InitFailure: 'InitStart', StopEnd: 'StopStart' } as const;

export function callsOf(records: readonly TraceRecord[]): Calls {
  const all: Call[] = [];
  const impossible = new Set<number>();
  const numberOf = (call: Call): number | undefined =>
    (records[call.start] as RecordOf<'InitStart' | 'StopStart'>).call;
  const isOpen = (call: Call): boolean => call.end === undefined && call.crash === undefined;
  const openWith = (event: Call['event'], number: number | undefined): Call | undefined =>
    all.find((call) => call.event === event && isOpen(call) && numberOf(call) === number);

  records.forEach((record, index) => {
    if (record.event === 'InitStart' || record.event === 'StopStart') {
      if (record.call !== undefined && openWith(record.event, record.call)) impossible.add(index);
      else all.push({ event: record.event, start: index });
    } else if (record.event === 'UnexpectedShutdown') {
      for (const call of all.filter(isOpen)) call.crash = index;
    } else if (record.event in startedBy) {
      const { event, call: number } = record as RecordOf<keyof typeof startedBy>;
      const call = openWith(startedBy[event], number);
      if (call !== undefined) call.end = index;
      else if (event !== 'StopEnd') impossible.add(index);
    }
  });
  return {
    inits: all.filter(({ event }) => event === 'InitStart'),
    stops: all.filter(({ event }) => event === 'StopStart'),
    impossible,
    startOf: new Map(all.flatMap(({ start, end }) => (end === undefined ? [] : [[end, start]]))),
  };
}

/** What one call of `initialize` asks for. */
export interface List {
  readonly registrations: readonly TracedRegistration[];
  readonly timeZone: string;
  readonly workers?: number;
}

export const listOf = (records: readonly TraceRecord[], start: number): List =>
  records[start] as RecordOf<'InitStart'>;

/** Two calls with the same tasks, in the same zone, have the same list. */
export const isSameList = (one: List, other: List): boolean =>
  one === other ||
  (one.timeZone === other.timeZone &&
    JSON.stringify(one.registrations) === JSON.stringify(other.registrations));
