/** When the next attempt comes (A6, H2). */
import type { Enlisted } from '../calendar/valid-list.ts';
import type { History } from './task.ts';

/** How long after the failure of an attempt the next one comes (H2); NaN if the work is given up. */
export function retryDelay({ enlisted, startedAs, attempt }: Readonly<History>): number {
  const registration = startedAs ?? enlisted;
  if (registration === undefined) return Number.NaN;
  const { max = Number.POSITIVE_INFINITY } = registration.policy?.retry ?? {};
  return attempt >= max ? Number.NaN : delayUnder(registration, attempt);
}

/** The delay after an attempt, by a registration. */
export function delayUnder({ retryDelayMs, policy }: Enlisted, attempt: number): number {
  const { backoff = 1, maxDelayMs = Number.POSITIVE_INFINITY } = policy?.retry ?? {};
  return Math.min(Math.round(retryDelayMs * backoff ** (attempt - 1)), maxDelayMs);
}
