/** Checks whether a value is the policy of a traced registration. Only types are looked at: what a policy means is up to its reader. */
import { describeValue } from '../errors.ts';
import type { TracedDayRule, TracedPolicy } from './record.ts';

/** What a field must be, in words, and whether a value is that. */
interface Kind {
  readonly words: string;
  readonly is: (value: unknown) => boolean;
}

const AMOUNT: Kind = {
  words: 'a number that is not negative',
  is: (value) => typeof value === 'number' && value >= 0 && value < Infinity,
};
const TEXT: Kind = { words: 'a string', is: (value) => typeof value === 'string' };
const WHOLE: Kind = { words: 'a whole number', is: Number.isSafeInteger };
const COUNT: Kind = {
  words: 'a whole number above zero',
  is: (value) => Number.isSafeInteger(value) && Number(value) > 0,
};
const DATE: Kind = {
  words: 'a date (YYYY-MM-DD)',
  is: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
};
const ANYTHING: Kind = { words: 'anything', is: () => true };

const words = (...allowed: readonly string[]): Kind => ({
  words: allowed.join(' or '),
  is: (value) => allowed.some((word) => word === value),
});

type Kinds<Type> = Readonly<Record<keyof Type, Kind>>;
type Rule<Key extends string> = Kinds<Extract<TracedDayRule, Record<Key, unknown>>>;

const RETRY: Kinds<NonNullable<TracedPolicy['retry']>> = { max: COUNT, backoff: AMOUNT, maxDelayMs: AMOUNT };
const LAST: Rule<'last'> = { last: WHOLE };
const NTH: Rule<'nth'> = { nth: WHOLE, weekday: WHOLE };
const WEEKS: Rule<'everyWeeks'> = { everyWeeks: COUNT, from: DATE };

const POLICY: Kinds<Omit<TracedPolicy, 'retry' | 'days'>> = {
  timeZone: TEXT,
  clockChanges: words('once'),
  startWithinMs: AMOUNT,
  whileRunning: words('skip', 'replace'),
  jitterMs: AMOUNT,
  timeoutMs: AMOUNT,
  abandonAfterMs: AMOUNT,
  onOverride: words('reset'),
  description: TEXT,
  meta: ANYTHING,
};

/** What is wrong with a policy: the end of a sentence that has begun with the place of the policy. */
export function policyFault(policy: unknown): string | undefined {
  if (!isObject(policy)) return mustBe('', 'an object', policy);
  const { retry, days } = policy;
  return (
    fieldsFault('', policy, POLICY) ??
    (retry === undefined ? undefined : objectFault('.retry', retry, RETRY)) ??
    (days === undefined ? undefined : daysFault(days))
  );
}

function daysFault(days: unknown): string | undefined {
  const rule = isObject(days) ? [LAST, NTH, WEEKS].find((kinds) => Object.keys(kinds)[0] in days) : undefined;
  if (rule === undefined || !isObject(days))
    return mustBe('.days', 'a rule with last, nth or everyWeeks', days);
  const missing = Object.keys(rule).find((key) => days[key] === undefined);
  return missing === undefined ? fieldsFault('.days', days, rule) : `.days.${missing}" is missing`;
}

function objectFault(
  place: string,
  value: unknown,
  kinds: Readonly<Record<string, Kind>>,
): string | undefined {
  return isObject(value) ? fieldsFault(place, value, kinds) : mustBe(place, 'an object', value);
}

/** The fields that are there must be of their kinds. */
function fieldsFault(
  place: string,
  value: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, Kind>>,
): string | undefined {
  for (const key in kinds)
    if (value[key] !== undefined && !kinds[key].is(value[key]))
      return mustBe(`${place}.${key}`, kinds[key].words, value[key]);
  return undefined;
}

const mustBe = (place: string, expected: string, value: unknown): string =>
  `${place}" must be ${expected}, and it is ${describeValue(value)}`;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
