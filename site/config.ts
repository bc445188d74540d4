/** How VitePress makes the site from `docs/`. It asks nothing of any other host: fonts, search and styles are its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UserConfig } from 'vitepress';
import { slugOf } from './links.ts';
import { adapt } from './markdown.ts';
import { FRONT_PAGE, parts } from './sidebar.ts';

const root = join(import.meta.dirname, '..');
const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const sidebar = parts.map(({ title, pages }) => ({
  text: title,
  items: pages.map(([path, text]) => ({ text, link: `/${path}` })),
}));

/** The first screen of the site. The page below it is docs/README.md. */
const frontPage = {
  layout: 'home',
  hero: {
    name: 'Obbligato',
    text: 'Nothing that is due is lost',
    tagline: description,
    actions: [
      { theme: 'brand', text: 'Getting started', link: '/getting-started' },
      { theme: 'alt', text: 'What happens when…', link: '/semantics' },
      { theme: 'alt', text: 'Reference', link: '/reference' },
    ],
  },
};

export const config: UserConfig = {
  title: 'Obbligato',
  description,
  lang: 'en',
  srcDir: join(root, 'docs'),
  outDir: join(root, 'site/out'),
  cacheDir: join(root, 'site/node_modules/.cache/vitepress'),
  rewrites: { [`${FRONT_PAGE}.md`]: 'index.md' },
  lastUpdated: false,
  metaChunk: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    config: adapt,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slugOf },
    toc: { slugify: slugOf },
  },
  // The language level of browsers since 2022: the bundler that VitePress brings cannot go below it.
  vite: { logLevel: 'warn', build: { target: 'es2022', chunkSizeWarningLimit: 4000 } },
  transformPageData(page) {
    if (page.relativePath === 'index.md') Object.assign(page.frontmatter, frontPage);
    // Its table has a column per scheduler, and takes the room of the outline.
    if (page.relativePath === 'judgements.md') page.frontmatter.aside = false;
  },
  themeConfig: {
    sidebar,
    nav: parts.map(({ title, pages }) => ({
      text: title,
      link: `/${pages[0][0]}`,
      activeMatch: `^/(${pages.map(([path]) => path).join('|')})(\\.html)?$`,
    })),
    outline: [2, 3],
    search: { provider: 'local' },
    notFound: { quote: 'There is no such page.', linkLabel: 'Take me home', linkText: 'Take me home' },
    docFooter: { prev: 'Before', next: 'Next' },
    footer: {
      message: `Version ${version}. The tests compile the code of these pages and run their commands, with few exceptions.`,
    },
  },
};
