/** Plants a fault: loads a module of the project with one piece of its text replaced, next to the shipped one. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Edit } from '../../faults/fault.ts';
import { type Place, placeOf } from '../../faults/place.ts';

const root = new URL('../../../', import.meta.url);
const MARK = '?planted=';
const planted: Place[] = [];

registerHooks({
  load(url, context, next) {
    const at = url.indexOf(MARK);
    if (at < 0) return next(url, context);
    const { start, was, replace } = planted[Number(url.slice(at + MARK.length))];
    const text = readFileSync(fileURLToPath(url.slice(0, at)), 'utf8');
    const source = text.slice(0, start) + replace + text.slice(start + was.length);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

/** The module with the fault in it; it has the exports of the shipped one. */
export function plant(edit: Edit): Promise<object> {
  const place = placeOf(edit);
  const { href } = new URL(place.file, root);
  return import(`${href}${MARK}${planted.push(place) - 1}`);
}
