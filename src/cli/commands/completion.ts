/** `obbligato completion`: a script that lets a shell complete our commands and their options, and what that script asks. */
import { inspect } from '../../index.ts';
import type { Command, Io } from '../args/command.ts';
import { FILES, offersFor, SCRIPTS, SHELLS } from '../completion.ts';
import { findTarget } from '../config/target.ts';
import { CliError } from '../errors.ts';
import { printable } from '../terminal/text.ts';

const HELP = `
Prints a script that lets your shell complete commands, options, files and names of tasks. At each word the script asks the command itself,
which looks for the tasks in the configuration here.

Examples
  eval "$(obbligato completion bash)"       # for now; or as a line of ~/.bashrc
  eval "$(obbligato completion zsh)"        # or as a line of ~/.zshrc, behind compinit
  obbligato completion fish > ~/.config/fish/completions/obbligato.fish
`;

export const completionCommand: Command = {
  name: 'completion',
  summary: 'A script that lets bash, zsh or fish complete all this',
  help: HELP,
  options: {},
  positionals: [{ name: 'shell', required: true }],
  async run(io, { positionals: [wanted = ''] }) {
    const shell = SHELLS.find((each) => each === wanted);
    if (shell === undefined) {
      throw new CliError('usage', `A shell is one of ${SHELLS.join(', ')}; got "${printable(wanted)}"`);
    }
    io.stdout.write(SCRIPTS[shell]);
    return 0;
  },
};

/** Prints what a shell may offer for the last of some words. */
export async function complete(
  io: Io,
  words: readonly string[],
  commands: readonly Command[],
): Promise<number> {
  const offers = offersFor(words, commands);
  const lines =
    offers === 'files'
      ? [FILES]
      : offers === 'tasks'
        ? await taskNames(io)
        : offers.map(({ word, about }) => (about === undefined ? word : `${word}\t${about}`));
  io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  return 0;
}

/** Names that fit on a line of a shell. Without a configuration they are those of the store here. */
async function taskNames(io: Io): Promise<string[]> {
  const { store, tasks } = await findTarget(io, { values: {}, positionals: [] }, undefined, 'refuse');
  const names = tasks ?? (await inspect(store)).records.map(({ name }) => name);
  return names.filter((name) => printable(name) === name);
}
