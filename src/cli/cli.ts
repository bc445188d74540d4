/** From the words on the command line to a command, and from whatever it throws to an exit code. */
import { ObbligatoError, TaskTryDeserializeError, visible } from '../errors.ts';
import { describeError } from '../text/describe-error.ts';
import { nearest } from '../text/nearest.ts';
import { printableLines } from '../text/printable.ts';
import { version } from '../version.ts';
import { isConnection, readArguments } from './args/arguments.ts';
import type { Command, Io } from './args/command.ts';
import { allCommands, commands, complete } from './args/commands.ts';
import { commandHelp, overallHelp } from './args/help.ts';
import { ANSWERS, COMMAND_ALIASES } from './args/synonyms.ts';
import { CliError, damageText, FAILED, OK } from './errors.ts';
import { type Style, styleFor, textRoomOf } from './terminal/style.ts';

/** Does what the words ask for; resolves to the exit code, and never rejects. */
export async function cli(words: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = words;
  let command: Command | undefined;
  try {
    if (first === undefined || isHelp(first)) return await help(io, first === undefined ? [] : rest);
    if (first === '__complete') return await complete(io, rest);
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
  return print(io, overallHelp(await allCommands(), version(), style, width));
}

async function find(word: string): Promise<Command> {
  const name = Object.hasOwn(COMMAND_ALIASES, word) ? COMMAND_ALIASES[word] : word;
  if (Object.hasOwn(commands, name)) return commands[name]();
  if (Object.hasOwn(ANSWERS, word)) throw new CliError('usage', `There is no "${word}": ${ANSWERS[word]}`);
  if (isConnection(word)) throw new CliError('usage', 'A connection string is no command');
  const isOption = word.startsWith('-');
  const meant = nearest(word, isOption ? ['--help', '--version'] : Object.keys(commands));
  const suggestion = meant === undefined ? '' : `: did you mean "obbligato ${meant}"?`;
  throw new CliError(
    'usage',
    `Unknown ${isOption ? 'option' : 'command'} "${visible(word, 40)}"${suggestion}`,
  );
}

/**
 * A mistake of the user's gets a few words; only an error that we did not expect shows where it came from. A message may quote anything: a
 * path, a name, a line of the configuration.
 */
function complain({ stderr, env }: Io, error: unknown, command: Command | undefined): number {
  const style = styleFor(stderr, env);
  const prefix = style.red('error:');
  if (error instanceof CliError) {
    const way = command === undefined ? 'obbligato --help' : `obbligato ${command.name} --help`;
    stderr.write(
      `${prefix} ${printableLines(error.message)}\n${error.kind === 'usage' ? hint(way, style) : ''}`,
    );
    return error.exitCode;
  }
  if (error instanceof ObbligatoError) {
    const said = error instanceof TaskTryDeserializeError ? damageText(error) : error.headline;
    stderr.write(`${prefix} ${printableLines(said)}\n`);
    return FAILED;
  }
  stderr.write(`${prefix} ${describeError(error).text}\n`);
  return FAILED;
}

const hint = (way: string, { dim }: Style): string => `${dim(`See "${way}".`)}\n`;
