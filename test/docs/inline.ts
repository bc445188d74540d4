/** Commands within a sentence or a table: they are not run, but what they name must be there. */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../src/cli/args/commands.ts';
import { complaintAbout } from './npm.ts';
import { pages, readPage, root } from './pages.ts';

export interface Mention {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

const isCommand = /^(npm|npx|obbligato|node|bash) [\w.-]/;

/** Code within lines, outside of blocks; a span may go on in the next line. */
export function mentionsIn(page: string, text: string): Mention[] {
  const prose = text.replace(/^( *)(`{3,}).*\n[\s\S]*?\n\1\2 *$/gm, (block) => block.replace(/[^\n]/g, ''));
  return [...prose.matchAll(/(?<!`)`([^`]+)`(?!`)/g)]
    .map(({ 1: span, index }) => ({
      page,
      line: prose.slice(0, index).split('\n').length,
      text: span.replace(/\s+/g, ' ').trim(),
    }))
    .filter(({ text: span }) => isCommand.test(span));
}

export const mentions: readonly Mention[] = pages.flatMap((page) => mentionsIn(page, readPage(page)));

/** Words as a shell would split them, without what stands for something else (`<file>`, `…`, `[path]`). */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)]
    .map(([, single, double, bare]) => single ?? double ?? bare)
    .filter((word) => !/^[<[…]|…$/.test(word));

/** Says what is wrong with it, or nothing. */
export async function wrongIn({ text }: Mention): Promise<string | undefined> {
  const [program, ...rest] = wordsOf(text);
  if (program === 'npm') return complaintAbout(rest);
  if (program === 'npx') return rest[0] === 'obbligato' ? wrongCommand(rest.slice(1)) : undefined;
  if (program === 'obbligato') return wrongCommand(rest);
  return rest
    .filter(
      (word) =>
        /^[\w.{*][^=]*[/]/.test(word) &&
        !existsSync(join(root, word)) &&
        globSync(word, { cwd: root }).length === 0,
    )
    .map((file) => `there is no ${file}`)[0];
}

async function wrongCommand([name = '--help', ...rest]: readonly string[]): Promise<string | undefined> {
  if (/^(--help|--version|-h|-v|help)$/.test(name)) return undefined;
  if (!Object.hasOwn(commands, name)) return `there is no command ${name}`;
  const { options } = await commands[name]();
  const known = new Set(['--help', ...Object.keys(options).map((option) => `--${option}`)]);
  return rest
    .filter((word) => word.startsWith('--') && !known.has(word.replace(/=.*/, '')))
    .map((option) => `${name} has no option ${option}`)[0];
}
