/** The oldest Node that this runs on. Older ones would fail somewhere inside, with words that help nobody. */
const OLDEST = [22, 18] as const;

/** A Node that npm has installed is the one that `npx` finds first. */
const WAY_OUT =
  'Install a newer one from https://nodejs.org; or only for this project, by "npm install node@24", and start it by "npx obbligato"';

/** What to say to whoever runs an older Node; undefined to everybody else. */
export function complaintAbout(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  return isOld
    ? `obbligato needs Node ${OLDEST.join('.')} or later, and this is ${version}. ${WAY_OUT}`
    : undefined;
}
