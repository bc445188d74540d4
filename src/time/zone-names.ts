/** The names of zones: how one is spelt, which are none, and which was meant by a name that does not exist. */
import { editDistance } from '../text/nearest.ts';

/**
 * ICU, and so `Intl`, takes the abbreviations of old Javas for zones, and not for the ones that people mean: its BST is
 * Asia/Dhaka, its AST is Alaska. The tz database has none of them. What these mean to most people is what is suggested.
 */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map([
  ['aet', ['Australia/Sydney']],
  ['ast', ['America/Halifax']],
  ['bst', ['Europe/London']],
  ['cat', ['Africa/Maputo']],
  ['cst', ['America/Chicago']],
  ['eat', ['Africa/Nairobi']],
  ['ist', ['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem']],
  ['jst', ['Asia/Tokyo']],
  ['nst', ['America/St_Johns']],
  ['pst', ['America/Los_Angeles']],
  ['sst', ['Pacific/Pago_Pago']],
]);

const LEGACY =
  /^(a[ce]t|a[gr]t|ast|bet|bst|cat|cnt|cst|ctt|eat|ect|iet|ist|jst|mit|net|nst|plt|pnt|prt|pst|sst|vst|systemv\/.*)$/;

/** Whether a name is ICU's alone. */
export const isLegacyName = (name: string): boolean => LEGACY.test(name.toLowerCase());

/** The runtime still lists these zones by their older names, and knows them by those of today. A few small ones are left out. */
const MODERN: ReadonlyMap<string, string> = new Map([
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
]);

/** Up to three names of zones that are near to what was written, the nearest first. */
export function suggestZones(written: string): readonly string[] {
  const known = MEANT.get(written.toLowerCase().replace(/^systemv\/(\w{3}).*/, '$1'));
  if (known !== undefined) return known;
  const wanted = simplify(written.slice(0, 64));
  if (wanted.length < 3) return [];
  return [...Intl.supportedValuesOf('timeZone'), 'UTC']
    .map((listed) => {
      const name = MODERN.get(listed) ?? listed;
      return { name, distance: Math.min(distanceTo(wanted, listed), distanceTo(wanted, name)) };
    })
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / 4)))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

const LOWER_CASE = /^(au|es|of)$/;
const UPPER_CASE =
  /^(act|cet|chat|eet|est|gb|gmt.*|hst|in|lhi|met|mst|nsw|nz|prc|roc|rok|su|uct|utc|us|wet|[a-z]{3}\d[a-z]{3})$/;
const MIXED_CASE = 'BajaNorte BajaSur ComodRivadavia DeNoronha DumontDUrville EasterIsland McMurdo'.split(
  ' ',
);

/**
 * A valid name in the letter case of the tz database: `Asia/Kolkata` for `asia/kolkata`. The runtime cannot be asked, since
 * it answers with the canonical name (`Asia/Calcutta`); its spelling is right where it is the same name.
 */
export function mendCase(name: string, canonical: string): string {
  if (name.toLowerCase() === canonical.toLowerCase() || /^[+-]/.test(name)) return canonical;
  return name.toLowerCase().replace(/[^/_-]+/g, (word, at: number) => {
    if (at > 0 && LOWER_CASE.test(word)) return word;
    if (UPPER_CASE.test(word)) return word.toUpperCase();
    const mixed = MIXED_CASE.find((special) => special.toLowerCase() === word);
    return mixed ?? word.charAt(0).toUpperCase() + word.slice(1);
  });
}

/** "new york", "New_York" and "America/New_York" all mean the same city. */
function distanceTo(wanted: string, name: string): number {
  const whole = simplify(name);
  const city = simplify(name.slice(name.lastIndexOf('/') + 1));
  return Math.min(editDistance(wanted, whole), editDistance(wanted, city));
}

const simplify = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '_');
