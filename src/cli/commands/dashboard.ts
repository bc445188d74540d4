/** `obbligato dashboard`: the page about a store, until Ctrl-C. */
import { once } from 'node:events';
import { isAbsolute } from 'node:path';
import { inspect } from '../../index.ts';
import type { Command, Io } from '../args/command.ts';
import { isGiven, textOf } from '../args/values.ts';
import { type Reading, readingOf } from '../config/reading.ts';
import { visibleFromHere } from '../config/store.ts';
import { findTarget, type Target } from '../config/target.ts';
import { serve } from '../dashboard/serve.ts';
import { statusOf } from '../files.ts';
import { styleFor } from '../terminal/style.ts';
import { json, printable } from '../terminal/text.ts';

const HELP = `
Serves a live page about a store: every task and what it does now, a timeline, the load, one task with its runs. Only looks, unless
--control is given: a scheduler that runs on the store is not disturbed. Give the store, or the configuration that knows it; with a
configuration the page also shows what its next start would change. "obbligato run --dashboard" serves the same while it runs.

It listens on this machine only. Any other address demands a token, which the page asks for.

Options
  --port <n>           the port (7070); 0 for any that is free
  --host <address>     the address to listen on (127.0.0.1)
  --token-file <file>  a file with the token that viewers must know, at least 16 characters
  --control            let viewers run, pause, resume and cancel tasks
  --config <file>      the configuration, for the zone of a store that says none
  --tz <zone>          the zone in which expressions are read, instead of the store's
  --json               where it listens, as one JSON document

Exits with 0 after Ctrl-C or SIGTERM, and with 1 if it cannot listen.

Examples
  obbligato dashboard
  obbligato dashboard /var/lib/jobs/obbligato.db --port 8080
  obbligato dashboard --control
  obbligato dashboard --host 0.0.0.0 --token-file /etc/obbligato/token
`;

export const dashboardCommand: Command = {
  name: 'dashboard',
  summary: 'A live page about a store, in a browser',
  help: HELP,
  options: {
    port: { type: 'string' },
    host: { type: 'string' },
    'token-file': { type: 'string' },
    control: { type: 'boolean' },
    config: { type: 'string' },
    tz: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'store-or-config', isStore: true }],
  async run(io, args) {
    const target = await findTarget(io, args, args.positionals[0], 'take the default store');
    visibleFromHere(target.store);
    const { zone, zoneFrom } = await readingOfTarget(target, textOf(args, 'tz'));
    // The page goes by the zone that the store says, also if that changes.
    const timeZone = zoneFrom === 'store' || zoneFrom === 'host' ? undefined : zone.name;
    // Before it listens: a signal that comes right after must find somebody who hears it.
    const leaving = new AbortController();
    const asked = Promise.race(
      ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal, { signal: leaving.signal })),
    );
    asked.catch(() => {});
    try {
      const { store, registrations: tasks, logs: folders } = target;
      warnOfMissing(io, store.location);
      const logs = folders && ((task: string) => folders.get(task));
      const server = await serve(io, args, { store, timeZone, tasks, logs, now: io.now });
      const control = isGiven(args, 'control');
      const facts = {
        url: server.url,
        port: server.port,
        store: store.location,
        timeZone: zone.name,
        control,
      };
      const { bold, dim } = styleFor(io.stdout, io.env);
      const what = `${printable(store.location)}${control ? ', with controls' : ', only to look'}. Ctrl-C ends it.`;
      io.stdout.write(isGiven(args, 'json') ? json(facts) : `${bold(server.url)}  ${dim(what)}\n`);
      await asked;
      io.stdout.abandon?.();
      await server.close();
      return 0;
    } finally {
      leaving.abort();
    }
  },
};

/** A store that is not there yet, or cannot be read, is the trouble of the page. */
const readingOfTarget = async (target: Target, asked: string | undefined): Promise<Reading> =>
  readingOf(asked === undefined ? await inspect(target.store).catch(() => undefined) : undefined, {
    asked,
    configured: target,
  });

/** A name that is mistyped looks as a store that is about to be made: the page waits for either, and who has typed the name looks here first. */
function warnOfMissing(io: Io, location: string): void {
  if (!isAbsolute(location) || statusOf(location) !== undefined) return;
  const { yellow } = styleFor(io.stderr, io.env);
  io.stderr.write(
    `${yellow('warning:')} there is no store at ${printable(location)}; the page waits for one\n`,
  );
}
