/** Which lists of registrations are valid, as the oracle reads them for itself: those that pass D3 with C0–C3. */
import type { TracedRegistration } from '../../trace/record.ts';
import { type MinuteMatcher, minuteMatcher } from './minute-matcher.ts';

/** The key of a registration that a scheduler accepted and the oracle cannot read: what its task does is not judged. */
export const UNREADABLE = '?';

/** Equal for registrations that are due at the same instants. */
const scheduleKey = (cron: string, timeZone: string): string => `${timeZone}\n${cron}`;

/** So many texts are remembered besides those of the last lists. A group keeps the matcher that it uses. */
const MANY = 1000;

/** One matcher per distinct schedule; texts that are no schedules are remembered as well. */
export class Matchers {
  readonly #known = new Map<string, MinuteMatcher | string>();

  /** How many texts are remembered. */
  get size(): number {
    return this.#known.size;
  }

  /** A list of so many registrations is about to be read. */
  beginList(length: number): void {
    if (this.size >= MANY + 2 * length) this.#known.clear();
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
    let known = this.#known.get(schedule);
    if (known === undefined) {
      known = made(schedule);
      this.#known.set(schedule, known);
    }
    return known;
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

/** A registration, as far as tasks are concerned. */
export interface Enlisted {
  readonly name: string;
  /** Equal for registrations that are due at the same instants. */
  readonly schedule: string;
  /** NaN where it is no delay. */
  readonly retryDelayMs: number;
}

/** What can be read of a list: the first registration of each name. And why the list is not valid; undefined if it is. */
export interface ReadList {
  readonly list: readonly Enlisted[];
  readonly invalid: string | undefined;
}

export function readList(
  registrations: readonly TracedRegistration[],
  timeZone: string,
  matchers: Matchers,
): ReadList {
  matchers.beginList(registrations.length);
  let invalid = matchers.refusal('* * * * *', timeZone);
  const list = new Map<string, Enlisted>();
  // Many tasks share few schedules, and the text of a key.
  const schedules = new Map<string, { readonly key: string; readonly refusal: string | undefined }>();
  for (const { name, cron, retryDelayMs } of registrations) {
    let schedule = schedules.get(cron);
    if (schedule === undefined) {
      const refusal = matchers.refusal(cron, timeZone);
      schedule = { refusal, key: refusal === undefined ? scheduleKey(cron, timeZone) : UNREADABLE };
      schedules.set(cron, schedule);
    }
    const isDelay = Number.isSafeInteger(retryDelayMs) && retryDelayMs >= 0;
    if (name === '' || !name.isWellFormed()) invalid ??= `${JSON.stringify(name)} is no name`;
    if (list.has(name)) invalid ??= `${JSON.stringify(name)} is there twice`;
    invalid ??= schedule.refusal;
    if (!isDelay) invalid ??= `a retry delay of ${retryDelayMs} ms for ${JSON.stringify(name)}`;
    if (!list.has(name))
      list.set(name, {
        name,
        schedule: schedule.key,
        retryDelayMs: retryDelayMs >= 0 ? retryDelayMs : Number.NaN,
      });
  }
  return { list: [...list.values()], invalid };
}
