/** A list under the configurations that the store has: those of the last initialize that had each name, of whatever instance (K5). */
import { policyOfText } from '../core/policy.ts';
import { type CheckedRegistration, namesOf, placesOf } from '../core/registration.ts';
import { readRecord } from '../core/stored.ts';
import { parseSchedule } from '../cron/expression.ts';
import { visible } from '../errors.ts';
import type { StoreSession } from '../store/port.ts';
import type { CheckedList } from './life-request.ts';
import type { Logger } from './logger.ts';

/**
 * The list with the configurations of the store; `undefined` if they are the same. In that case the session knows from now on that this
 * instance goes by them.
 */
export async function followed(
  session: StoreSession,
  list: CheckedList,
  logger: Logger,
): Promise<CheckedList | undefined> {
  const { sharing } = session;
  if (sharing === undefined) return undefined;
  for (;;) {
    const changed = await changedIn(session, list);
    if (changed.size > 0) {
      const names = Array.from(changed.values(), ({ name }) => visible(name, 100));
      logger.warn(`another instance has configured differently, and that counts: ${names.join(', ')}`);
      return { ...list, registrations: list.registrations.map((own, place) => changed.get(place) ?? own) };
    }
    if ((await sharing.initialize({}, [...namesOf(list.registrations)])) !== 'stale') return undefined;
  }
}

/** By place: the registrations that the store has another configuration for, with that one. */
async function changedIn(
  session: StoreSession,
  { registrations }: CheckedList,
): Promise<ReadonlyMap<number, CheckedRegistration>> {
  const changed = new Map<number, CheckedRegistration>();
  const places = placesOf(registrations);
  for await (const page of session.readPages?.() ?? [await session.read()]) {
    for (const value of page) {
      const { name, cron, retryDelayMs, policy } = readRecord(value);
      const place = places.get(name);
      if (place === undefined) continue;
      const own = registrations[place];
      if (own.cron === cron && own.retryDelayMs === retryDelayMs && own.policy.text === policy) continue;
      const schedule = own.cron === cron ? own.schedule : parseSchedule(cron);
      // Under the text that is stored, whatever it is: by that the plan sees that nothing has changed since.
      const stored = { ...policyOfText(policy), text: policy };
      changed.set(place, { ...own, cron, schedule, retryDelayMs, policy: stored });
    }
  }
  return changed;
}
