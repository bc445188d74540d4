/** The cursors of names that come for the first time (E2, A9). */
import { type Zone, zoneOf } from '../time/zone.ts';
import type { CheckedRegistration } from './registration.ts';

/** Where the cursors of new names stand at one instant: it depends on the zone of each. */
export class Cursors {
  readonly now: number;
  readonly #registrations: readonly CheckedRegistration[];
  readonly #ofZone: number;
  readonly #ofOthers = new Map<string, number>();

  constructor(registrations: readonly CheckedRegistration[], now: number, zone: Zone) {
    this.now = now;
    this.#registrations = registrations;
    this.#ofZone = cursorOfFirstComing(now, zone);
  }

  of(task: number): number {
    const { timeZone } = this.#registrations[task].policy.stored;
    if (timeZone === undefined) return this.#ofZone;
    let cursor = this.#ofOthers.get(timeZone);
    if (cursor === undefined) {
      cursor = cursorOfFirstComing(this.now, zoneOf(timeZone));
      this.#ofOthers.set(timeZone, cursor);
    }
    return cursor;
  }
}

/** Right before the current civil minute begins: if that minute matches, it is still to be served (A9, E2). */
export function cursorOfFirstComing(now: number, zone: Zone): number {
  const { offset, start } = zone.at(now);
  const minuteStart = Math.floor((now + offset) / 60_000) * 60_000 - offset;
  // A zone is kept in blocks: where one begins the offset may go on, and then so does the minute.
  if (minuteStart < start && zone.at(start - 1).offset === offset) return minuteStart - 1;
  return Math.max(minuteStart, start) - 1;
}
