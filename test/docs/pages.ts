/** The pages of the project, and the fenced blocks in them. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const root = dirname(dirname(import.meta.dirname));

/** Found by looking, so that a new page is held to the same rules without being told of. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('docs/**/*.md', { cwd: root }).sort(),
];

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8');

/** What stands between two fences: ```` ```console damaged ```` is the language `console` with the word `damaged`. */
export interface Block {
  readonly page: string;
  /** Of the first line within the block, counted from 1. */
  readonly line: number;
  readonly language: string;
  readonly words: readonly string[];
  readonly text: string;
  /** Whether nothing but empty lines stands between this block and the one before. */
  readonly isAdjacent: boolean;
}

export const placeOf = ({ page, line }: Block): string => `${page}:${line}`;

/** All blocks of a page, in order. A fence that is never closed is an error: everything after it would escape. */
export function blocksOf(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  let since = 0;
  for (let index = 0; index < lines.length; index++) {
    const opening = /^( *)(`{3,}|~{3,})\s*(.*)$/.exec(lines[index]);
    if (!opening) continue;
    const [, indent, fence, info] = opening;
    const closing = lines.findIndex((line, at) => at > index && line.trim() === fence);
    if (closing < 0) throw new Error(`${page}:${index + 1}: this fence is never closed`);
    const [language = '', ...words] = info.split(/\s+/).filter((word) => word !== '');
    blocks.push({
      page,
      line: index + 2,
      language,
      words,
      text: lines
        .slice(index + 1, closing)
        .map((line) => `${line.startsWith(indent) ? line.slice(indent.length) : line}\n`)
        .join(''),
      isAdjacent: blocks.length > 0 && lines.slice(since, index).every((line) => line.trim() === ''),
    });
    since = closing + 1;
    index = closing;
  }
  return blocks;
}

export const blocks: readonly Block[] = pages.flatMap((page) => blocksOf(page, readPage(page)));
