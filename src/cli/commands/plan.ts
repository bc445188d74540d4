/** `obbligato plan`: what the next start of a configuration would do to its store, before it does it. */
import { plan } from '../../index.ts';
import type { Command } from '../args/command.ts';
import { isGiven, textOf } from '../args/values.ts';
import { loadConfig } from '../config/load.ts';
import { namedStore, storeOf, visibleFromHere } from '../config/store.ts';
import { CHANGES, OK } from '../errors.ts';
import { isChange, planDocument, planText } from '../plan/report.ts';
import { json } from '../terminal/text.ts';

const HELP = `
Shows what the next "obbligato run" of a configuration would do to its store, before it does it: which tasks are new, changed (and how) or
removed, and what would be started at once, and why. Only looks: nothing is started or written, and a scheduler that runs on the store is
not disturbed.

  +  new: the store does not know it
  ~  changed: its expression, its retry delay or another of its policies; what the store knows of it is kept
  -  removed: what the store knows of it is forgotten
  >  starts at once: it was due, its retry has come, somebody asked for it, or its run was cut off

It also says if the next start would refuse the list, since it forgets more than half of ten or more stored tasks (run --allow-removal lifts that).

Options
  --store <file>     the store, instead of the configuration's
  --json             one JSON document

Exit codes
  0    the list is what the store has
  1    the store cannot be read, has a damaged record, or was taken away from its scheduler
  2    the command line or the configuration is wrong
  3    tasks are new, changed or removed

Examples
  obbligato plan
  obbligato plan services/billing --store /var/lib/billing/obbligato.db
  obbligato plan --json | jq -e '.removed == []'
`;

export const planCommand: Command = {
  name: 'plan',
  summary: 'What the next start would change: new, changed and removed tasks',
  help: HELP,
  options: { store: { type: 'string' }, json: { type: 'boolean' } },
  positionals: [{ name: 'config' }],
  async run(io, args) {
    const named = textOf(args, 'store');
    const chosen = named === undefined ? undefined : namedStore(io.cwd, named);
    const loaded = await loadConfig(io.cwd, args.positionals[0]);
    const { timeZone, tasks, guardRemovals = true } = loaded.config;
    const store = chosen ?? storeOf(loaded);
    visibleFromHere(store);
    const preview = await plan(store, tasks, { timeZone, at: io.now() });
    const { location } = store;
    const guard = guardRemovals ? 'on' : 'off';
    io.stdout.write(
      isGiven(args, 'json')
        ? json(planDocument(location, preview, guard))
        : planText(io, location, preview, guard),
    );
    return isChange(preview) ? CHANGES : OK;
  },
};
