/** What `--help` prints: overall, and for one command; and a first configuration. */
import type { Style } from '../terminal/style.ts';
import { wrap } from '../terminal/text.ts';
import type { Command } from './command.ts';

export function overallHelp(
  commands: readonly Command[],
  version: string,
  { bold, dim }: Style,
  columns: number,
): string {
  const what =
    'a durable cron scheduler. Kill it at any instant, start it again, and exactly what is owed runs.';
  const width = Math.max(...commands.map(({ name }) => name.length));
  const list = commands.map(({ name, summary }) => `  ${bold(name.padEnd(width))}  ${summary}`);
  return `${wrap(`${bold('obbligato')} ${version}: ${what}`, columns)}

${bold('Usage:')} obbligato <command> [options]

${bold('Commands')}
${list.join('\n')}

${bold('To begin')}, let ${bold('obbligato init')} write a configuration such as this one:

${SAMPLE_CONFIG}
and then:

  obbligato run                   ${dim('# a live view on a terminal, log lines elsewhere')}
  obbligato <command> --help      ${dim('# all about one command, with examples')}
  obbligato --version
`;
}

export function commandHelp(command: Command, { bold }: Style, columns: number): string {
  return `${command.summary}\n\n${bold('Usage:')} ${usageOf(command)}\n\n${reflowed(command.help.trim(), columns)}\n`;
}

/** Paragraphs and lists, wrapped again for so many columns. What is under "Examples" can be typed, and stays as it is. */
function reflowed(help: string, columns: number): string {
  return help
    .split(/\n{2,}/)
    .map((block) =>
      /^Examples$/m.test(block)
        ? block
        : block
            .split(/\n(?= )/)
            .map(setLine)
            .join('\n'),
    )
    .join('\n\n');

  function setLine(text: string): string {
    const row = /^( +\S.*? {2,})(\S.*)$/.exec(text);
    if (row !== null) return withLabel(row[1], row[2], columns);
    const indent = /^ */.exec(text)?.[0] ?? '';
    return wrap(text.trim().replaceAll('\n', ' '), columns, indent);
  }
}

/** Narrower than this, a text to the right of its label would be a column of single words. */
const NARROWEST_TEXT = 24;

function withLabel(label: string, text: string, columns: number): string {
  const isBeside = columns - label.length >= NARROWEST_TEXT;
  const indent = isBeside ? ' '.repeat(label.length) : '      ';
  const lines = wrap(text, columns, indent);
  return isBeside ? label + lines.trimStart() : `${label.trimEnd()}\n${lines}`;
}

function usageOf({ name, positionals, options }: Command): string {
  const places = positionals.map((place) => {
    const word = `${place.name}${place.repeated === true ? '...' : ''}`;
    return place.required === true ? ` <${word}>` : ` [${word}]`;
  });
  return `obbligato ${name}${Object.keys(options).length > 0 ? ' [options]' : ''}${places.join('')}`;
}

export const SAMPLE_CONFIG = `  import { command, defineConfig, minutes } from 'obbligato';

  export default defineConfig({
    tasks: [
      ['greet', '* * * * *', () => console.log('Hello!'), minutes(1)],
      ['backup', '30 3 * * *', command('./backup.sh'), minutes(10)],
    ],
  });
`;
