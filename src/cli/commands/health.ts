/** `obbligato health`: one exit code for a probe or a nightly look, and the reasons. */
import {
  type Health,
  type HealthOptions,
  type HealthReason,
  type HealthTrouble,
  health,
} from '../../index.ts';
import type { Arguments, Command, Io } from '../args/command.ts';
import { countOf, isGiven, readZone, spanOf, textOf } from '../args/values.ts';
import { visibleFromHere } from '../config/store.ts';
import { findTarget, type Target } from '../config/target.ts';
import { CliError, FAILED, OK } from '../errors.ts';
import { styleFor, textRoomOf } from '../terminal/style.ts';
import { counted, json, printable, wrap } from '../terminal/text.ts';

const REASONS = ['store', 'owner', 'late', 'failing'] as const satisfies readonly HealthReason[];

const HELP = `
Says whether a schedule is well, by what its store says: exits with 0 if it is, with 1 and the reasons if it is not. Only looks: a scheduler
that runs on the store is not disturbed.

  store      the store is not there, cannot be read, or has damaged records
  owner      no scheduler runs on it
  late       a task should have started, and has not for longer than --late
  failing    a task has failed --failures times in a row, or for longer than --failing

Whether a task is late depends on the zone that the scheduler has written into the store. A store of a former version says none until a scheduler
of this one has run on it: give the configuration, or --tz. With such a store alone nothing is said about lateness.

Options
  --late <time>        how late a start may be (5m)
  --failures <n>       how many failures in a row are too many (3)
  --failing <time>     for how long a task may fail (1h)
  --ignore <reasons>   leave some of the four out, such as --ignore failing,late
  --config <file>      the configuration, for the zone of a store that says none
  --tz <zone>          the zone in which expressions are read, instead of the store's
  --json               one JSON document

Examples
  obbligato health
  obbligato health /var/lib/jobs/obbligato.db --late 10m
  obbligato health --ignore failing --json | jq -r '.troubles[].text'
`;

export const healthCommand: Command = {
  name: 'health',
  summary: 'Whether the schedule is well, as an exit code with reasons',
  help: HELP,
  options: {
    late: { type: 'string' },
    failures: { type: 'string' },
    failing: { type: 'string' },
    ignore: { type: 'string' },
    config: { type: 'string' },
    tz: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'store-or-config', isStore: true }],
  async run(io, args) {
    const limits = {
      lateAfter: spanOf(args, { option: 'late', fallback: '5m' }),
      failures: countOf(args, { option: 'failures', fallback: 3, min: 1, max: 999_999_999 }),
      failingFor: spanOf(args, { option: 'failing', fallback: '1h' }),
    };
    const ignored = ignoredOf(args);
    const target = await findTarget(io, args, args.positionals[0], 'take the default store');
    visibleFromHere(target.store);
    const seen = await healthOf(target, textOf(args, 'tz'), { ...limits, now: io.now() });
    const troubles = seen.troubles.filter(({ reason }) => !ignored.includes(reason));
    const isLatenessJudged = seen.timeZone !== undefined;
    const judged = REASONS.filter(
      (reason) => !ignored.includes(reason) && (reason !== 'late' || isLatenessJudged),
    );
    const answer = { ...seen, location: target.store.location, judged, troubles };
    io.stdout.write(isGiven(args, 'json') ? json(documentOf(answer, io.now())) : textFor(io, answer));
    return troubles.length === 0 ? OK : FAILED;
  },
};

interface Answer extends Seen {
  readonly location: string;
  /** Which of the reasons were looked for. */
  readonly judged: readonly HealthReason[];
  readonly troubles: readonly HealthTrouble[];
}

/** The host's zone is a guess, and with a wrong zone a task that is on time would be called late. The configuration counts where the store says none. */
async function healthOf(
  { store, timeZone, timeZoneFrom }: Target,
  asked: string | undefined,
  options: HealthOptions,
): Promise<Seen> {
  const seen = await health(store, {
    ...options,
    timeZone: asked === undefined ? false : readZone(asked).name,
  });
  if (seen.timeZoneFrom !== 'host' || timeZoneFrom === 'host') return seen;
  const judged = await health(store, { ...options, timeZone: readZone(timeZone).name });
  return { ...judged, timeZoneFrom: 'configuration' };
}

interface Seen extends Omit<Health, 'timeZoneFrom'> {
  readonly timeZoneFrom: Health['timeZoneFrom'] | 'configuration';
}

function ignoredOf(args: Arguments): readonly HealthReason[] {
  const words = (textOf(args, 'ignore') ?? '').split(',').map((word) => word.trim());
  return words
    .filter((word) => word !== '')
    .map((word) => {
      const found = REASONS.find((reason) => reason === word);
      if (found !== undefined) return found;
      throw new CliError('usage', `--ignore takes ${REASONS.join(', ')}; got "${printable(word)}"`);
    });
}

const MOST_SHOWN = 20;

function textFor(io: Io, { location, tasks = 0, judged, troubles }: Answer): string {
  const { green, red, dim, symbols } = styleFor(io.stdout, io.env);
  const width = textRoomOf(io.stdout);
  const lateHint = judged.includes('late') ? '' : dim(' (lateness was not judged)');
  if (troubles.length === 0)
    return `${green(symbols.ok)} all is well with ${printable(location)}, ${counted(tasks, 'task')}${lateHint}\n`;
  const lines = troubles.slice(0, MOST_SHOWN).map(({ reason, task, text }) => {
    const whose = task === undefined ? '' : `"${printable(task)}" `;
    return wrap(`${red(symbols.failed)} ${reason}: ${whose}${text}`, width);
  });
  const more = troubles.length - lines.length;
  return `${[...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')}\n`;
}

const documentOf = ({ location, tasks, judged, troubles, ...zone }: Answer, now: number): object => ({
  healthy: troubles.length === 0,
  at: new Date(now).toISOString(),
  location,
  tasks: tasks ?? null,
  timeZone: zone.timeZone ?? null,
  timeZoneFrom: zone.timeZoneFrom,
  judged,
  troubles: troubles.map(({ reason, task = null, since, text }) => ({
    reason,
    task,
    since: since === undefined ? null : new Date(since).toISOString(),
    text,
  })),
});
