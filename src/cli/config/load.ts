/** Why a configuration could not be loaded, with the file and the line, and without the frames of the loader. */
import { execFile } from 'node:child_process';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../terminal/text.ts';

export async function explainLoadFailure(path: string, error: unknown): Promise<string> {
  const message = messageOf(error);
  const code: unknown = Reflect.get(Object(error), 'code');
  if (code === 'ERR_MODULE_NOT_FOUND') return `${path} cannot be loaded: ${message}${adviceFor(message)}`;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = placeIn(stack, path);
  if (error instanceof SyntaxError) {
    // Only what was thrown by running code, such as JSON.parse, has a place in the stack and no lines of source before it.
    const frame =
      codeFrame(stack) ?? (place === undefined ? codeFrame(await checkedByNode(path)) : undefined);
    if (frame !== undefined || place === undefined)
      return `${frame ?? `${path}: `}${message}${adviceFor(message)}`;
  }
  return `${place ?? path} threw while it was loaded: ${message}`;
}

/** Node puts "file:line", the lines around and a mark before the error itself, if it knows them. */
function codeFrame(report: string): string | undefined {
  const [head] = report.split(/^\w*Error\b/m);
  const isFrame = /^(?:file:\/\/)?\/?.*:\d+\n/.test(head);
  return isFrame
    ? `${head.replace(/^file:\/\/[^\n]*?(?=:\d+\n)/, (url) => fileURLToPath(url)).trimEnd()}\n`
    : undefined;
}

/** This library's own files: who reads an error of theirs wants to know who called them. */
const ours = `${dirname(dirname(import.meta.dirname))}${sep}`;

/** Where the error comes from: in the configuration itself if it was there at all, else in what it called. */
export function placeIn(stack: string, path: string): string | undefined {
  const places = [...stack.matchAll(/^ +at (?:async )?(?:.*\()?((?:file:\/\/)?\/.*?):(\d+):\d+\)?$/gm)].map(
    ([, file, line]) => [file.startsWith('file:') ? fileURLToPath(file) : file, line] as const,
  );
  const place = places.find(([file]) => file === path) ?? places.find(([file]) => !file.startsWith(ours));
  return place?.join(':');
}

/** An error in plain JavaScript does not say where it is; Node's own check does. */
function checkedByNode(path: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', path], (_error, _stdout, stderr) => resolve(stderr));
  });
}

function adviceFor(message: string): string {
  if (/package 'obbligato'/.test(message))
    return '\nInstall it beside the configuration: npm install obbligato';
  if (/does not provide an export named/.test(message)) {
    return '\nIf it is a type, import it with "import type": Node strips types, it does not check them';
  }
  if (/\benum is not supported/.test(message)) {
    return '\nNode only strips types: write a const object instead of the enum, or compile the configuration first';
  }
  if (/not supported in strip-only mode/.test(message)) {
    return '\nNode only strips types: write it in plain JavaScript, or compile the configuration first';
  }
  return '';
}
