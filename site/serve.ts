/** Serves a built site on this machine alone, for a look and for the tests. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The file that a path means: the page without its ending too. Undefined if there is none, or if it is not of the site. */
function fileOf(folder: string, path: string): string | undefined {
  const asked = join(folder, normalize(`/${decodeURIComponent(path)}`));
  return [asked, join(asked, 'index.html'), `${asked}.html`].find(
    (file) => existsSync(file) && statSync(file).isFile(),
  );
}

/** Begins to serve; port 0 means any that is free. Resolves when it listens. */
export function serveSite(folder: string, port: number): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    try {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const file = fileOf(folder, pathname);
      const shown = file ?? join(folder, '404.html');
      response.writeHead(file === undefined ? 404 : 200, {
        'content-type': TYPES[extname(shown)] ?? 'application/octet-stream',
      });
      createReadStream(shown).pipe(response);
    } catch {
      // A path that is no path.
      response.writeHead(400).end();
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string') throw new Error('a server on a port has an address');
      resolve({ server, address: `http://127.0.0.1:${bound.port}` });
    });
  });
}
