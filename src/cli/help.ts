/** What `--help` prints: overall, and for one command. */
import type { Command } from './command.ts';
import { SAMPLE_CONFIG } from './sample.ts';
import type { Style } from './style.ts';

export function overallHelp(commands: readonly Command[], version: string, { bold, dim }: Style): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const list = commands.map(({ name, summary }) => `  ${bold(name.padEnd(width))}  ${summary}`);
  return `${bold('obbligato')} ${version}: a durable cron scheduler. Kill it at any instant, start it again, and exactly what is owed runs.

${bold('Usage:')} obbligato <command> [options]

${bold('Commands')}
${list.join('\n')}

${bold('To begin')}, write ${bold('obbligato.config.ts')}:

${SAMPLE_CONFIG}
and then:

  obbligato run                   ${dim('# a live view on a terminal, log lines elsewhere')}
  obbligato <command> --help      ${dim('# all about one command, with examples')}
  obbligato --version
`;
}

export function commandHelp(command: Command, { bold }: Style): string {
  return `${command.summary}\n\n${bold('Usage:')} ${usageOf(command)}\n\n${command.help.trim()}\n`;
}

function usageOf({ name, positionals, options }: Command): string {
  const places = positionals.map((place) => {
    const word = `${place.name}${place.repeated === true ? '...' : ''}`;
    return place.required === true ? ` <${word}>` : ` [${word}]`;
  });
  return `obbligato ${name}${Object.keys(options).length > 0 ? ' [options]' : ''}${places.join('')}`;
}
