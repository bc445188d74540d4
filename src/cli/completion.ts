/** Completion scripts, made from what the commands themselves say: a new option is completed without any further work. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Command } from './args/command.ts';

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const words = vocabularyOf(commands);
  return { bash, zsh, fish }[shell](words);
}

/** In single quotes, for any of the three. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A name may hold blanks and quotes: it is offered as it has to be typed. */
const BASH_TASKS = `_obbligato_tasks() {
  local task
  compopt +o filenames 2>/dev/null
  while IFS= read -r task; do
    task="$(printf %q "$task")"
    case "$task" in "$1"*) COMPREPLY+=( "$task" ) ;; esac
  done < <("\${COMP_WORDS[0]}" completion tasks 2>/dev/null)
}
`;

function bash(words: readonly Word[]): string {
  const cases = words.map(({ command, options, withValue, withFile, operands }) => {
    const offered = typeof operands === 'string' ? '' : operands.join(' ');
    return `    ${command})
      options=${quoted(options.join(' '))}
      valued=${quoted(withValue.join(' '))}
      filed=${quoted(withFile.join(' '))}
      operands=${quoted(offered)}
      named=${quoted(operands === 'tasks' || operands === 'files' ? operands : '')} ;;`;
  });
  return `# Completion for bash: eval "$(obbligato completion bash)"
${BASH_TASKS}_obbligato() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local options='' valued='' filed='' operands='' named=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=( $(compgen -W ${quoted([...words.map(({ command }) => command), '--help', '--version'].join(' '))} -- "$current") )
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) return ;;
  esac
  case " $filed " in
    *" $previous "*) COMPREPLY=( $(compgen -f -- "$current") ); return ;;
  esac
  case " $valued " in
    *" $previous "*) return ;;
  esac
  case "$current" in
    -*) COMPREPLY=( $(compgen -W "$options" -- "$current") ); return ;;
  esac
  COMPREPLY=( $(compgen -W "$operands" -- "$current") )
  if [ "$named" = files ]; then COMPREPLY+=( $(compgen -f -- "$current") ); fi
  if [ "$named" = tasks ]; then _obbligato_tasks "$current"; fi
}
complete -o filenames -o bashdefault -F _obbligato obbligato
`;
}

/** "--store=" takes its value behind the sign or as the next word, "-n+" behind itself or as the next word. */
function zshSpec(option: string, { withValue, withFile }: Word): string {
  if (!withValue.includes(option)) return option;
  const value = withFile.includes(option) ? 'file:_files' : 'value: ';
  return `${option}${option.startsWith('--') ? '=' : '+'}:${value}`;
}

const ZSH_OPERANDS = { files: '*:file:_files', tasks: '*:task:_obbligato_tasks', anything: '*: :' } as const;

function zsh(words: readonly Word[]): string {
  const commands = words.map(
    ({ command, summary }) => `    ${quoted(`${command}:${summary.replaceAll(':', '\\:')}`)}`,
  );
  const cases = words.map((word) => {
    const { command, options, operands } = word;
    const specs = options.map((option) => quoted(zshSpec(option, word)));
    const rest = typeof operands === 'string' ? ZSH_OPERANDS[operands] : `*: :(${operands.join(' ')})`;
    return `    ${command}) _arguments ${[...specs, quoted(rest)].join(' ')} ;;`;
  });
  return `#compdef obbligato
# Completion for zsh: eval "$(obbligato completion zsh)"
_obbligato_tasks() {
  local -a tasks=( "\${(@f)$(obbligato completion tasks 2>/dev/null)}" )
  compadd -a tasks
}
_obbligato() {
  local -a commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local chosen="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$chosen" in
${cases.join('\n')}
  esac
}
# Evaluated it is announced; as a file of $fpath it is what is called.
if [ "$funcstack[1]" = _obbligato ]; then _obbligato "$@"; else compdef _obbligato obbligato; fi
`;
}

function fish(words: readonly Word[]): string {
  const lines = words.flatMap((word) => {
    const { command, summary, options, operands } = word;
    const chosen = `complete -c obbligato -n ${quoted(`__obbligato_is ${command}`)}`;
    return [
      `complete -c obbligato -n __fish_use_subcommand -f -a ${command} -d ${quoted(summary)}`,
      ...options
        .filter((option) => option.startsWith('--'))
        .map((option) => `${chosen} ${fishOption(option, word)}`),
      ...(operands === 'files' ? [] : [`${chosen} -f${fishOperands(operands)}`]),
    ];
  });
  return `# Completion for fish: obbligato completion fish | source
function __obbligato_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end
${lines.join('\n')}
`;
}

function fishOperands(operands: Exclude<Word['operands'], 'files'>): string {
  if (operands === 'anything') return '';
  return ` -a ${quoted(operands === 'tasks' ? '(obbligato completion tasks 2>/dev/null)' : operands.join(' '))}`;
}

/** "-l count -s n -x": what takes a value that is no path offers no files. */
function fishOption(option: string, { options, withValue, withFile }: Word): string {
  const next = options[options.indexOf(option) + 1];
  const short = next === undefined || next.startsWith('--') ? '' : ` -s ${next.slice(1)}`;
  const value = withFile.includes(option) ? ' -r' : withValue.includes(option) ? ' -x' : '';
  return `-l ${option.slice(2)}${short}${value}`;
}

export interface Word {
  readonly command: string;
  readonly summary: string;
  /** "--count", "-n". */
  readonly options: readonly string[];
  /** Those that take a value; no option is offered right behind them. */
  readonly withValue: readonly string[];
  /** Those of them whose value is a path. */
  readonly withFile: readonly string[];
  /** What the command's own words may be: files, tasks of the configuration, one of some, or anything. */
  readonly operands: 'files' | 'tasks' | 'anything' | readonly string[];
}

/** Positionals that are paths. */
const FILES = new Set(['config', 'folder', 'store-or-config', 'crontab', 'file', 'trace']);
/** Positionals that are names of tasks, or may be. */
const TASKS = new Set(['task', 'expression']);
/** Options whose values are paths. The values of other options cannot be guessed. */
const FILE_OPTIONS = new Set(['store', 'config', 'trace', 'out', 'token-file']);
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function vocabularyOf(commands: readonly Command[]): Word[] {
  return commands.map(({ name, summary, options, positionals }) => {
    const all: ParseArgsOptionsConfig = { ...options, help: { type: 'boolean', short: 'h' } };
    const entries = Object.entries(all);
    const spelt = ([long, { short }]: (typeof entries)[number]): string[] =>
      short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`];
    return {
      command: name,
      summary,
      options: entries.flatMap(spelt),
      withValue: entries.filter(([, { type }]) => type === 'string').flatMap(spelt),
      withFile: entries.filter(([long]) => FILE_OPTIONS.has(long)).flatMap(spelt),
      operands: operandsOf(positionals),
    };
  });
}

function operandsOf(positionals: Command['positionals']): Word['operands'] {
  const isAny = (holds: (name: string) => boolean): boolean => positionals.some(({ name }) => holds(name));
  if (isAny((name) => name === 'shell')) return SHELLS;
  if (isAny((name) => FILES.has(name))) return 'files';
  return isAny((name) => TASKS.has(name)) ? 'tasks' : 'anything';
}
