/** All blocks of TypeScript and JavaScript, type-checked in one project: strictly, with this project's own settings. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type Block, root } from './pages.ts';

const run = promisify(execFile);

/** A block whose first line is a comment with the name of a file is that file: `// obbligato.config.ts`. */
export const fileNameOf = ({ text }: Block): string | undefined =>
  /^\/\/ ([\w./-]+\.[mc]?[jt]s)\b/.exec(text)?.[1];

/** What is imported by pages and is not installed here. */
const STRANGERS = `
declare module 'vitest' {
  export function test(name: string, body: () => unknown): void;
  export function expect(value: unknown): { toHaveLength(length: number): void };
}
`;

const settings = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: {
    // A page shows what matters, and leaves what it made unused.
    noUnusedLocals: false,
    noUnusedParameters: false,
    moduleDetection: 'force',
    allowJs: true,
    checkJs: true,
    typeRoots: [join(root, 'node_modules/@types')],
    paths: { obbligato: [join(root, 'src/index.ts')], 'obbligato/*': [join(root, 'src/*/index.ts')] },
  },
  include: ['pages', 'strangers.d.ts'],
};

export interface TypeProblem {
  /** Undefined for one that is in no block. */
  readonly block: Block | undefined;
  /** With the page and the line where it is. */
  readonly says: string;
}

/** The type errors in blocks. */
export async function typeErrors(blocks: readonly Block[], folder: string): Promise<TypeProblem[]> {
  const places = new Map<string, Block>();
  for (const block of blocks) {
    const directory = `pages/${block.page.replace(/\W/g, '-')}`;
    const named = join(directory, fileNameOf(block) ?? '.');
    const file =
      named === directory || places.has(named) ? `${directory}/line-${block.line}.${block.language}` : named;
    places.set(file, block);
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), block.text);
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'strangers.d.ts'), STRANGERS);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  return stdout
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => onItsPage(line, places))
    .filter(({ block, says }) => !(block?.language === 'js' && UNDECLARED.test(says)));
}

/** JavaScript cannot say what a page leaves to its reader; TypeScript can, by `declare`. */
const UNDECLARED = /: error TS(2304|2552):/;

/** `pages/x/line-6.ts(2,3): error …` as `docs/x.md:7: error …`; what is not of a page is left as it is. */
function onItsPage(message: string, places: ReadonlyMap<string, Block>): TypeProblem {
  const found = /^(.+?)\((\d+),\d+\): (.*)$/.exec(message);
  const block = found ? places.get(relative('.', found[1])) : undefined;
  if (!found || !block) return { block, says: message };
  return { block, says: `${block.page}:${block.line + Number(found[2]) - 1}: ${found[3]}` };
}
