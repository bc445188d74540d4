/**
 * What a CommonJS project finds in the package: `dist/commonjs`. Each door is a file that requires the ES module, so that both have the same
 * classes. The types are those of `dist`, copied: TypeScript goes by the folder of a declaration to know what kind of module it describes,
 * and with `module: node16` it lets a CommonJS file import nothing else.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

const root = dirname(import.meta.dirname);
const dist = join(root, 'dist');
const target = join(dist, 'commonjs');
const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const SPECIFIER = /(from |import\()(["'])(\.[^"']+)\.[jt]s\2/g;

/** Copies a declaration, and all that it imports. */
function copy(path: string, copied: Set<string>): void {
  if (copied.has(path)) return;
  copied.add(path);
  const text = readFileSync(join(dist, path), 'utf8');
  for (const [, , , specifier] of text.matchAll(SPECIFIER))
    copy(`${posix.join(posix.dirname(path), specifier)}.d.ts`, copied);
  write(join(target, path), text.replace(SPECIFIER, '$1$2$3.js$2'));
}

write(join(target, 'package.json'), '{ "type": "commonjs" }\n');
const copied = new Set<string>();
for (const door of Object.values<string | { default: string }>(doors)) {
  if (typeof door === 'string') continue;
  const path = relative('dist', door.default);
  copy(path.replace(/\.js$/, '.d.ts'), copied);
  const module = join(target, path);
  const from = relative(dirname(module), join(dist, path));
  write(module, `module.exports = require('${from}');\n`);
}
