/** How links of the pages are read: as GitHub reads them. */
import { posix } from 'node:path';

/** The anchor of a heading, as GitHub makes it: the pages are read there too, and link to these. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

/** Where a link of a page leads, below the repository; undefined for an address and for an anchor of the page itself. */
export function targetOf(page: string, href: string): string | undefined {
  if (/^([a-z]+:|#|\/\/)/i.test(href)) return undefined;
  return posix.normalize(posix.join('docs', posix.dirname(page), href.replace(/[#?].*$/, '')));
}
