/** What a shell offers for the word that is being typed, by what the commands say of themselves, and the scripts that ask for it. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Command } from './args/command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Stands for all paths, which a shell completes better than we do. */
export const FILES = ':files';

/**
 * Each script asks `obbligato __complete` with the words up to the one that is being typed. A line of the answer is a word, mostly with a tab and
 * what it is behind that, or `:files`. A word may hold blanks and quotes: it is offered as it has to be typed.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion for bash: eval "$(obbligato completion bash)"
_obbligato() {
  local current="\${COMP_WORDS[COMP_CWORD]}" word
  COMPREPLY=()
  compopt +o filenames 2>/dev/null
  while IFS=$'\\t' read -r word _; do
    if [ "$word" = ${FILES} ]; then compopt -o filenames 2>/dev/null; COMPREPLY=( $(compgen -f -- "$current") ); return; fi
    word="$(printf %q "$word")"
    case "$word" in "$current"*) COMPREPLY+=( "$word" ) ;; esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o filenames -o bashdefault -F _obbligato obbligato
`,
  zsh: `#compdef obbligato
# Completion for zsh: eval "$(obbligato completion zsh)"
_obbligato() {
  local -a lines=( \${(f)"$(obbligato __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"} )
  if [[ "$lines[1]" == ${FILES} ]]; then compset -P '--*='; _files; return; fi
  local -a offered=( "\${(@)lines%%$'\\t'*}" ) shown=( "\${(@)lines/$'\\t'/  -- }" )
  compadd -l -d shown -a offered
}
# Evaluated it is announced; as a file of $fpath it is what is called.
if [ "$funcstack[1]" = _obbligato ]; then _obbligato "$@"; else compdef _obbligato obbligato; fi
`,
  fish: `# Completion for fish: obbligato completion fish | source
function __obbligato_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (obbligato __complete $words[2..] 2>/dev/null)
    test "$lines[1]" = ${FILES}; or begin; printf '%s\\n' $lines; return; end
    set -l option (string match -r '^--[^=]*=|^' -- $words[-1])
    __fish_complete_path (string replace -- "$option" '' $words[-1]) | string replace -r '^' -- "$option"
end
complete -c obbligato -f -a '(__obbligato_complete)'
`,
};

/** A word that may come next, and what it is. */
export interface Offer {
  readonly word: string;
  readonly about?: string;
}

/** Words, or paths, or the names of the tasks of the configuration. */
export type Offers = readonly Offer[] | 'files' | 'tasks';

/** Positionals that are paths. */
const PATHS = new Set(['config', 'folder', 'store-or-config', 'crontab', 'file', 'trace']);
/** Positionals that are names of tasks, or may be. */
const TASKS = new Set(['task', 'expression']);
/** Options whose values are paths. The values of other options cannot be guessed. */
const PATH_OPTIONS = new Set(['store', 'config', 'trace', 'out', 'token-file']);

const offersOf = (words: readonly string[]): Offer[] => words.map((word) => ({ word }));

/** What may stand in the place of the last of some words behind `obbligato`. */
export function offersFor([name, ...words]: readonly string[], commands: readonly Command[]): Offers {
  if (words.length === 0)
    return [
      ...commands.map(({ name: word, summary: about }) => ({ word, about })),
      ...offersOf(['--help', '--version']),
    ];
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return [];
  const options: ParseArgsOptionsConfig = { ...command.options, help: { type: 'boolean', short: 'h' } };
  const [current = '', previous = ''] = words.slice(-2).reverse();
  const spelt = Object.entries(options).map(([long, { type, short }]) => ({
    words: [`--${long}`, ...(short === undefined ? [] : [`-${short}`])],
    takes: type === 'boolean' ? 'nothing' : PATH_OPTIONS.has(long) ? 'a path' : 'a value',
  }));
  const option = spelt.find(
    (each) => each.words.includes(previous) || current.startsWith(`${each.words[0]}=`),
  );
  if (option !== undefined && option.takes !== 'nothing') return option.takes === 'a path' ? 'files' : [];
  return current.startsWith('-') ? offersOf(spelt.flatMap((each) => each.words)) : operandsOf(command);
}

function operandsOf({ positionals }: Command): Offers {
  const isAny = (holds: (name: string) => boolean): boolean => positionals.some(({ name }) => holds(name));
  if (isAny((name) => name === 'shell')) return offersOf(SHELLS);
  if (isAny((name) => PATHS.has(name))) return 'files';
  return isAny((name) => TASKS.has(name)) ? 'tasks' : [];
}
