/** `obbligato repair`: repairs the records that a scheduler refuses (E7), after a backup. */
import type { Diagnosis, StoreMaintenance } from '../../index.ts';
import type { Arguments, Command, Io } from '../args/command.ts';
import { confirm } from '../args/confirm.ts';
import { isGiven } from '../args/values.ts';
import { holdStore } from '../config/store.ts';
import { findTarget } from '../config/target.ts';
import { styleFor, textRoomOf } from '../terminal/style.ts';
import { counted, json, printable, wrap } from '../terminal/text.ts';

const HELP = `
A scheduler refuses to start on a store with a damaged record, and names it. This looks at every record, says what is wrong with
each, and repairs it: a field that cannot be read gets a value that loses nothing that is owed (though something may be done
twice, as after a crash); a damaged index is built again; a record that says too little to be repaired is removed, and its task comes for the first time. An entry
of the journal that cannot be read is dropped: its runs are missing from the history, and their tasks may run again.

Nothing is changed before you say yes, and not before the file was copied into its own folder (of a database: the tables into tables
of the same schema). It takes the lock of the store, so it is refused while a scheduler runs on it. Give the store, or the configuration that knows it; without either it is that of
obbligato.config.ts, or obbligato.db here.

Options
  -y, --yes          do not ask
  --dry-run          only say what is wrong
  --json             one JSON document

Exits with 0 if the store is healthy now, with 1 if it is not (a dry run, or you said no), and with 2 if there is no terminal
to ask on and no --yes.

Examples
  obbligato repair --dry-run
  obbligato repair /var/lib/app/obbligato.db
  obbligato repair jobs.config.ts
  obbligato repair --yes --json
`;

export const repairCommand: Command = {
  name: 'repair',
  summary: 'Repair a store whose records are damaged, with a backup first',
  help: HELP,
  options: {
    yes: { type: 'boolean', short: 'y' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'store-or-config', isStore: true }],
  async run(io, args) {
    const { store } = await findTarget(io, args, args.positionals[0], 'take the default store');
    const held = await holdStore(store, io.now);
    try {
      return await repair(io, args, held);
    } finally {
      await held.close();
    }
  },
};

async function repair(io: Io, args: Arguments, held: StoreMaintenance): Promise<number> {
  const diagnosis = held.diagnose();
  const isText = !isGiven(args, 'json');
  if (isText) io.stdout.write(diagnosisText(io, held.path, diagnosis));
  const finish = (code: number, backup: string | null): number => {
    if (!isText) io.stdout.write(json(documentOf(held.path, diagnosis, backup)));
    return code;
  };
  if (isHealthy(diagnosis)) return finish(0, null);
  if (isGiven(args, 'dry-run')) return finish(1, null);
  if (!(await confirm(io, args, `Repair ${printable(held.path)}?`))) {
    io.stderr.write('Nothing was changed.\n');
    return finish(1, null);
  }
  const backup = await held.repair();
  if (isText) io.stdout.write(`Repaired. The store as it was is in ${printable(backup)}\n`);
  return finish(0, backup);
}

const isHealthy = ({ repairs, removals, journal, indexes }: Diagnosis): boolean =>
  repairs.length + removals.length + journal.length + indexes.length === 0;

function diagnosisText(io: Io, path: string, diagnosis: Diagnosis): string {
  const { healthy, repairs, removals, journal, indexes } = diagnosis;
  const colour = styleFor(io.stdout, io.env);
  const width = textRoomOf(io.stdout);
  const name = colour.bold(printable(path));
  if (isHealthy(diagnosis)) return `${name}: nothing to repair, ${counted(healthy, 'healthy record')}\n`;
  const lines = [
    ...(indexes.length > 0
      ? [`${colour.yellow('rebuild')} the index of names: ${printable(indexes[0])}; no record is lost by it`]
      : []),
    ...repairs.map(
      ({ task, field, reason, instead }) =>
        `${colour.yellow('repair')} ${printable(task)}: ${printable(reason)}; ${field} ${instead}`,
    ),
    ...removals.map(({ task, reason }) => `${colour.red('remove')} ${printable(task)}: ${printable(reason)}`),
    ...journal.map(
      ({ entry, runs, reason }) =>
        `${colour.red('drop')} entry ${entry} of the journal: ${reason}; ${counted(runs, 'run')} of it lost, and a task whose last start or end was in it may run again`,
    ),
  ];
  const head = `${name}: ${counted(healthy, 'healthy record')}, ${counted(lines.length, 'problem')}`;
  return `${[head, ...lines.map((line) => wrap(line, width, '  '))].join('\n')}\n`;
}

const documentOf = (
  location: string,
  { healthy, repairs, removals, journal, indexes }: Diagnosis,
  backup: string | null,
): object => ({
  location,
  healthy,
  rebuilt: indexes,
  repaired: repairs,
  removed: removals,
  dropped: journal,
  backup,
  changed: backup !== null,
});
