/** The `(request, response)` handler of a metrics page. */
import type { HttpRequest, HttpResponse } from '../http.ts';
import { CONTENT_TYPES, type Format } from './exposition.ts';

/** Answers a scraper, in the format that it asks for. It mounts in `node:http`, Express and everything that takes such a function. */
export type MetricsHandler = (request: HttpRequest, response: HttpResponse) => Promise<void>;

export function scrapeHandler(text: (format: Format) => Promise<string>): MetricsHandler {
  return async ({ method, headers }, response) => {
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const format = formatFor(headers.accept);
    try {
      const body = await text(format);
      response.writeHead(200, {
        'content-type': CONTENT_TYPES[format],
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      response.end(method === 'HEAD' ? undefined : body);
    } catch {
      // What went wrong may have a path in it, and the one who scrapes need not know it.
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end('the metrics cannot be shown\n');
    }
  };
}

/** Prometheus names OpenMetrics in what it accepts if it can read it; everybody else gets plain text. */
function formatFor(accept: string | undefined): Format {
  const kinds = (accept ?? '').split(',').map((kind) => kind.trim().toLowerCase());
  const weightOf = (wanted: string): number => {
    const kind = kinds.find((each) => each === wanted || each.startsWith(`${wanted};`));
    return kind === undefined ? 0 : Number(/;\s*q=([\d.]+)/.exec(kind)?.[1] ?? 1);
  };
  const openMetrics = weightOf('application/openmetrics-text');
  return openMetrics > 0 && openMetrics >= weightOf('text/plain') ? 'openmetrics' : 'prometheus';
}
