/** `obbligato move`: brings a store into a PostgreSQL database, with its history. */
import { StoreLockedError } from '../../index.ts';
import { moveStore } from '../../postgres.ts';
import type { Command } from '../args/command.ts';
import { isGiven } from '../args/values.ts';
import { databaseOf, inUse, isPostgres, namedStore, visibleFromHere } from '../config/store.ts';
import { CliError, OK } from '../errors.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { counted, json, printable } from '../terminal/text.ts';

const HELP = `
Copies every task and all of the history from a store into a PostgreSQL database, so that the same list can run on several machines. A
due that was missed meanwhile is still owed there, and a retry still waits.

Nothing may run on either side: it is refused while a scheduler runs, and if the target has anything already. It is one
transaction, which is compared with the source before it is committed. If it fails, or is interrupted with Ctrl-C, the target
is as it was. The source stays as it is. Start no scheduler on it afterwards: both would start what is due.

Arguments
  from               the store's file, or the connection string of another database
  to                 a connection string of PostgreSQL; "#name" at its end names a schema other than obbligato

Options
  --json             one JSON document

Exits with 0 if everything was moved, and with 1 if nothing was.

Examples
  obbligato move obbligato.db postgres://jobs@db.example.com/app
  obbligato move /var/lib/app/obbligato.db 'postgres://jobs@db.example.com/app#reports'
`;

export const moveCommand: Command = {
  name: 'move',
  summary: 'Move a store into a PostgreSQL database, with its history',
  help: HELP,
  options: { json: { type: 'boolean' } },
  positionals: [
    { name: 'from', called: 'a store to move from', required: true, isStore: true },
    { name: 'to', called: 'a database to move to', required: true, isStore: true },
  ],
  async run(io, args) {
    const [from, to] = args.positionals;
    if (!isPostgres(to))
      throw new CliError('usage', 'The target must be a database: postgres://user@host:port/database');
    const source = namedStore(io.cwd, from);
    visibleFromHere(source);
    const { url, schema } = databaseOf(to);
    const leaving = new AbortController();
    const leave = (): void => leaving.abort(new CliError('failure', 'Interrupted: nothing was moved'));
    process.once('SIGINT', leave);
    let progress: Progress | undefined;
    let shown = 0;
    try {
      const moved = await moveStore(source, url, {
        ...(schema === undefined ? {} : { schema }),
        signal: leaving.signal,
        onProgress(done, total) {
          progress ??= createProgress(io, total, 'rows');
          progress.advance(done - shown);
          shown = done;
        },
      });
      progress?.end();
      io.stdout.write(isGiven(args, 'json') ? json({ ...moved, verified: true }) : textOf(moved));
      return OK;
    } catch (error) {
      progress?.end();
      throw error instanceof StoreLockedError ? inUse(source.location, error) : error;
    } finally {
      process.off('SIGINT', leave);
    }
  },
};

const textOf = ({ from, to, tasks, runs, cutOff }: Awaited<ReturnType<typeof moveStore>>): string =>
  [
    `Moved ${counted(tasks, 'task')} and ${counted(runs, 'run')} of the past to ${printable(to)}, and compared them.`,
    ...(cutOff > 0 ? [`${counted(cutOff, 'run')} of a dead process will be started again there.`] : []),
    `${printable(from)} is as it was: start no scheduler on it any more.`,
    '',
  ].join('\n');
