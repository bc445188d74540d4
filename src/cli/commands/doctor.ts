/** `obbligato doctor`: is everything here as a scheduler needs it? */
import type { Command, Io } from '../args/command.ts';
import { isGiven } from '../args/values.ts';
import { defaultStore, storeOf } from '../config/store.ts';
import type { Check } from '../doctor/check.ts';
import { checkConfig } from '../doctor/config.ts';
import { checkClock, checkNode, checkZone, checkZoneData } from '../doctor/host.ts';
import { checkStore } from '../doctor/store.ts';
import { styleFor, textRoomOf } from '../terminal/style.ts';
import { counted, json, wrap } from '../terminal/text.ts';

const HELP = `
Looks at everything that a scheduler stands on: Node, clock and time zone, the configuration and its tasks, the store's place, file,
lock, schema and records. Each gets a tick or a cross, and a cross comes with the way out. Only looks; nothing is changed.

Options
  --json             one JSON document

Whether a scheduler runs and its tasks do well is another question, for "obbligato health".

Exits with 0 if there is no cross, with 1 if there is one.

Examples
  obbligato doctor
  obbligato doctor jobs.config.ts --json | jq '.checks[] | select(.ok | not)'
`;

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Is everything as a scheduler needs it?',
  help: HELP,
  options: { json: { type: 'boolean' } },
  positionals: [{ name: 'config' }],
  async run(io, args) {
    const checks = await examine(io, args.positionals[0]);
    const ok = checks.every((check) => check.ok);
    io.stdout.write(isGiven(args, 'json') ? json({ ok, checks }) : textFor(io, checks));
    return ok ? 0 : 1;
  },
};

async function examine(io: Io, configPath: string | undefined): Promise<Check[]> {
  const { check, loaded } = await checkConfig(io, configPath);
  const { node, tz } = process.versions;
  const host = [checkNode(node), checkZoneData(tz, io.now()), check];
  const zone = checkZone(loaded?.config.timeZone, io.env.TZ, io.now());
  // A configuration that cannot be read may name another store; what is said of the default one would mislead.
  if (!check.ok && loaded === undefined) return [...host, zone, checkClock(io.now(), [])];
  const { checks, inspection } = await checkStore(
    loaded === undefined ? defaultStore(io.cwd) : storeOf(loaded),
  );
  return [...host, zone, checkClock(io.now(), inspection?.records ?? []), ...checks];
}

function textFor(io: Io, checks: readonly Check[]): string {
  const colour = styleFor(io.stdout, io.env);
  const width = textRoomOf(io.stdout);
  const widest = Math.max(...checks.map(({ what }) => what.length));
  const lines = checks.flatMap(({ ok, what, found, wayOut }) => {
    const mark = ok ? colour.green('✓') : colour.red('✗');
    const rest = wrap(found, width, ' '.repeat(widest + 4)).trimStart();
    const way =
      wayOut === undefined ? [] : [colour.yellow(wrap(`→ ${wayOut}`, width, ' '.repeat(widest + 4)))];
    return [`${mark} ${what.padEnd(widest)}  ${rest}`, ...way];
  });
  const crosses = checks.filter(({ ok }) => !ok).length;
  const verdict =
    crosses === 0
      ? 'All is as a scheduler needs it. Whether one runs, and its tasks do well, says "obbligato health".'
      : `${counted(crosses, 'problem')}.`;
  lines.push('', wrap(verdict, width));
  return `${lines.join('\n')}\n`;
}
