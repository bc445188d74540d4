/** `serveDashboard`: a dashboard on a server of its own. It listens on this machine only, unless a token guards it. */
import { createServer, type Server } from 'node:http';
import { isIP } from 'node:net';
import { dashboard } from './dashboard.ts';
import type { Dashboard, DashboardOptions } from './options.ts';

/** Where to listen, and what to show. */
export interface ServeOptions extends DashboardOptions {
  /** 7070 by default; 0 for any that is free. */
  readonly port?: number | undefined;
  /** The address to listen on; `127.0.0.1` by default. Any that is not of this machine alone demands `token` or `authorize`. */
  readonly host?: string | undefined;
}

/** A server that listens. */
export interface DashboardServer {
  /** Where a browser finds it. */
  readonly url: string;
  readonly port: number;
  /** Ends all connections, and resolves once nothing listens any more. */
  close(): Promise<void>;
}

/** Where `serveDashboard` listens if no port is given. */
export const DASHBOARD_PORT = 7070;
const MOST_CONNECTIONS = 256;
const LONGEST_HEADERS_MS = 10_000;
const LONGEST_REQUEST_MS = 20_000;
const IDLE_MS = 5000;
/** How often Node looks for connections that break these bounds. */
const LOOK_EVERY_MS = 2000;

/** Makes a dashboard and listens. Rejects if the address is taken, or is not of this machine and nothing guards it. */
export async function serveDashboard(options: ServeOptions): Promise<DashboardServer> {
  const { port = DASHBOARD_PORT, host = '127.0.0.1', ...rest } = options;
  const isLocal = host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
  if (!isLocal && rest.token === undefined && rest.authorize === undefined)
    throw new TypeError(`${host} can be reached from other machines: give a token, or listen on 127.0.0.1`);
  const isName = isIP(host) === 0 && !isLocal;
  const handler = dashboard(isName ? { ...rest, hosts: [...(rest.hosts ?? []), host] } : rest);
  const server = createServer(
    {
      headersTimeout: LONGEST_HEADERS_MS,
      requestTimeout: LONGEST_REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: LOOK_EVERY_MS,
    },
    handler,
  );
  server.maxConnections = MOST_CONNECTIONS;
  await listening(server, port, host);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  return { url: `http://${shown}:${bound}/`, port: bound, close: () => closed(server, handler) };
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function closed(server: Server, handler: Dashboard): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  await handler.close();
  server.closeAllConnections();
  await ended;
}
