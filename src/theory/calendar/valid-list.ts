/** Which lists of registrations are valid, as the oracle reads them for itself: those that pass D3 with C0–C3. */
import type { TracedPolicy, TracedRegistration } from '../../trace/record.ts';
import { type CivilClock, civilClock } from './civil-clock.ts';
import { type DueRules, type MinuteMatcher, minuteMatcher } from './minute-matcher.ts';

/** What a policy says about dues: when they are, and which of them may be started (H3, H4, H5, H9). */
export interface ScheduleRules extends DueRules {
  readonly startWithinMs?: number;
  readonly whileRunning?: 'skip';
}

/** When a task is due, and for which dues it may be started. */
export interface Schedule {
  /** Equal for schedules that are due at the same instants, and may be started for the same dues. */
  readonly key: string;
  readonly cron: string;
  readonly rules: ScheduleRules;
  /** Undefined where a scheduler accepted what the oracle cannot read: what its tasks do is not judged. */
  readonly matcher: MinuteMatcher | undefined;
  /** Why it is no schedule that is ever due; undefined if it is one (C0–C3). */
  readonly refusal?: string;
}

const noRules: ScheduleRules = {};

/** The rules of a registration: none where its expression says it all. */
function rulesOf(name: string, policy: TracedPolicy | undefined): ScheduleRules {
  if (policy === undefined) return noRules;
  const { days, clockChanges, startWithinMs, whileRunning, jitterMs = 0 } = policy;
  const offsetMs = jitterOffsetMs(name, jitterMs);
  return {
    ...(days && { days }),
    ...(clockChanges && { clockChanges }),
    ...(offsetMs > 0 && { offsetMs }),
    ...(startWithinMs !== undefined && { startWithinMs }),
    ...(whileRunning === 'skip' && { whileRunning }),
  };
}

/** By how much the dues of a task are moved: it goes by FNV-1a over the code units of its name, finished as MurmurHash3 is (H5). */
export function jitterOffsetMs(name: string, jitterMs: number): number {
  if (jitterMs < 1000) return 0;
  let hash = 2_166_136_261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507);
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
  return (((hash ^ (hash >>> 16)) >>> 0) % Math.floor(jitterMs / 1000)) * 1000;
}

/** So many schedules are remembered besides those of the last lists. A group keeps the one that it uses. */
const MANY = 1000;

/** One object per distinct schedule; texts that are no schedules are remembered as well. */
export class Schedules {
  readonly #known = new Map<string, Schedule>();

  get size(): number {
    return this.#known.size;
  }

  /** A list of so many registrations is about to be read. */
  beginList(length: number): void {
    if (this.size >= MANY + 2 * length) this.#known.clear();
  }

  of(cron: string, timeZone: string, rules = noRules): Schedule {
    // A line break separates the parts, and no schedule has one.
    const besides = rules === noRules ? '{}' : JSON.stringify(rules);
    const key = `${timeZone}\n${cron}${besides === '{}' ? '' : `\n${besides}`}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const schedule = made(key, cron, timeZone, rules);
    this.#known.set(key, schedule);
    return schedule;
  }
}

function made(key: string, cron: string, timeZone: string, rules: ScheduleRules): Schedule {
  const unreadable = { key: '?', cron: '?', rules: noRules, matcher: undefined };
  const refused = (refusal: string): Schedule => ({ ...unreadable, refusal });
  if (/\n/.test(timeZone + cron))
    return refused(`${JSON.stringify(cron)} in ${JSON.stringify(timeZone)}: a line break`);
  try {
    const matcher = minuteMatcher(cron, timeZone, rules);
    // Any four hundred years are like any others, but for a rule that begins with some day.
    const from = rules.days !== undefined && 'from' in rules.days ? Date.parse(rules.days.from) : 0;
    return Number.isFinite(matcher.next(from))
      ? { key, cron, rules, matcher }
      : refused(`"${cron}" is never due`);
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}

/** A registration, as far as tasks are concerned. */
export interface Enlisted {
  readonly name: string;
  readonly schedule: Schedule;
  /** NaN where it is no delay. */
  readonly retryDelayMs: number;
  readonly policy?: TracedPolicy | undefined;
}

/** Whether a name has the same registration in two lists; another one is an override (E4). Another zone of the list is none (B2). */
export const isSameRegistration = (a: Enlisted | undefined, b: Enlisted | undefined): boolean =>
  a === b ||
  (a?.schedule.cron === b?.schedule.cron &&
    Object.is(a?.retryDelayMs, b?.retryDelayMs) &&
    JSON.stringify(a?.policy) === JSON.stringify(b?.policy));

export const isSameList = (a: readonly Enlisted[], b: readonly Enlisted[]): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every(
      (one, i) =>
        one.name === b[i].name && one.schedule.key === b[i].schedule.key && isSameRegistration(one, b[i]),
    ));

/** What can be read of a list: the first registration of each name. */
export interface ReadList {
  readonly list: readonly Enlisted[];
  /** Of its zone; of UTC if there is no such zone. */
  readonly clock: CivilClock;
  /** Why the list is not valid; undefined if it is. */
  readonly invalid: string | undefined;
}

export function readList(
  registrations: readonly TracedRegistration[],
  timeZone: string,
  schedules: Schedules,
): ReadList {
  schedules.beginList(registrations.length);
  let invalid = schedules.of('* * * * *', timeZone).refusal;
  const clock = civilClock(invalid === undefined ? timeZone : 'UTC');
  const list = new Map<string, Enlisted>();
  for (const { name, cron, retryDelayMs, policy } of registrations) {
    const schedule = schedules.of(cron, policy?.timeZone ?? timeZone, rulesOf(name, policy));
    const isDelay = Number.isSafeInteger(retryDelayMs) && retryDelayMs >= 0;
    if (name === '' || !name.isWellFormed()) invalid ??= `${JSON.stringify(name)} is no name`;
    if (list.has(name)) invalid ??= `${JSON.stringify(name)} is there twice`;
    invalid ??= schedule.refusal;
    if (!isDelay) invalid ??= `a retry delay of ${retryDelayMs} ms for ${JSON.stringify(name)}`;
    const delayMs = retryDelayMs >= 0 ? retryDelayMs : Number.NaN;
    if (!list.has(name)) list.set(name, { name, schedule, retryDelayMs: delayMs, policy });
  }
  return { list: [...list.values()], clock, invalid };
}
