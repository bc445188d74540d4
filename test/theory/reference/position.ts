/**
 * A position of a trace, as the definitions see it: what happens there, and to whom. Recorded events become positions one for
 * one; pulses are derived (T13). The naive evaluator works on these; the monitor works on letters, and never keeps them.
 */

/** A task name, and when it is due. */
export interface Scheduled {
  readonly name: string;
  /** Two registrations with the same key are due at the same instants. */
  readonly schedule: string;
  /** It begins again if its registration is another one (H10). */
  readonly reset?: boolean;
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
    | { readonly event: 'RS' | 'RetryDue' | 'Requested' | 'Pause'; readonly task: string }
    /** The end may serve what came due during the run (H9). */
    | { readonly event: 'REs' | 'REf'; readonly task: string; readonly serves?: true }
    | { readonly event: 'Resume'; readonly task: string; readonly catchUp: boolean }
    | { readonly event: 'DueSkipped'; readonly task: string; readonly rightful: boolean }
    /** The last due of a schedule has become too old to start for (H4). */
    | { readonly event: 'Stale'; readonly schedule: string }
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

/** Whether what a task was due for so far is passed over at a position. */
export const passes = (position: Position, task: string): boolean =>
  (((position.event === 'REs' || position.event === 'REf') && position.serves === true) ||
    (position.event === 'Resume' && !position.catchUp)) &&
  position.task === task;

/** Whether a task gets another registration at a position, which says that it begins again (H10). */
export function resets(positions: readonly Position[], index: number, task: string): boolean {
  const registrationAt = (position: Position | undefined): Scheduled | undefined =>
    position?.event === 'IEs' ? position.registrations.find(({ name }) => name === task) : undefined;
  const lastBefore = (end: number): Scheduled | undefined =>
    registrationAt(positions.findLast(({ event }, i) => event === 'IEs' && i < end));
  const now = registrationAt(positions[index]);
  // A name that was left out while it ran has the registration that it was started with (I5).
  const startedAt = positions.findLastIndex(
    (position, i) => i < index && position.event === 'RS' && position.task === task,
  );
  const old = lastBefore(index) ?? (startedAt < 0 ? undefined : lastBefore(startedAt));
  if (old === undefined || now?.reset !== true) return false;
  return old.schedule !== now.schedule || old.reset !== true;
}
