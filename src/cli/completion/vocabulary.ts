/** What can be typed behind `obbligato`, in the form that the scripts of all shells are made from. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Command } from '../args/command.ts';

export interface Word {
  readonly command: string;
  readonly summary: string;
  /** "--count", "-n". */
  readonly options: readonly string[];
  /** Those that take a value; no option is offered right behind them. */
  readonly withValue: readonly string[];
  /** Those of them whose value is a path. */
  readonly withFile: readonly string[];
  /** What the command's own words may be: files, one of some, or something nobody can guess. */
  readonly operands: 'files' | 'anything' | readonly string[];
}

/** Positionals that are paths. */
const FILES = new Set(['config', 'store-or-config', 'crontab', 'file', 'trace']);
/** Options whose values are paths. What another takes, nobody can guess. */
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
