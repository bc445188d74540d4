/** The changelog as text: the part that is not released yet, and how it becomes a release. */

/** Why something cannot be released. The message says what to do. */
export class ReleaseError extends Error {}

const UNRELEASED = '## [Unreleased]';

/** `[major, minor, patch]` of a version without a suffix. */
function partsOf(version: string): [number, number, number] {
  const found = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version);
  if (!found) throw new ReleaseError(`"${version}" is no version; write it as 1.2.3`);
  return [Number(found[1]), Number(found[2]), Number(found[3])];
}

/** Below zero if the first comes before the second. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** What stands under a heading, up to the next one of its kind; undefined if there is no such heading. */
function under(changelog: string, heading: string): string | undefined {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line === heading || line.startsWith(`${heading} - `));
  if (start < 0) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('## '));
  return rest
    .slice(0, end < 0 ? rest.length : end)
    .join('\n')
    .trim();
}

/** The notes of a version; undefined if it has none. */
export const notesOf = (changelog: string, version: string): string | undefined =>
  under(changelog, `## [${version}]`);

/** The changelog in which what was unreleased is this version, of this day. */
export function released(changelog: string, version: string, day: string): string {
  partsOf(version);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day)))
    throw new ReleaseError(`"${day}" is no day; write it as 2027-01-31`);
  const notes = under(changelog, UNRELEASED);
  if (notes === undefined) throw new ReleaseError(`CHANGELOG.md has no line "${UNRELEASED}"`);
  if (notes === '')
    throw new ReleaseError(`nothing stands under "${UNRELEASED}" in CHANGELOG.md: say what has changed`);
  if (notesOf(changelog, version) !== undefined)
    throw new ReleaseError(`CHANGELOG.md has a version ${version} already`);
  return changelog.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n## [${version}] - ${day}\n`);
}
