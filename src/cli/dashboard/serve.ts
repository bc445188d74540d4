/** A dashboard for the command line: where to listen, who may look, and what is wrong with that in the words of the command line. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  DASHBOARD_PORT,
  type DashboardServer,
  type ServeOptions,
  serveDashboard,
} from '../../dashboard/index.ts';
import type { Arguments, Io } from '../args/command.ts';
import { countOf, isGiven, textOf } from '../args/values.ts';
import { CliError } from '../errors.ts';
import { statusOf } from '../files.ts';
import { styleFor } from '../terminal/style.ts';
import { messageOf, printable } from '../terminal/text.ts';

/** Listens as the command line says; `option` is the one that names the port. */
export async function serve(
  io: Io,
  args: Arguments,
  shown: Omit<ServeOptions, 'port' | 'host' | 'token' | 'control'>,
  option = 'port',
): Promise<DashboardServer> {
  const port = countOf(args, { option, fallback: DASHBOARD_PORT, min: 0, max: 65_535 });
  const host = textOf(args, 'host') ?? '127.0.0.1';
  const file = textOf(args, 'token-file');
  const token = file === undefined ? undefined : tokenIn(io, file);
  try {
    return await serveDashboard({ ...shown, port, host, token, control: isGiven(args, 'control') });
  } catch (error) {
    if (error instanceof TypeError && /token/.test(error.message))
      throw new CliError(
        'usage',
        `${printable(host)} can be reached from other machines: give a token by --token-file, or leave --host out`,
      );
    throw unlistened(error, option, port, host);
  }
}

function unlistened(error: unknown, option: string, port: number, host: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const ways: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is taken: give another by --${option}, or --${option} 0 for any that is free`,
    EACCES: `Port ${port} may not be used by this user: give one above 1023 by --${option}`,
    EADDRNOTAVAIL: `${printable(host)} is no address of this machine: leave --host out, or give one that is`,
    ENOTFOUND: `${printable(host)} is no name of this machine: leave --host out, or give one that is`,
  };
  const way = ways[String(error.code)];
  return way === undefined ? error : new CliError('failure', way, error);
}

/** The token in a file. It is in no option, since those are seen in the list of processes. */
function tokenIn(io: Io, file: string): string {
  const path = resolve(io.cwd, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CliError(
      'usage',
      `The token in ${printable(path)} cannot be read: ${printable(messageOf(error))}`,
    );
  }
  if (!/^\S{16,}$/.test(text))
    throw new CliError(
      'usage',
      `${printable(path)} must hold a token of at least 16 characters without blanks; "openssl rand -hex 32" makes one`,
    );
  if (((statusOf(path)?.mode ?? 0) & 0o077) !== 0) {
    const { yellow } = styleFor(io.stderr, io.env);
    io.stderr.write(
      `${yellow('warning:')} other users may read ${printable(path)}: "chmod 600" keeps it to yourself\n`,
    );
  }
  return text;
}
