/** `obbligato init`: a first configuration, and what to do with it. */
import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type InitializePreview, plan } from '../../index.ts';
import type { Command, Io } from '../args/command.ts';
import { isGiven } from '../args/values.ts';
import { configIn } from '../config/find.ts';
import { loadConfig } from '../config/load.ts';
import { isInstalledAt } from '../config/own-doors.ts';
import { storeOf } from '../config/store.ts';
import { CliError, FORCED, OK } from '../errors.ts';
import { guarded, statusOf, writeWhole } from '../files.ts';
import { FIRST_CONFIG } from '../init/first-config.ts';
import { configNameFor } from '../init/form.ts';
import { ignoreState } from '../init/gitignore.ts';
import { planDocument, planText } from '../plan/report.ts';
import { styleFor, textRoomOf } from '../terminal/style.ts';
import { counted, json, printable, wrap } from '../terminal/text.ts';

const HELP = `
Writes a first configuration with three tasks to change: a function, a program, and a task with policies in a zone of its own. Adds the store to
.gitignore, shows what the first start will do, as "obbligato plan" does, and says what to type next. Asks nothing, starts nothing, and
writes over no file.

The configuration is obbligato.config.ts, which Node runs as it is; in a folder that has JavaScript and no TypeScript it is
obbligato.config.js or .mjs. A folder that is not there is made.

Options
  --json             say what was done in one JSON document

Exit codes
  0    written
  1    the disk is full or failing, or the new configuration could not be loaded
  2    there is a configuration already, or the folder cannot be written; nothing was touched

Examples
  obbligato init
  obbligato init services/billing
`;

export const initCommand: Command = {
  name: 'init',
  summary: 'Write a first configuration, and show what it will do',
  help: HELP,
  options: { json: { type: 'boolean' } },
  positionals: [{ name: 'folder' }],
  async run(io, args) {
    const folder = resolve(io.cwd, args.positionals[0] ?? '.');
    const written = await uninterrupted(() => writeAll(folder));
    if (written === 'interrupted') return FORCED;
    // Asked before anything is loaded: a configuration finds this library itself, if none is installed.
    const isInstalled = isInstalledAt(folder);
    const loaded = await loadConfig(io.cwd, written.config);
    const { timeZone, tasks } = loaded.config;
    const store = storeOf(loaded);
    const preview = await plan(store, tasks, { timeZone, at: io.now() });
    const done: Done = {
      ...written,
      folder,
      isInstalled,
      store: store.location,
      preview,
    };
    io.stdout.write(isGiven(args, 'json') ? json(documentOf(done)) : report(io, done));
    return OK;
  },
};

interface Written {
  readonly config: string;
  /** The lines that .gitignore did not have. */
  readonly ignored: readonly string[];
}

/**
 * The configuration is written last, and is what decides whether `init` was here: ended before that, at any instant, `init` can be called
 * again, and adds to .gitignore only what is still missing. Every file is there whole or not at all.
 */
function writeAll(folder: string): Written {
  if (statusOf(folder)?.isDirectory() === false)
    throw new CliError('usage', `${printable(folder)} is a file: "init" takes a folder`);
  const present = configIn(folder);
  if (present !== undefined) throw alreadyThere(present);
  guarded(folder, () => void mkdirSync(folder, { recursive: true }));
  const config = join(folder, configNameFor(folder));
  const ignored = ignoreState(folder);
  guarded(config, () => {
    try {
      writeWhole(config, FIRST_CONFIG, 'new');
    } catch (error) {
      throw Reflect.get(Object(error), 'code') === 'EEXIST' ? alreadyThere(config) : error;
    }
  });
  return { config, ignored };
}

const alreadyThere = (path: string): CliError =>
  new CliError(
    'usage',
    `${printable(path)} is there already, and "init" writes over nothing. "obbligato plan" shows what it would do; for a new one name another folder`,
  );

/** Does the work in one go: Ctrl-C waits for its end, a few milliseconds, so that no half of it is left behind. */
async function uninterrupted<T>(work: () => T): Promise<T | 'interrupted'> {
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    const done = work();
    // A signal that has come meanwhile is heard in the next turn.
    await nextTurn();
    return isInterrupted ? 'interrupted' : done;
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

interface Done extends Written {
  readonly folder: string;
  /** Whether the package is within reach of the folder, and not only of this command. */
  readonly isInstalled: boolean;
  readonly store: string;
  readonly preview: InitializePreview;
}

function report(io: Io, { config, ignored, folder, isInstalled, store, preview }: Done): string {
  const { bold, dim } = styleFor(io.stdout, io.env);
  const room = textRoomOf(io.stdout);
  const here = (path: string): string => printable(relative(io.cwd, path) || '.');
  const also =
    ignored.length === 0
      ? ''
      : `, and ${counted(ignored.length, 'line')} to ${here(join(folder, '.gitignore'))}`;
  const elsewhere = folder === resolve(io.cwd) ? [] : [`  cd ${here(folder)}`];
  const steps = [
    ['npx obbligato run', 'run it; Ctrl-C ends it, and after a kill -9 it goes on where it was'],
    ['npx obbligato list', 'when each task starts next'],
    ['npx obbligato history', 'what has run, and how it ended'],
  ];
  const missing =
    'The package is not installed in this folder. Install it first: then npx finds it, your editor knows its types, and every machine runs the same version.';
  const install = isInstalled ? [] : [wrap(missing, room), ''];
  return `${[
    wrap(
      `Wrote ${counted(preview.added.length + preview.preserved, 'task')} to ${bold(here(config))}${also}.`,
      room,
    ),
    '',
    'What the first start will do:',
    '',
    planText(io, store, preview),
    ...install,
    'Look at the file, then type:',
    '',
    ...elsewhere,
    ...steps.map(([words, what]) => `  ${words.padEnd(22)}  ${dim(`# ${what}`)}`),
  ].join('\n')}\n`;
}

const documentOf = ({ config, ignored, isInstalled, store, preview }: Done): object => ({
  config,
  ignored,
  installed: isInstalled,
  plan: planDocument(store, preview),
});
