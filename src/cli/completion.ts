/** Completion scripts, made from what the commands themselves say: a new option is completed without any further work. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Command } from './args/command.ts';

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const words = vocabularyOf(commands);
  return { bash, zsh, fish }[shell](words);
}

/** In single quotes, for any of the three. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function bash(words: readonly Word[]): string {
  const cases = words.map(({ command, options, withValue, withFile, operands }) => {
    const offered = operands === 'files' || operands === 'anything' ? '' : operands.join(' ');
    return `    ${command})
      options=${quoted(options.join(' '))}
      valued=${quoted(withValue.join(' '))}
      filed=${quoted(withFile.join(' '))}
      operands=${quoted(offered)}
      files=${quoted(operands === 'files' ? 'yes' : '')} ;;`;
  });
  return `# Completion for bash: eval "$(obbligato completion bash)"
_obbligato() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local options='' valued='' filed='' operands='' files=''
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
  if [ -n "$files" ]; then COMPREPLY+=( $(compgen -f -- "$current") ); fi
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

function zsh(words: readonly Word[]): string {
  const commands = words.map(
    ({ command, summary }) => `    ${quoted(`${command}:${summary.replaceAll(':', '\\:')}`)}`,
  );
  const cases = words.map((word) => {
    const { command, options, operands } = word;
    const specs = options.map((option) => quoted(zshSpec(option, word)));
    const rest =
      operands === 'files'
        ? '*:file:_files'
        : operands === 'anything'
          ? '*: :'
          : `*: :(${operands.join(' ')})`;
    return `    ${command}) _arguments ${[...specs, quoted(rest)].join(' ')} ;;`;
  });
  return `#compdef obbligato
# Completion for zsh: eval "$(obbligato completion zsh)"
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
      ...(operands === 'files'
        ? []
        : [`${chosen} -f${operands === 'anything' ? '' : ` -a ${quoted(operands.join(' '))}`}`]),
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
  /** What the command's own words may be: files, one of some, or anything. */
  readonly operands: 'files' | 'anything' | readonly string[];
}

/** Positionals that are paths. */
const FILES = new Set(['config', 'store-or-config', 'crontab', 'file', 'trace']);
/** Options whose values are paths. The values of other options cannot be guessed. */
const FILE_OPTIONS = new Set(['store', 'config', 'trace', 'out', 'svg', 'html']);
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
      operands: positionals.some((each) => each.name === 'shell')
        ? SHELLS
        : positionals.some((each) => FILES.has(each.name))
          ? 'files'
          : 'anything',
    };
  });
}
