/** Which lists of registrations are valid, as the oracle reads them for itself: those that pass D3 with C0–C3. */
import type { TracedRegistration } from '../../trace/record.ts';
import { type MinuteMatcher, minuteMatcher } from './minute-matcher.ts';

/** The key of a registration that a scheduler accepted and the oracle cannot read: what its task does is not judged. */
export const UNREADABLE = '?';

/** Equal for registrations that are due at the same instants. */
export const scheduleKey = (cron: string, timeZone: string): string => `${timeZone}\n${cron}`;

/** So many texts that are no schedules are remembered; and so many schedules, or those of one list if it has more. */
const MANY = 1000;

/**
 * One matcher per distinct schedule; texts that are no schedules are remembered as well. Where there are many, those that the last
 * two lists did not ask for are forgotten: a group keeps the matcher that it uses.
 */
export class Matchers {
  #matchers = new Map<string, MinuteMatcher>();
  #before = new Map<string, MinuteMatcher>();
  readonly #refusals = new Map<string, string>();

  /** How many texts are remembered. */
  get size(): number {
    return this.#matchers.size + this.#before.size + this.#refusals.size;
  }

  /** A list is about to be read. */
  beginList(): void {
    if (this.#matchers.size < MANY) return;
    this.#before = this.#matchers;
    this.#matchers = new Map();
  }

  of(schedule: string): MinuteMatcher {
    const known = this.#look(schedule);
    if (typeof known === 'string') throw new RangeError(known);
    return known;
  }

  /** Why a text is no schedule that is ever due; undefined if it is one (C0–C3). */
  refusal(cron: string, timeZone: string): string | undefined {
    // A line break separates the two parts of the key.
    if (/\n/.test(timeZone + cron))
      return `${JSON.stringify(cron)} in ${JSON.stringify(timeZone)}: a line break`;
    const known = this.#look(scheduleKey(cron, timeZone));
    return typeof known === 'string' ? known : undefined;
  }

  #look(schedule: string): MinuteMatcher | string {
    const known = this.#matchers.get(schedule) ?? this.#refusals.get(schedule);
    if (known !== undefined) return known;
    const found = this.#before.get(schedule) ?? made(schedule);
    if (typeof found !== 'string') this.#matchers.set(schedule, found);
    else {
      if (this.#refusals.size >= MANY) this.#refusals.clear();
      this.#refusals.set(schedule, found);
    }
    return found;
  }
}

function made(schedule: string): MinuteMatcher | string {
  const [timeZone, cron] = schedule.split('\n', 2);
  try {
    const matcher = minuteMatcher(cron, timeZone);
    // Any four hundred years are like any others.
    return Number.isFinite(matcher.next(0)) ? matcher : `"${cron}" is never due`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Why a list is not valid; undefined if it is. */
export function invalidity(
  registrations: readonly TracedRegistration[],
  timeZone: string,
  matchers: Matchers,
): string | undefined {
  matchers.beginList();
  const names = new Set<string>();
  // Many tasks share few schedules.
  const refusals = new Map<string, string | undefined>();
  for (const { name, cron, retryDelayMs } of registrations) {
    if (name === '' || !name.isWellFormed()) return `${JSON.stringify(name)} is no name`;
    if (names.has(name)) return `${JSON.stringify(name)} is there twice`;
    names.add(name);
    if (!refusals.has(cron)) refusals.set(cron, matchers.refusal(cron, timeZone));
    const refusal = refusals.get(cron);
    if (refusal !== undefined) return refusal;
    if (!(Number.isSafeInteger(retryDelayMs) && retryDelayMs >= 0))
      return `a retry delay of ${retryDelayMs} ms for ${JSON.stringify(name)}`;
  }
  return undefined;
}

/** The registrations of a list that a scheduler has accepted, valid or not: the first of each name. */
export function readable(
  registrations: readonly TracedRegistration[],
  timeZone: string,
  matchers: Matchers,
): readonly { readonly name: string; readonly schedule: string; readonly retryDelayMs: number }[] {
  // Tasks with the same schedule share the text of its key.
  const keys = new Map<string, string>();
  const names = new Set<string>();
  const list: { name: string; schedule: string; retryDelayMs: number }[] = [];
  for (const { name, cron, retryDelayMs } of registrations) {
    if (names.has(name)) continue;
    names.add(name);
    let schedule = keys.get(cron);
    if (schedule === undefined) {
      schedule = matchers.refusal(cron, timeZone) === undefined ? scheduleKey(cron, timeZone) : UNREADABLE;
      keys.set(cron, schedule);
    }
    list.push({ name, schedule, retryDelayMs: retryDelayMs >= 0 ? retryDelayMs : Number.NaN });
  }
  return list;
}
