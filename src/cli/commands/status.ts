/** `obbligato status`: every task of a store, from any process, while a scheduler runs on it or not. */
import { inspect } from '../../index.ts';
import type { Command } from '../args/command.ts';
import { isGiven, readZone, textOf } from '../args/values.ts';
import { visibleFromHere } from '../config/store.ts';
import { findTarget } from '../config/target.ts';
import { reportOf, statusDocument, statusText } from '../status/report.ts';
import { watch } from '../status/watch.ts';
import { json } from '../terminal/text.ts';

const HELP = `
Shows every task of a store: what it does now, when it is due, how it last ended. Only looks: a scheduler that runs on the
store is not disturbed. Give the store, or the configuration that knows it; without either it is that of obbligato.config.ts, or
obbligato.db here. Expressions are read in the zone that the scheduler has written into the store.

  running    a run is going on
  retry      the last run failed; it starts again when its retry delay has passed
  owed       something was due and has not been started: no scheduler runs, all workers are busy, or the store fails
  cut off    a crash ended its run; it starts again with the next scheduler
  paused     it starts for nothing but "obbligato trigger", until "obbligato resume"; "running, paused" while its run goes on
  waiting    for its next due instant

Options
  -w, --watch        go on showing it, until Ctrl-C; into a pipe, print it again whenever something has changed
  --config <file>    the configuration, for the zone of a store that says none: no scheduler of this version has run on it
  --tz <zone>        the zone in which expressions are read, instead of the store's
  --json             one JSON document; with --watch one per line

Exits with 0, or with 1 if there is no store or some of its records are damaged.

Examples
  obbligato status
  obbligato status jobs.config.ts
  obbligato status /var/lib/app/obbligato.db --watch
  obbligato status --json | jq -r '.tasks[] | select(.state == "retry") | .name'
`;

export const statusCommand: Command = {
  name: 'status',
  summary: 'Every task of a store, and what it does now',
  help: HELP,
  options: {
    watch: { type: 'boolean', short: 'w' },
    config: { type: 'string' },
    tz: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'store-or-config', isStore: true }],
  async run(io, args) {
    const { store, ...target } = await findTarget(io, args, args.positionals[0], 'take the default store');
    visibleFromHere(store);
    const asked = textOf(args, 'tz');
    const zones = { asked: asked && readZone(asked).name, configured: target };
    const form = isGiven(args, 'json') ? 'json' : 'text';
    if (isGiven(args, 'watch')) return watch(io, store, zones, form);
    const report = reportOf(await inspect(store), zones, io.now());
    io.stdout.write(form === 'json' ? json(statusDocument(report)) : statusText(io, report));
    return report.inspection.damaged.length > 0 ? 1 : 0;
  },
};
