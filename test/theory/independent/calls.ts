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

/**
 * All ways to pair ends with calls. There is one, unless an end of `initialize` has no number and more than one call without a number is
 * open: then it may be of any of these. Ends of `stop` without a number are of the calls in their order.
 */
export function* pairingsOf(
  records: readonly TraceRecord[],
  picks: readonly number[] = [],
): Generator<Calls, void, undefined> {
  const { calls, choices } = pair(records, picks);
  if (choices <= 1) yield calls;
  else for (let pick = 0; pick < choices; pick++) yield* pairingsOf(records, [...picks, pick]);
}

/** The pairing of a trace that has only one, or the first of them. */
export const callsOf = (records: readonly TraceRecord[]): Calls => {
  const [first] = pairingsOf(records);
  return first;
};

/** Pairs by the given picks, one per doubtful end, and says how many choices the next doubtful end has. */
function pair(
  records: readonly TraceRecord[],
  picks: readonly number[],
): { readonly calls: Calls; readonly choices: number } {
  const all: Call[] = [];
  const impossible = new Set<number>();
  let doubtful = 0;
  let choices = 1;
  const numberOf = (call: Call): number | undefined =>
    (records[call.start] as RecordOf<'InitStart' | 'StopStart'>).call;
  const openWith = (event: Call['event'], number: number | undefined): readonly Call[] =>
    all.filter((call) => call.event === event && isOpen(call) && numberOf(call) === number);
  const pick = (open: readonly Call[]): Call => {
    if (open.length === 1 || open[0].event === 'StopStart') return open[0];
    if (doubtful === picks.length) choices = open.length;
    return open[picks[doubtful++] ?? 0];
  };

  records.forEach((record, index) => {
    if (record.event === 'InitStart' || record.event === 'StopStart') {
      const isOpenAlready = record.call !== undefined && openWith(record.event, record.call).length > 0;
      if (isOpenAlready) impossible.add(index);
      else all.push({ event: record.event, start: index });
    } else if (record.event === 'UnexpectedShutdown') {
      for (const call of all.filter(isOpen)) call.crash = index;
    } else if (record.event in startedBy) {
      const { event, call: number } = record as RecordOf<keyof typeof startedBy>;
      const open = openWith(startedBy[event], number);
      if (open.length > 0) pick(open).end = index;
      else if (event !== 'StopEnd') impossible.add(index);
    }
  });
  const calls = {
    inits: all.filter(({ event }) => event === 'InitStart'),
    stops: all.filter(({ event }) => event === 'StopStart'),
    impossible,
    startOf: new Map(all.flatMap(({ start, end }) => (end === undefined ? [] : [[end, start]]))),
  };
  return { calls, choices };
}

const isOpen = (call: Call): boolean => call.end === undefined && call.crash === undefined;

/** D7: a stop that fails loses what is not durable, as a crash does. One that nobody has called says nothing. */
export const isCrash = (record: TraceRecord | undefined, isPaired: boolean): boolean =>
  record?.event === 'UnexpectedShutdown' ||
  (record?.event === 'StopEnd' && record.error !== undefined && isPaired);

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
