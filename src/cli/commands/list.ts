/** `obbligato list`: every task of a configuration and its next start, before the first run too. */
import { type Inspection, inspect, type Store, StoreMissingError } from '../../index.ts';
import type { Arguments, Command, Io } from '../args/command.ts';
import { countOf, isGiven, momentOf, readZone, textOf } from '../args/values.ts';
import { loadConfig } from '../config/load.ts';
import { isForgotten, namedStore, storeOf } from '../config/store.ts';
import { factsOf } from '../config/tasks.ts';
import { OK } from '../errors.ts';
import { type Listed, listingOf } from '../list/listing.ts';
import { listingDocument, listingText } from '../list/report.ts';
import { styleFor } from '../terminal/style.ts';
import { json, messageOf } from '../terminal/text.ts';

const HELP = `
Lists every task of a configuration, the next to start first: its state, its next start in local time, when it is due in words, how its last
run ended. What the store does not know yet is "new": it also works before the first run. Nothing is started or changed.

Options
  -n, --count <n>    how many next starts of each task (1)
  --limit <n>        at most so many tasks
  --from <time>      starts after this instead of now: 2027-03-28, 2027-03-28T02:30
  --filter <text>    only tasks whose names contain this; upper and lower case are the same
  --store <file>     the store, instead of the configuration's
  --tz <zone>        instead of the configuration's zone, or the one that the store says
  --json             one JSON document

Examples
  obbligato list
  obbligato list services/billing --filter invoice -n 3
  obbligato list --json | jq -r '.tasks[] | select(.failures > 0) | .name'
`;

export const listCommand: Command = {
  name: 'list',
  summary: 'Every task of a configuration, and when it starts next',
  help: HELP,
  options: {
    count: { type: 'string', short: 'n' },
    limit: { type: 'string' },
    from: { type: 'string' },
    filter: { type: 'string' },
    store: { type: 'string' },
    tz: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'config' }],
  async run(io, args) {
    const count = countOf(args, { option: 'count', fallback: 1, min: 1, max: 1000 });
    const named = textOf(args, 'store');
    const chosen = named === undefined ? undefined : namedStore(io.cwd, named);
    const loaded = await loadConfig(io.cwd, args.positionals[0]);
    const asked = textOf(args, 'tz') ?? loaded.config.timeZone;
    const given = asked && readZone(asked).name;
    const inspection = await lookInto(io, chosen ?? storeOf(loaded));
    const zone = readZone(given ?? inspection?.timeZone);
    const from = momentOf(io, args, zone);
    const tasks = loaded.config.tasks.map(factsOf);
    const listing = listingOf(tasks, inspection, { zone, now: io.now(), from, count });
    const shown = chosenTasks(args, listing.tasks);
    io.stdout.write(
      isGiven(args, 'json') ? json(listingDocument(listing, shown)) : listingText(io, listing, shown),
    );
    return OK;
  },
};

function chosenTasks(args: Arguments, tasks: readonly Listed[]): readonly Listed[] {
  const filter = textOf(args, 'filter')?.toLowerCase();
  const limit = countOf(args, { option: 'limit', fallback: tasks.length, min: 1, max: 999_999_999 });
  return tasks
    .filter(({ name }) => filter === undefined || name.toLowerCase().includes(filter))
    .slice(0, limit);
}

/** What the store knows. A store that is not there yet knows nothing, and one that fails must not hide the tasks. */
async function lookInto(io: Io, store: Store): Promise<Inspection | undefined> {
  if (isForgotten(store) || store.inspect === undefined) return undefined;
  try {
    return await inspect(store);
  } catch (error) {
    if (!(error instanceof StoreMissingError)) {
      const { yellow } = styleFor(io.stderr, io.env);
      io.stderr.write(`${yellow('warning:')} the states are not known: ${messageOf(error)}\n`);
    }
    return undefined;
  }
}
