/**
 * What a task object says beyond a tuple: how it is retried, in which zone, what becomes of dues that come late or while it runs (H1–H10).
 * It is configuration, as the expression and the delay are: stored with the task, and compared as E4 says.
 *
 * Equal policies are one object, so a million tasks have a few of them.
 */
import { type CalendarRules, jitterOffset } from '../cron/calendar.ts';
import type { DayRule } from '../cron/day-rule.ts';
import { MAX_INSTANT } from '../time/zone.ts';
import { isEveryHour } from './clock-step.ts';

/** A policy as it is stored and recorded: only what differs from the default. */
export interface StoredPolicy {
  readonly retry?: { readonly max?: number; readonly backoff?: number; readonly maxDelayMs?: number };
  readonly timeZone?: string;
  readonly clockChanges?: 'once';
  readonly days?: DayRule;
  readonly startWithinMs?: number;
  readonly whileRunning?: 'skip' | 'replace';
  readonly jitterMs?: number;
  readonly timeoutMs?: number;
  readonly abandonAfterMs?: number;
  readonly onOverride?: 'reset';
  readonly description?: string;
  readonly meta?: unknown;
}

/** A policy with everything said. */
export interface Policy {
  /** The stored form as a text; `null` if nothing differs from the default. */
  readonly text: string | null;
  /** The stored form. */
  readonly stored: StoredPolicy;
  readonly maxAttempts: number;
  readonly backoff: number;
  readonly maxDelayMs: number;
  readonly startWithinMs: number;
  readonly whileRunning: 'remember' | 'skip' | 'replace';
  readonly timeoutMs: number;
  readonly abandonAfterMs: number;
  /** Whether a changed registration makes the name a first coming (H10). */
  readonly resets: boolean;
}

const policies = new Map<string, Policy>();
/** Descriptions and such make many policies different. So many are shared, and the others are objects of their own. */
const MOST_SHARED = 10_000;

/** The policy of a tuple: every default. */
export const PLAIN: Policy = policyOf({});

/** The policy that a stored form means. The order of its names does not count. */
export function policyOf(given: StoredPolicy): Policy {
  const stored = inOrder(given);
  const text = JSON.stringify(stored);
  const known = policies.get(text);
  if (known !== undefined) return known;
  const policy: Policy = Object.freeze({
    text: text === '{}' ? null : text,
    stored: Object.freeze(stored),
    maxAttempts: stored.retry?.max ?? Number.POSITIVE_INFINITY,
    backoff: stored.retry?.backoff ?? 1,
    maxDelayMs: stored.retry?.maxDelayMs ?? Number.POSITIVE_INFINITY,
    startWithinMs: stored.startWithinMs ?? Number.POSITIVE_INFINITY,
    whileRunning: stored.whileRunning ?? 'remember',
    timeoutMs: stored.timeoutMs ?? Number.POSITIVE_INFINITY,
    abandonAfterMs: stored.abandonAfterMs ?? Number.POSITIVE_INFINITY,
    resets: stored.onOverride === 'reset',
  });
  if (policies.size < MOST_SHARED) policies.set(text, policy);
  return policy;
}

/** The policy of a stored text; a damaged one is as good as none, since the registration says what holds (E7). */
export function policyOfText(text: string | null): Policy {
  if (text === null) return PLAIN;
  try {
    const stored: unknown = JSON.parse(text);
    return typeof stored === 'object' && stored !== null ? policyOf(stored) : PLAIN;
  } catch {
    return PLAIN;
  }
}

/** The same values under names in a fixed order, so that equal policies have equal texts. */
function inOrder(given: StoredPolicy): StoredPolicy {
  const { retry, days } = given;
  return sorted({
    ...given,
    ...(retry === undefined ? {} : { retry: sorted(retry) }),
    ...(days === undefined ? {} : { days: sorted(days) }),
  });
}

function sorted<Fields extends object>(fields: Fields): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1))) as Fields;
}

/** By how much the due instants of a task are moved (H5). */
export const offsetOf = (name: string, { stored: { jitterMs } }: Policy): number =>
  jitterMs === undefined ? 0 : jitterOffset(name, jitterMs);

/** What a policy makes of the due instants of an expression. */
export const calendarRules = (name: string, cron: string, policy: Policy): CalendarRules => ({
  days: policy.stored.days,
  once: policy.stored.clockChanges === 'once' && !isEveryHour(cron),
  offsetMs: offsetOf(name, policy),
});

/** How long after the failure of an attempt the next one comes (H2). */
export function delayAfter(policy: Policy, retryDelayMs: number, attempt: number): number {
  const { backoff, maxDelayMs } = policy;
  if (backoff === 1) return Math.min(retryDelayMs, maxDelayMs);
  return Math.min(Math.round(retryDelayMs * backoff ** (attempt - 1)), maxDelayMs, MAX_INSTANT);
}
