/** What the user hands over, looked at once, in the calling tick, before anything else happens (D2, D3). */
import { parseSchedule } from '../cron/expression.ts';
import type { Schedule } from '../cron/schedule.ts';
import {
  CronCalculationError,
  CronExpressionInvalidError,
  InvalidCronExpressionError,
  InvalidRegistrationError,
  NegativeRetryDelayError,
  RegistrationShapeError,
  RegistrationsNotArrayError,
  ScheduleDuplicateTaskError,
} from '../errors.ts';
import { toMilliseconds } from '../time/duration.ts';
import type { Many } from './changes.ts';
import { PLAIN, type Policy } from './policy.ts';
import { withPlace } from './registration-place.ts';
import { TaskObject } from './task-object.ts';

/** A registration that passed. Equal expressions share one `schedule`. */
export interface CheckedRegistration {
  readonly name: string;
  readonly cron: string;
  readonly schedule: Schedule;
  readonly callback: (context: never) => unknown;
  readonly retryDelayMs: number;
  readonly policy: Policy;
}

/**
 * Copies and checks a list of registrations; throws for the first problem, in the order of D3. `places` gets the place of each in
 * the list, by its name.
 */
export function checkRegistrations(
  list: unknown,
  places = new Map<string, number>(),
): readonly CheckedRegistration[] {
  if (!Array.isArray(list)) throw new RegistrationsNotArrayError();
  const schedules = new Map<string, Schedule>();
  const checked: CheckedRegistration[] = [];
  const { length } = list; // asking for a duration calls the user's code, which may do anything to the list
  for (let index = 0; index < length; index++) {
    const entry = entryOf(list, index);
    try {
      checked.push(checkRegistration(index, entry, places, schedules));
    } catch (error) {
      throw withPlace(error, index, entry, checked);
    }
  }
  return checked;
}

/** What is at a place of the list. An entry may have getters, which are the user's code, and may throw. */
function entryOf(list: readonly unknown[], index: number): unknown {
  try {
    const entry = list[index];
    // By index: taking an array apart by pattern walks an iterator, which a million of them feel.
    return Array.isArray(entry) && entry.length === 4 ? [entry[0], entry[1], entry[2], entry[3]] : entry;
  } catch (error) {
    throw new RegistrationShapeError(index, 'an entry that cannot be read', error);
  }
}

function checkRegistration(
  index: number,
  received: unknown,
  places: Map<string, number>,
  schedules: Map<string, Schedule>,
): CheckedRegistration {
  if (received instanceof TaskObject) {
    const { name, cron, run: callback, retryDelayMs, policy } = received;
    takeName(name, index, places);
    return { name, cron, schedule: scheduleOf(cron, schedules), callback, retryDelayMs, policy };
  }
  if (!Array.isArray(received) || received.length !== 4) throw new RegistrationShapeError(index, received);
  const name: unknown = received[0];
  const cron: unknown = received[1];
  const callback: unknown = received[2];
  const retryDelay: unknown = received[3];
  if (typeof name !== 'string' || typeof cron !== 'string' || !isCallback(callback)) {
    throw new RegistrationShapeError(index, received);
  }
  const retryDelayMs = readDuration(index, received, retryDelay);
  if (name === '') throw new InvalidRegistrationError(index, 'name', name, 'must not be empty');
  if (!name.isWellFormed()) {
    throw new InvalidRegistrationError(
      index,
      'name',
      name,
      'has a lone surrogate, which no database can keep apart',
    );
  }
  takeName(name, index, places);
  const schedule = scheduleOf(cron, schedules);
  if (retryDelayMs < 0) throw new NegativeRetryDelayError(retryDelayMs);
  if (!Number.isSafeInteger(retryDelayMs)) {
    const reason = `must be a whole number of milliseconds up to ${Number.MAX_SAFE_INTEGER}, not ${retryDelayMs}`;
    throw new InvalidRegistrationError(index, 'retryDelay', retryDelay, reason);
  }
  return { name, cron, schedule, callback, retryDelayMs, policy: PLAIN };
}

function takeName(name: string, index: number, places: Map<string, number>): void {
  const before = places.size;
  places.set(name, index);
  // A list with a duplicate is refused, so it does not matter that its place is lost.
  if (places.size === before) throw new ScheduleDuplicateTaskError(name);
}

const isCallback = (value: unknown): value is (context: never) => unknown => typeof value === 'function';

function readDuration(index: number, received: unknown, retryDelay: unknown): number {
  let count: number | undefined;
  try {
    count = toMilliseconds(retryDelay);
  } catch (error) {
    throw new RegistrationShapeError(index, received, error);
  }
  if (count === undefined) throw new RegistrationShapeError(index, received);
  return count;
}

function scheduleOf(cron: string, schedules: Map<string, Schedule>): Schedule {
  const known = schedules.get(cron);
  if (known !== undefined) return known;
  try {
    const schedule = parseSchedule(cron);
    schedules.set(cron, schedule);
    return schedule;
  } catch (error) {
    if (!(error instanceof InvalidCronExpressionError)) throw error;
    throw new CronExpressionInvalidError(
      error,
      error.cause instanceof CronCalculationError ? error.cause : error,
    );
  }
}

/** The place of each registration, by its name. */
export const placesOf = (registrations: readonly CheckedRegistration[]): ReadonlyMap<string, number> =>
  new Map(registrations.map(({ name }, place) => [name, place]));

/** The names of a list, without a copy of it. */
export const namesOf = (registrations: readonly CheckedRegistration[]): Many<string> => ({
  length: registrations.length,
  *[Symbol.iterator]() {
    for (const { name } of registrations) yield name;
  },
});
