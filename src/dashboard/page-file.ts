/**
 * The page: one document with its script and its style in it, made by `scripts/page.ts`. Its policy names both by their hashes, so that the browser runs this script and no other, wherever text of a task ends up.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { pageHtml } from './page-html.ts';
import { send } from './reply.ts';

interface Page {
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly policy: string;
}

let page: Page | undefined;

/** The document as it was built. It is read once, and again if it was not there. */
function loadPage(): Page | undefined {
  if (page !== undefined) return page;
  const html = pageHtml();
  if (html === undefined) return undefined;
  const plain = Buffer.from(html);
  page = { plain, packed: gzipSync(plain, { level: 9 }), policy: policyOf(html) };
  return page;
}

function policyOf(html: string): string {
  const hashes = (tag: string): string =>
    Array.from(
      html.matchAll(new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`, 'g')),
      ([, text]) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    ).join(' ');
  return [
    "default-src 'none'",
    `script-src ${hashes('script')}`,
    `style-src ${hashes('style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

export function sendPage(request: IncomingMessage, response: ServerResponse): void {
  const loaded = loadPage();
  if (loaded === undefined) {
    send(response, 503, 'text/plain; charset=utf-8', 'The page is not built: run "npm run page".\n');
    return;
  }
  response.setHeader('content-security-policy', loaded.policy);
  response.setHeader('vary', 'accept-encoding');
  const isPacked = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (isPacked) response.setHeader('content-encoding', 'gzip');
  send(response, 200, 'text/html; charset=utf-8', isPacked ? loaded.packed : loaded.plain);
}
