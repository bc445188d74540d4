/**
 * Plants a fault: loads a module of the project with one piece of its text replaced, or two, next to the shipped one. Each piece
 * must be there exactly once, so that a fault does not quietly stop being one when the code changes.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

export interface Edit {
  readonly from: string;
  readonly to: string;
  /** From the root of the project. */
  readonly file: string;
}

const root = new URL('../../../', import.meta.url);
const MARK = '?planted=';
const planted: Edit[] = [];

registerHooks({
  load(url, context, next) {
    const at = url.indexOf(MARK);
    if (at < 0) return next(url, context);
    const { from, to } = planted[Number(url.slice(at + MARK.length))];
    const parts = readFileSync(fileURLToPath(url.slice(0, at)), 'utf8').split(from);
    if (parts.length !== 2) throw new Error(`${parts.length - 1} places in ${url} say: ${from}`);
    return { format: 'module-typescript', source: parts.join(to), shortCircuit: true };
  },
});

/** The module with the fault in it; it has the exports of the shipped one. */
export function plant(edit: Edit): Promise<object> {
  const { href } = new URL(edit.file, root);
  return import(`${href}${MARK}${planted.push(edit) - 1}`);
}
