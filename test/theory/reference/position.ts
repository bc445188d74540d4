/**
 * A position of a trace, as the definitions see it: what happens there, and to whom. Recorded events become positions one for
 * one; pulses are derived (T13). The naive evaluator works on these; the monitor works on letters, and never keeps them.
 */

/** A task name, and when it is due. */
export interface Scheduled {
  readonly name: string;
  /** Two registrations with the same key are due at the same instants. */
  readonly schedule: string;
}

/** What every position has. */
export interface Shared {
  readonly at: number;
  /** The schedules of a minute that begins at this very position: the letter allows it, the repaired theory does not (T13). */
  readonly pulse?: ReadonlySet<string>;
  /** Which other atoms hold here: what is known of a call, as `Valid` and `Excused`. */
  readonly marks?: readonly string[];
}

/** One position of a trace: an event, or a minute that begins. */
export type Position = Shared &
  (
    | { readonly event: 'RS' | 'REs' | 'REf' | 'RetryDue'; readonly task: string }
    /** A civil minute begins: which schedules match it. */
    | { readonly event: 'Minute'; readonly due: ReadonlySet<string> }
    | { readonly event: 'Crash' | 'SS' | 'SE' | 'IS' | 'IEf' }
    | {
        readonly event: 'IEs';
        /** Equal lists have equal keys. */
        readonly list: string;
        readonly registrations: readonly Scheduled[];
        readonly live: boolean;
      }
    /** Something that no slice sees. */
    | { readonly event: 'other' }
  );
