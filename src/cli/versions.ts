/** Which Node this needs. Loaded first, so it must load on an old Node too. */

/** The oldest Node that this runs on, as in `engines` of package.json; a test holds the two together. */
export const OLDEST_NODE = '22.18';

/** A Node that npm has installed is the one that `npx` finds first. */
const WAY_OUT =
  'Install a newer one from https://nodejs.org; or only for this project, by "npm install node@24", and start it by "npx obbligato"';

/** An older Node would fail somewhere inside, with words that do not help. */
export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

/** What is wrong with this Node; undefined if nothing is. */
export const complaintAbout = (version: string): string | undefined =>
  isTooOld(version)
    ? `obbligato needs Node ${OLDEST_NODE} or later, and this is ${version}. ${WAY_OUT}`
    : undefined;
