/**
 * The document of the page, which `npm run page` puts next to this file; undefined if it is not there. In the built package this module has the
 * document itself (scripts/enclose.ts).
 */
import { readFileSync } from 'node:fs';

export function pageHtml(): string | undefined {
  try {
    return readFileSync(new URL('./page.html', import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}
