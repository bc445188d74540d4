/** Completion scripts, made from what the commands themselves say, so that a new option is completed without anybody's help. */

import type { Command } from '../command.ts';
import { type Shell, vocabularyOf, type Word } from './vocabulary.ts';

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const words = vocabularyOf(commands);
  return { bash, zsh, fish }[shell](words);
}

/** In single quotes, for any of the three. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function bash(words: readonly Word[]): string {
  const cases = words.map(({ command, options, withValue, operands }) => {
    const offered = operands === 'files' || operands === 'anything' ? '' : operands.join(' ');
    return `    ${command})
      options=${quoted(options.join(' '))}
      valued=${quoted(withValue.join(' '))}
      operands=${quoted(offered)}
      files=${quoted(operands === 'files' ? 'yes' : '')} ;;`;
  });
  return `# Completion for bash: eval "$(obbligato completion bash)"
_obbligato() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local options='' valued='' operands='' files=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=( $(compgen -W ${quoted([...words.map(({ command }) => command), '--help', '--version'].join(' '))} -- "$current") )
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) return ;;
  esac
  case " $valued " in
    *" $previous "*) COMPREPLY=( $(compgen -f -- "$current") ); return ;;
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

function zsh(words: readonly Word[]): string {
  const commands = words.map(
    ({ command, summary }) => `    ${quoted(`${command}:${summary.replaceAll(':', '\\:')}`)}`,
  );
  const cases = words.map(({ command, options, withValue, operands }) => {
    const specs = options.map((option) =>
      quoted(withValue.includes(option) ? `${option}:value:_files` : option),
    );
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
compdef _obbligato obbligato
`;
}

function fish(words: readonly Word[]): string {
  const lines = words.flatMap(({ command, summary, options, withValue, operands }) => {
    const chosen = `__fish_seen_subcommand_from ${command}`;
    return [
      `complete -c obbligato -n __fish_use_subcommand -f -a ${command} -d ${quoted(summary)}`,
      ...options
        .filter((option) => option.startsWith('--'))
        .map((option) => {
          const short = options[options.indexOf(option) + 1];
          const isShort = short !== undefined && !short.startsWith('--');
          return `complete -c obbligato -n ${quoted(chosen)} -l ${option.slice(2)}${isShort ? ` -s ${short.slice(1)}` : ''}${withValue.includes(option) ? ' -r' : ''}`;
        }),
      ...(operands === 'files'
        ? []
        : [
            `complete -c obbligato -n ${quoted(chosen)} -f${operands === 'anything' ? '' : ` -a ${quoted(operands.join(' '))}`}`,
          ]),
    ];
  });
  return `# Completion for fish: obbligato completion fish | source\n${lines.join('\n')}\n`;
}
