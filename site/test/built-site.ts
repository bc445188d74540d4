/** The site as the command builds it, in a folder of its own, and what its pages link to and load. */
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../../test/docs/pages.ts';

const run = promisify(execFile);

export interface BuiltSite {
  readonly folder: string;
  /** The text of each page by its path, `/api/cron.html`. */
  readonly pages: ReadonlyMap<string, string>;
  /** The paths of all files. */
  readonly files: ReadonlySet<string>;
  remove(): void;
}

export async function builtSite(): Promise<BuiltSite> {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-site-'));
  await run(process.execPath, [join(root, 'site/main.ts'), '--out', folder]);
  const pages = globSync('**/*.html', { cwd: folder }).map((path): [string, string] => [
    `/${path}`,
    readFileSync(join(folder, path), 'utf8'),
  ]);
  const files = new Set(globSync('**/*.*', { cwd: folder }).map((path) => `/${path}`));
  return {
    folder,
    pages: new Map(pages),
    files,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const unescaped = (text: string): string => text.replaceAll('&amp;', '&');
const valuesOf = (html: string, pattern: RegExp): string[] =>
  Array.from(html.matchAll(pattern), ([, value]) => unescaped(value));

/** Where the links of a page lead. */
export const linksOf = (html: string): string[] => valuesOf(html, /<a\b[^>]*?\shref="([^"]*)"/g);

/** What can be linked to on a page. */
const anchorsOf = (html: string): Set<string> => new Set(valuesOf(html, /\s(?:id|name)="([^"]*)"/g));

/** What a browser asks for when it shows the page: scripts, styles, fonts, pictures, frames. */
export const loadsOf = (html: string): string[] => [
  ...valuesOf(html, /<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\ssrc="([^"]*)"/g),
  ...valuesOf(html, /<link\b[^>]*?\shref="([^"]*)"/g),
  ...valuesOf(html, /url\(["']?([^"')]+)/g),
];

/** An address on another host; the page itself may link to one, and may load none. */
export const isForeign = (address: string): boolean => /^([a-z][a-z0-9+.-]*:)?\/\//i.test(address);

/** Links that lead nowhere, each with its page. `files` may be linked to as well. */
export function deadLinks(
  pages: ReadonlyMap<string, string>,
  files: ReadonlySet<string> = new Set(),
): string[] {
  const anchors = new Map([...pages].map(([path, html]) => [path, anchorsOf(html)]));
  return [...pages].flatMap(([path, html]) =>
    linksOf(html)
      .filter((link) => !isForeign(link) && !link.startsWith('mailto:'))
      .filter((link) => {
        const [page, anchor = ''] = decodeURI(link).split('#');
        const target = page === '' ? path : posix.resolve(posix.dirname(path), page);
        const found = anchors.get(target.endsWith('/') ? `${target}index.html` : target);
        if (found === undefined) return !files.has(target);
        return !(anchor === '' || found.has(anchor));
      })
      .map((link) => `${path} links to ${link}`),
  );
}

/** The text from which the search box of the site makes its index. */
export async function searchIndex(folder: string): Promise<string> {
  const [file] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: folder });
  const { default: text } = await import(pathToFileURL(join(folder, file)).href);
  return text;
}
