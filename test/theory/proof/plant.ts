/**
 * Plants a fault: loads a module of the project with one piece of its text replaced, or two, next to the shipped one. Each piece
 * must be there exactly once, so that a fault does not quietly stop being one when the code changes.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Piece {
  readonly from: string;
  readonly to: string;
}

export interface Edit extends Piece {
  /** From the root of the project. */
  readonly file: string;
  /** The second piece of a fault against which the code guards in two places. */
  readonly also?: Piece;
}

const root = new URL('../../../', import.meta.url);
const MARK = '?planted=';
const planted: Edit[] = [];

registerHooks({
  load(url, context, next) {
    const at = url.indexOf(MARK);
    if (at < 0) return next(url, context);
    const { also, ...piece } = planted[Number(url.slice(at + MARK.length))];
    let source = readFileSync(fileURLToPath(url.slice(0, at)), 'utf8');
    for (const { from, to } of also === undefined ? [piece] : [piece, also]) {
      const parts = source.split(from);
      if (parts.length !== 2) throw new Error(`${parts.length - 1} places in ${url} say: ${from}`);
      source = parts.join(to);
    }
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

/** The module with the fault in it; it has the exports of the shipped one. */
export function plant(edit: Edit): Promise<object> {
  const { href } = new URL(edit.file, root);
  return import(`${href}${MARK}${planted.push(edit) - 1}`);
}
