/**
 * What the pages need to be read on the site as they are read in the repository: the same anchors, no link to a file that the site
 * does not have, and braces that stay text.
 */
import type { MarkdownRenderer } from 'vitepress';
import { targetOf } from './links.ts';

type Tokens = ReturnType<MarkdownRenderer['parse']>;
type Token = Tokens[number];

/**
 * A link to a source, a test or a paper of the repository becomes text that says which file is meant. There is no address yet
 * to which it could lead.
 */
export function withoutDeadEnds(children: Tokens, page: string, code: (text: string) => Token): Tokens {
  const shown: Tokens = [];
  for (let at = 0; at < children.length; at++) {
    const token = children[at];
    const href = token.type === 'link_open' ? String(token.attrGet('href') ?? '') : '';
    const target = href === '' ? undefined : targetOf(page, decodeURI(href));
    if (target === undefined) {
      shown.push(token);
    } else if (target.startsWith('docs/')) {
      token.attrSet('href', href.replace(/(^|\/)README\.md/, '$1index.md'));
      shown.push(token);
    } else {
      const end = children.findIndex(({ type }, index) => index > at && type === 'link_close');
      shown.push(...asText(children.slice(at + 1, end), target, code));
      at = end;
    }
  }
  return shown;
}

/** A short name of the file gives way to its path; words stay, and the path follows them. */
function asText(words: Tokens, path: string, code: (text: string) => Token): Tokens {
  const [first, ...others] = words;
  const isName = others.length === 0 && path.toLowerCase().includes(first.content.toLowerCase());
  if (isName) return [code(path)];
  const [open, close] = [' (', ')'].map((content) => Object.assign(code(content), { type: 'text', tag: '' }));
  return [...words, open, code(path), close];
}

/** Changes how VitePress reads the pages. */
export function adapt(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('without-dead-ends', ({ tokens, env, Token: Made }) => {
    const code = (text: string): Token =>
      Object.assign(new Made('code_inline', 'code', 0), { content: text, markup: '`' });
    for (const token of tokens)
      if (token.type === 'inline')
        token.children = withoutDeadEnds(token.children ?? [], env.relativePath, code);
  });
  // Vue would take them for a program.
  const { escapeHtml } = markdown.utils;
  markdown.renderer.rules.text = (tokens, index) =>
    escapeHtml(tokens[index].content).replaceAll('{{', '&#123;&#123;');
}
