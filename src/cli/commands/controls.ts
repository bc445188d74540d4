/** `obbligato trigger`, `pause`, `resume`, `cancel`: what an operator may ask of a running scheduler (I1–I4). */
import type { Command } from '../args/command.ts';
import { askFor } from '../control/ask.ts';

const options = {
  wait: { type: 'string' },
  store: { type: 'string' },
  config: { type: 'string' },
  tz: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const REST = `  --wait <time>      how long to wait for the answer (5s); 0s not at all
  --store <file>     the store; that of the configuration, or obbligato.db here, by default
  --config <file>    the configuration that knows the store; obbligato.config.ts, here or above, by default
  --tz <zone>        the zone in which times are shown; the configuration's, or the host's by default
  --json             one JSON document: "state" is applied, refused or waiting

Exit codes
  0    it was done, and the answer says when
  1    it was refused, and the answer says why; or there is no such task or store
  2    the command line or the configuration is wrong
  3    it is asked for, and not answered yet: no scheduler runs (the next one does it), or it had no time yet`;

const positionals = [{ name: 'task', required: true }];

export const triggerCommand: Command = {
  name: 'trigger',
  summary: 'Run a task now',
  help: `
Asks the scheduler that runs on the store to start a task now. If the task is running, it starts once more right after its end, since a task never
overlaps itself. A paused task starts too. If failed work waits for its retry, this is the retry. The answer comes when it has started.

Options
${REST}

Examples
  obbligato trigger backup
  obbligato trigger backup --wait 1m --json | jq -r .at
`,
  options,
  positionals,
  run: (io, args) => askFor({ kind: 'run' }, io, args),
};

export const pauseCommand: Command = {
  name: 'pause',
  summary: 'Start a task no more, until it is resumed',
  help: `
Asks the scheduler that runs on the store to start a task for nothing but "obbligato trigger". What runs goes on. The pause belongs to the task's
name: restarts and deploys do not end it, "obbligato resume" does. "obbligato status" shows it.

Options
${REST}

Examples
  obbligato pause invoices
  obbligato status
`,
  options,
  positionals,
  run: (io, args) => askFor({ kind: 'pause' }, io, args),
};

export const resumeCommand: Command = {
  name: 'resume',
  summary: 'Let a paused task go on',
  help: `
Lets a paused task go on. What came due during the pause is not started, unless --catch-up asks for it: then one start makes up for all of it. A run
that a crash cut off, and a retry that waits, are started all the same.

Options
  --catch-up         start once for what came due during the pause
${REST}

Examples
  obbligato resume invoices
  obbligato resume invoices --catch-up
`,
  options: { ...options, 'catch-up': { type: 'boolean' } },
  positionals,
  run: (io, args) => askFor({ kind: 'resume' }, io, args),
};

export const cancelCommand: Command = {
  name: 'cancel',
  summary: 'Ask the current run of a task to end',
  help: `
Aborts the signal of the current run of a task; a program gets SIGTERM. The run ends when its callback does. Work that was cancelled is not tried
again before the task is due, so it asks first. Without a terminal to ask on, it needs --yes.

Options
  -y, --yes          do not ask
${REST}

Examples
  obbligato cancel report
  obbligato cancel report --yes --json
`,
  options: { ...options, yes: { type: 'boolean', short: 'y' } },
  positionals,
  run: (io, args) =>
    askFor(
      {
        kind: 'cancel',
        question: (task) => `Cancel the run of "${task}"? It is not tried again before it is due.`,
      },
      io,
      args,
    ),
};
