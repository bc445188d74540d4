/** What to do about a configuration that Node cannot load, by what Node says about it. */
import { dirname, relative } from 'node:path';
import { printable } from '../terminal/text.ts';
import { fileNear } from './find.ts';

/** A line to put behind Node's own message; empty if there is nothing to add. */
export function adviceFor(message: string): string {
  const advice = aboutImport(message) ?? aboutSyntax(message);
  return advice === undefined ? '' : `\n${advice}`;
}

function aboutImport(message: string): string | undefined {
  const [, kind, missing, importer] =
    /^(?:Cannot find (module|package)|Directory import) '(.+?)'.* imported from (.+)$/.exec(message) ?? [];
  if (missing === undefined) return undefined;
  if (kind === 'package') return aboutPackage(missing);
  const file = fileNear(missing);
  if (file === undefined) return undefined;
  const path = relative(dirname(importer), file);
  return `Node wants the whole name of a file: write "${printable(path.startsWith('.') ? path : `./${path}`)}"`;
}

function aboutPackage(name: string): string | undefined {
  if (name === 'obbligato') return 'Install it in the folder of the configuration: npm install obbligato';
  if (!/^[@~]\//.test(name)) return undefined;
  return `"${printable(name)}" is a path alias, and Node does not read "paths" of tsconfig.json: write the relative path with its extension, or an entry of "imports" in package.json ("#db")`;
}

function aboutSyntax(message: string): string | undefined {
  if (/does not provide an export named/.test(message))
    return 'If it is a type, import it with "import type": Node strips types, it does not check them';
  if (/\benum is not supported/.test(message))
    return 'Node only strips types: write a const object instead of the enum, or compile the configuration first';
  if (/not supported in strip-only mode/.test(message))
    return 'Node only strips types: write it in plain JavaScript, or compile the configuration first';
  return undefined;
}
