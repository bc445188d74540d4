/**
 * A step of `npm run build`: puts into the built modules what they read from other files in the sources (the programs of threads, the page, the
 * version). Then no module needs to know where it lies, and a bundle carries everything along.
 *
 *     node scripts/enclose.ts dist
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { pageHtml } from './page.ts';

const root = join(import.meta.dirname, '..');

/** Each module of the sources that has a file read or run, and what is in its place in the built package. */
const MODULES: Readonly<Record<string, () => Promise<string>>> = {
  'store/sqlite-thread-code': () => thread('sqliteThreadCode', 'store/sqlite-thread'),
  'executor/module-thread-code': () => thread('moduleThreadCode', 'executor/module-thread'),
  'trace/watcher-thread-code': () => thread('watcherThreadCode', 'trace/watcher-thread'),
  'dashboard/page-html': async () => `export const pageHtml = () => ${JSON.stringify(await pageHtml())};\n`,
  // Nobody bundles the command line, and this program has nearly all of the library in it.
  'cli/simulate/player-thread-code': async () =>
    `export const playerThreadCode = new URL('./player-thread.js', import.meta.url);\n`,
  version: async () => `export const version = () => ${JSON.stringify(versionOfPackage())};\n`,
};

const versionOfPackage = (): string => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

async function thread(name: string, program: string): Promise<string> {
  return `export const ${name} = ${JSON.stringify(await programText(program))};\n`;
}

/** A program with all that it imports, as a script. Its functions keep their names, and its lines are short, for the sake of stacks. */
async function programText(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src', `${program}.ts`)],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'node',
    target: 'node22.18',
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 200,
    legalComments: 'none',
    // Node takes the text for a script or a module, as its flags say. Both have this.
    banner: { js: '"use strict";const require=process.getBuiltinModule;' },
    footer: { js: `//# sourceURL=obbligato/${program}.js` },
    plugins: [enclosed],
    // The text is the same in another folder, or on another machine.
    absWorkingDir: root,
  });
  return outputFiles[0].text;
}

/** For those who bundle the sources: what is in the built package in place of these modules. */
export const enclosed: Plugin = {
  name: 'enclosed',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const module = path.slice(join(root, 'src/').length, -'.ts'.length).replaceAll('\\', '/');
      return module in MODULES ? { contents: await MODULES[module](), loader: 'js' } : undefined;
    });
  },
};

/** `dist` is what the compiler has made of the sources. */
async function enclose(dist: string): Promise<void> {
  await Promise.all(
    Object.entries(MODULES).map(async ([module, text]) =>
      writeFileSync(join(dist, `${module}.js`), await text()),
    ),
  );
}

const [, , dist] = process.argv;
if (import.meta.main && dist !== undefined) await enclose(resolve(root, dist));
