/** What the trace says of a call of `initialize`: that it began, with which list, and how it ended. */
import type { CheckedRegistration } from '../core/registration.ts';
import { type Fault, ObbligatoError } from '../errors.ts';
import type { TracedRegistration, WrittenRecord } from '../trace/record.ts';
import type { Edited } from './edit-effects.ts';
import type { Life } from './life-request.ts';
import type { SettledOptions } from './settled-options.ts';

type Written<Event> = Extract<WrittenRecord, { readonly event: Event }>;

/** A call of `initialize`. */
export interface InitCall {
  readonly call: number;
  /** Another list was in force (I5). */
  readonly reload?: true;
  /** Nobody has called: this instance goes by another list, or under another name, because of the others (K9). */
  readonly follows?: true;
}

export const initStart = (
  { workers }: SettledOptions,
  { call, ...how }: InitCall,
  at: number,
  list: ReadonlyArray<CheckedRegistration | TracedRegistration>,
  timeZone: string,
): Written<'InitStart'> => ({
  event: 'InitStart',
  call,
  at,
  registrations: list.map(traced),
  timeZone,
  ...(Number.isFinite(workers) ? { workers } : {}),
  ...how,
});

export function initSuccess(
  { clock }: SettledOptions,
  { call, reload }: InitCall,
  { instanceId: instance, session }: Life,
  { at, plannedAt, forgotten, added, came, epoch, ranAtPlan }: Edited,
): Written<'InitSuccess'> {
  return {
    event: 'InitSuccess',
    at,
    call,
    instance,
    plannedAt,
    ...(reload && { reload }),
    ...(session.sharing === undefined ? {} : { hostAt: clock.now() }),
    ...(forgotten === undefined ? {} : { forgotten }),
    ...(added === undefined ? {} : { added }),
    ...(came.length > 0 && { came }),
    ...(epoch === undefined ? {} : { epoch }),
    ...(ranAtPlan.length > 0 ? { ranAtPlan } : {}),
  };
}

/** `valid`: the list had passed. An error that is none of ours comes from the user's own code in the list, if it had not; else from the machine. */
export function initFailure(
  { call }: InitCall,
  at: number,
  error: unknown,
  valid: boolean,
): Written<'InitFailure'> {
  const name = error instanceof Error ? error.name : 'unknown';
  const known: Fault | undefined = error instanceof ObbligatoError ? error.fault : undefined;
  return { event: 'InitFailure', at, call, error: name, fault: known ?? (valid ? 'host' : 'list'), valid };
}

function traced(registration: CheckedRegistration | TracedRegistration): TracedRegistration {
  const { name, cron, retryDelayMs, policy } = registration;
  if (policy === undefined || !('stored' in policy)) return { name, cron, retryDelayMs };
  return policy.text === null
    ? { name, cron, retryDelayMs }
    : { name, cron, retryDelayMs, policy: policy.stored };
}

/**
 * A list that was refused, so that the oracle can see for itself that it was not valid (S5). One that cannot be written down is recorded as
 * empty.
 */
export function readable(list: unknown): readonly TracedRegistration[] {
  const isEntry = (entry: unknown): entry is readonly [string, string, unknown, number] =>
    Array.isArray(entry) &&
    entry.length === 4 &&
    typeof entry[0] === 'string' &&
    typeof entry[1] === 'string' &&
    typeof entry[2] === 'function' &&
    Number.isFinite(entry[3]);
  try {
    const traced: TracedRegistration[] = [];
    // Up to the first that is none: a list may be all holes, and long.
    for (const entry of Array.isArray(list) ? list : []) {
      if (!isEntry(entry)) return [];
      const [name, cron, , retryDelayMs] = entry;
      traced.push({ name, cron, retryDelayMs });
    }
    return traced;
  } catch {
    return []; // a list that throws when it is looked at
  }
}
