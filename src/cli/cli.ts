/** From the words on the command line to a command, and from whatever it throws to an exit code. */
import { ObbligatoError, TaskTryDeserializeError, visible } from '../errors.ts';
import { readArguments } from './args/arguments.ts';
import type { Command, Io } from './args/command.ts';
import { commands } from './args/commands.ts';
import { commandHelp, overallHelp } from './args/help.ts';
import { damageText } from './damaged-record.ts';
import { UsageError } from './errors.ts';
import { FAILED, MISUSED, OK } from './exit-codes.ts';
import { textRoomOf } from './room.ts';
import { nearest } from './suggest.ts';
import { type Style, styleFor } from './terminal/style.ts';
import { readVersion } from './version.ts';

/** Does what the words ask for; resolves to the exit code, and never rejects. */
export async function cli(words: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = words;
  let command: Command | undefined;
  try {
    if (first === undefined || isHelp(first)) return await help(io, first === undefined ? [] : rest);
    command = await find(first);
    const args = readArguments(command, rest);
    if (args.wantsHelp)
      return print(io, commandHelp(command, styleFor(io.stdout, io.env), textRoomOf(io.stdout)));
    return await command.run(io, args);
  } catch (error) {
    return complain(io, error, command);
  }
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h' || word === 'help';

function print({ stdout }: Io, text: string): number {
  stdout.write(text);
  return OK;
}

async function help(io: Io, [name]: readonly string[]): Promise<number> {
  const style = styleFor(io.stdout, io.env);
  const width = textRoomOf(io.stdout);
  if (name !== undefined) return print(io, commandHelp(await find(name), style, width));
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  return print(io, overallHelp(all, readVersion(), style, width));
}

async function find(word: string): Promise<Command> {
  if (Object.hasOwn(commands, word)) return commands[word]();
  const isOption = word.startsWith('-');
  const meant = nearest(word, isOption ? ['--help', '--version'] : Object.keys(commands));
  const suggestion = meant === undefined ? '' : `: did you mean "obbligato ${meant}"?`;
  throw new UsageError(`Unknown ${isOption ? 'option' : 'command'} "${visible(word, 40)}"${suggestion}`);
}

/** A mistake of the user's is told in a few words; only what nobody expected shows where it came from. */
function complain({ stderr, env }: Io, error: unknown, command: Command | undefined): number {
  const style = styleFor(stderr, env);
  const prefix = style.red('error:');
  if (error instanceof UsageError) {
    const way = command === undefined ? 'obbligato --help' : `obbligato ${command.name} --help`;
    stderr.write(`${prefix} ${error.message}\n${hint(way, style)}`);
    return MISUSED;
  }
  if (isTold(error)) {
    stderr.write(`${prefix} ${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof ObbligatoError) {
    const said = error instanceof TaskTryDeserializeError ? damageText(error) : error.message;
    stderr.write(`${prefix} ${said}\n`);
    return FAILED;
  }
  stderr.write(`${prefix} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return FAILED;
}

const hint = (way: string, { dim }: Style): string => `${dim(`See "${way}".`)}\n`;

/** An error that says all that is to be said, and with which code to leave. */
const isTold = (error: unknown): error is Error & { exitCode: number } =>
  error instanceof Error && typeof Reflect.get(error, 'exitCode') === 'number';
