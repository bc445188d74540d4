/** `obbligato schema`: the SQL that makes the schema on PostgreSQL, for a person or a deploy to apply. */
import { migrationSql } from '../../postgres.ts';
import type { Command } from '../args/command.ts';
import { isGiven } from '../args/values.ts';
import { CliError, OK } from '../errors.ts';
import { json } from '../terminal/text.ts';

const HELP = `
Prints the SQL that makes the tables of a store on PostgreSQL, or brings them to the version of this package. It reaches no database.

The first scheduler does this by itself. Print it if a deploy of yours is to apply it, by a user who may, and give the
scheduler "migrate: false": then its own user needs no more than to use the schema.

Arguments
  name               the schema; obbligato unless given

Options
  --from <version>   only what comes after this version of the schema; 0 (there is none) unless given
  --json             one JSON document

Examples
  obbligato schema | psql postgres://admin@db.example.com/app
  obbligato schema reports --from 1 > update.sql
`;

export const schemaCommand: Command = {
  name: 'schema',
  summary: 'Print the SQL that makes or updates the tables on PostgreSQL',
  help: HELP,
  options: { from: { type: 'string' }, json: { type: 'boolean' } },
  positionals: [{ name: 'name' }],
  async run(io, args) {
    const { from } = args.values;
    const schema = args.positionals[0] ?? 'obbligato';
    const sql = sqlOf(schema, typeof from === 'string' ? from : '0');
    io.stdout.write(isGiven(args, 'json') ? json({ schema, sql }) : sql);
    return OK;
  },
};

function sqlOf(schema: string, from: string): string {
  try {
    return migrationSql({ schema, from: /^\d{1,9}$/.test(from) ? Number(from) : Number.NaN });
  } catch (error) {
    if (error instanceof RangeError) throw new CliError('usage', `--${error.message}`, error);
    if (error instanceof TypeError) throw new CliError('usage', error.message, error);
    throw error;
  }
}
