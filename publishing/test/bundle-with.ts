/**
 * Makes one file of a program: `node bundle-with.ts <rollup or webpack> <esm or cjs> <the program> <the file>`. Whatever the bundler warns of is
 * printed, and a failure.
 */
import { basename, dirname } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';
import webpack from 'webpack';

type Format = 'esm' | 'cjs';
/** Resolves to what it warns of. */
type Bundler = (format: Format, program: string, file: string) => Promise<readonly string[]>;

const withRollup: Bundler = async (format, program, file) => {
  const warnings: string[] = [];
  const bundle = await rollup({
    input: program,
    external: /^node:/,
    plugins: [nodeResolve()],
    onwarn: ({ message }) => void warnings.push(message),
  });
  await bundle.write({ file, format, inlineDynamicImports: true });
  await bundle.close();
  return warnings;
};

const withWebpack: Bundler = async (format, program, file) => {
  const compiler = webpack({
    mode: 'production',
    target: 'node22',
    context: dirname(program),
    entry: program,
    output: { path: dirname(file), filename: basename(file), module: format === 'esm' },
    experiments: { outputModule: format === 'esm' },
    module: { parser: { javascript: { dynamicImportMode: 'eager' } } },
    performance: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  compiler.run((error, stats) => {
    if (error !== null) reject(error);
    const { errors = [], warnings = [] } = stats?.toJson() ?? {};
    resolve([...errors, ...warnings].map(({ message }) => message));
  });
  return promise;
};

const BUNDLERS: Readonly<Record<string, Bundler>> = { rollup: withRollup, webpack: withWebpack };

const [, , name, format, program, file] = process.argv;
const complaints = await BUNDLERS[name](format === 'cjs' ? 'cjs' : 'esm', program, file);
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;
