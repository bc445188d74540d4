/** `obbligato completion`: a script that lets a shell complete our commands and their options. */
import { inspect } from '../../index.ts';
import type { Command, Io } from '../args/command.ts';
import { completionScript, SHELLS } from '../completion.ts';
import { findTarget } from '../config/target.ts';
import { CliError } from '../errors.ts';
import { printable } from '../terminal/text.ts';

const HELP = `
Prints a script that lets your shell complete commands, options, files and names of tasks. It is made from the commands of this version.
The script asks "obbligato completion tasks", which prints the names of the tasks of the configuration here, one per line.

Examples
  eval "$(obbligato completion bash)"       # for now; or as a line of ~/.bashrc
  eval "$(obbligato completion zsh)"        # or as a line of ~/.zshrc, behind compinit
  obbligato completion fish > ~/.config/fish/completions/obbligato.fish
`;

/** The command for a table of commands, of which it may be one: the table is asked for when it is needed. */
export const completionCommand = (commands: () => Promise<readonly Command[]>): Command => ({
  name: 'completion',
  summary: 'A script that lets bash, zsh or fish complete all this',
  help: HELP,
  options: {},
  positionals: [{ name: 'shell', required: true }],
  async run(io, { positionals: [wanted = ''] }) {
    if (wanted === 'tasks') {
      const names = await taskNames(io);
      io.stdout.write(names.map((name) => `${name}\n`).join(''));
      return 0;
    }
    const shell = SHELLS.find((each) => each === wanted);
    if (shell === undefined) {
      throw new CliError('usage', `A shell is one of ${SHELLS.join(', ')}; got "${printable(wanted)}"`);
    }
    io.stdout.write(completionScript(shell, await commands()));
    return 0;
  },
});

/** Names that fit on a line of a shell. Without a configuration they are those of the store here. */
async function taskNames(io: Io): Promise<string[]> {
  const { store, tasks } = await findTarget(io, { values: {}, positionals: [] }, undefined, 'refuse');
  const names = tasks ?? (await inspect(store)).records.map(({ name }) => name);
  return names.filter((name) => printable(name) === name);
}
