/** `obbligato completion`: a script that lets a shell complete our commands and their options. */
import type { Command } from '../args/command.ts';
import { completionScript, SHELLS } from '../completion.ts';
import { CliError } from '../errors.ts';
import { printable } from '../terminal/text.ts';

const HELP = `
Prints a script that lets your shell complete commands, options and files. It is made from the commands of this version.

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
    const shell = SHELLS.find((each) => each === wanted);
    if (shell === undefined) {
      throw new CliError('usage', `A shell is one of ${SHELLS.join(', ')}; got "${printable(wanted)}"`);
    }
    io.stdout.write(completionScript(shell, await commands()));
    return 0;
  },
});
