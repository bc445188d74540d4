/** `obbligato forget`: removes what a store knows of one task, after a backup. */
import type { Command } from '../args/command.ts';
import { confirm } from '../args/confirm.ts';
import { isGiven, textOf } from '../args/values.ts';
import { fileOf } from '../config/store.ts';
import { findTarget } from '../config/target.ts';
import { HeldStore, type StoredRow } from '../repair/held-store.ts';
import { json, printable } from '../terminal/text.ts';

const HELP = `
Removes all that a store knows of one task: its cursor, its history, a retry that waits, a run that was cut off. If the task is
still in the list at the next start, it comes for the first time: nothing of the past is owed to it.

The file is copied beside itself first. It takes the lock of the store, so it is refused while a scheduler runs on it.
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
    // What is forgotten must not be forgotten in another store than the one that is meant.
    const { store } = await findTarget(io, args, textOf(args, 'store'), 'refuse');
    const held = await HeldStore.hold(fileOf(store));
    try {
      const rows = held.rows();
      const found = rows.filter((row) => nameOf(row) === task);
      if (found.length === 0) {
        io.stderr.write(`${printable(held.path)} knows no task "${printable(task)}"; ${known(rows)}\n`);
        if (isGiven(args, 'json')) io.stdout.write(json({ location: held.path, task, backup: null }));
        return 1;
      }
      if (!(await confirm(io, args, `Forget "${printable(task)}" in ${printable(held.path)}?`))) {
        io.stderr.write('Nothing was changed.\n');
        if (isGiven(args, 'json')) io.stdout.write(json({ location: held.path, task, backup: null }));
        return 1;
      }
      const backup = await held.backUp(io.now());
      held.change({ removes: found.map(({ id }) => id), puts: [] });
      io.stdout.write(
        isGiven(args, 'json')
          ? json({ location: held.path, task, backup })
          : `Forgot "${printable(task)}". The store as it was is in ${printable(backup)}\n`,
      );
      return 0;
    } finally {
      held.close();
    }
  },
};

const nameOf = ({ value }: StoredRow): unknown => Reflect.get(Object(value), 'name');

const MOST_NAMES = 10;

function known(rows: readonly StoredRow[]): string {
  if (rows.length === 0) return 'it knows none';
  const names = rows.map((row) => `"${printable(String(nameOf(row)))}"`).sort();
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `it knows ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}
