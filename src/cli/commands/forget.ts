/** `obbligato forget`: removes what a store knows of one task, after a backup. */
import type { Command } from '../args/command.ts';
import { confirm } from '../args/confirm.ts';
import { isGiven, textOf } from '../args/values.ts';
import { holdStore } from '../config/store.ts';
import { findTarget } from '../config/target.ts';
import { FAILED, OK } from '../errors.ts';
import { json, printable } from '../terminal/text.ts';

const HELP = `
Removes all that a store knows of one task: its cursor, its history, a retry that waits, a run that was cut off. If the task is
still in the list at the next start, it comes for the first time: nothing of the past is owed to it.

The file is copied into its own folder first; of a database, the tables are copied into tables of the same schema. It takes the lock of the store, so it is refused while a scheduler runs on it.
(A task that is no longer in the list is forgotten by itself at the next start.)

Options
  --store <file>     the store; that of the configuration, or obbligato.db here, by default
  --config <file>    the configuration that knows the store; obbligato.config.ts, here or above, by default
  -y, --yes          do not ask
  --json             one JSON document

Examples
  obbligato forget report
  obbligato forget report --config jobs.config.ts
  obbligato forget 'nightly backup' --store /var/lib/app/obbligato.db --yes
`;

export const forgetCommand: Command = {
  name: 'forget',
  summary: 'Remove what a store knows of one task',
  help: HELP,
  options: {
    store: { type: 'string' },
    config: { type: 'string' },
    yes: { type: 'boolean', short: 'y' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'task', required: true }],
  async run(io, args) {
    const [task] = args.positionals;
    // With another store than the one that is meant, the wrong task would be forgotten.
    const { store } = await findTarget(io, args, textOf(args, 'store'), 'refuse');
    const held = await holdStore(store, io.now);
    const wantsJson = isGiven(args, 'json');
    const unchanged = (why: string): number => {
      io.stderr.write(why);
      if (wantsJson) io.stdout.write(json({ location: held.path, task, backup: null }));
      return FAILED;
    };
    try {
      const path = printable(held.path);
      const names = held.names();
      if (!names.includes(task))
        return unchanged(`${path} knows no task "${printable(task)}"; ${known(names)}\n`);
      if (!(await confirm(io, args, `Forget "${printable(task)}" in ${path}?`)))
        return unchanged('Nothing was changed.\n');
      const backup = await held.forget(task);
      io.stdout.write(
        wantsJson
          ? json({ location: held.path, task, backup })
          : `Forgot "${printable(task)}". The store as it was is in ${printable(String(backup))}\n`,
      );
      return OK;
    } finally {
      await held.close();
    }
  },
};

const MOST_NAMES = 10;

function known(names: readonly string[]): string {
  if (names.length === 0) return 'it knows none';
  const quoted = names.map((name) => `"${printable(name)}"`).sort();
  const more = quoted.length > MOST_NAMES ? ` and ${quoted.length - MOST_NAMES} more` : '';
  return `it knows ${quoted.slice(0, MOST_NAMES).join(', ')}${more}`;
}
