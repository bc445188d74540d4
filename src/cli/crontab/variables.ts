/**
 * The variables of a crontab. A line sets one for all jobs below it. Some are for cron itself: a few of these have a place in a
 * configuration, and the others get a note that they have none.
 */

export interface Surroundings {
  readonly env: ReadonlyMap<string, string>;
  readonly shell: string | undefined;
  readonly cwd: string | undefined;
  /** `CRON_TZ`, in which expressions are read. */
  readonly timeZone: string | undefined;
}

export const NOTHING_SET: Surroundings = {
  env: new Map(),
  shell: undefined,
  cwd: undefined,
  timeZone: undefined,
};

export interface Setting {
  readonly surroundings: Surroundings;
  /** What of it could not be carried over, or works otherwise. */
  readonly note?: string;
}

const WITHOUT_A_PLACE: ReadonlyMap<string, string> = new Map([
  [
    'MAILTO',
    'nothing is mailed; a failing command shows in the log, in "obbligato status" and in "obbligato history"',
  ],
  ['MAILFROM', 'nothing is mailed'],
  ['CONTENT_TYPE', 'nothing is mailed'],
  ['CONTENT_TRANSFER_ENCODING', 'nothing is mailed'],
  ['RANDOM_DELAY', 'starts are not delayed at random; "jitter" of a task spreads them'],
  ['LOGNAME', 'cron does not let it be set either'],
]);

/** What a variable's line makes of what was set above it. */
export function set(above: Surroundings, name: string, value: string): Setting {
  const reason = WITHOUT_A_PLACE.get(name);
  if (reason !== undefined) {
    const isSilent = name === 'MAILTO' && value === '';
    return isSilent
      ? { surroundings: above }
      : { surroundings: above, note: `${name} was left out: ${reason}` };
  }
  const withEnv = { ...above, env: new Map(above.env).set(name, value) };
  switch (name) {
    case 'CRON_TZ':
      return { surroundings: { ...above, timeZone: value === '' ? undefined : value } };
    case 'SHELL':
      return { surroundings: { ...above, shell: value === '/bin/sh' ? undefined : value } };
    case 'HOME':
      return { surroundings: { ...withEnv, cwd: value } };
    case 'TZ':
      return {
        surroundings: withEnv,
        note: 'TZ is given to the commands alone, as cron does; expressions are read in the zone of CRON_TZ or of the host',
      };
    default:
      return { surroundings: withEnv };
  }
}
