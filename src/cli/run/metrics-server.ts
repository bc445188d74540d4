/**
 * `run --metrics`: the metrics of the schedule at `/metrics`, for a scraper. It listens on this machine alone unless a host is given.
 *
 * A page in a browser can make a name of its own point to this machine, and then read what is served here as if it were its own. So what listens
 * on this machine alone answers only to names of this machine.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { isIP } from 'node:net';
import type { SchedulerEvent, Store } from '../../index.ts';
import { type Metrics, metrics } from '../../telemetry/index.ts';
import { CliError } from '../errors.ts';
import { messageOf, printable } from '../terminal/text.ts';

/** Where to listen. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** A scraper that does not ask, or asks slowly, is not waited for. */
const BOUNDS = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 2000 };
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** `9464`, `0.0.0.0:9464`, `[::1]:9464`. */
export function readAddress(text: string): MetricsAddress {
  const [, bracketed, plain, digits] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535)
    throw new CliError(
      'usage',
      `--metrics takes a port, or a host and a port, such as --metrics 9464 or --metrics 0.0.0.0:9464; got "${printable(text)}"`,
    );
  return { host: bracketed ?? plain ?? '127.0.0.1', port };
}

export class MetricsServer {
  readonly #server: Server;
  readonly #metrics: Metrics;
  readonly #host: string;

  private constructor(host: string, measured: Metrics) {
    this.#host = host;
    this.#metrics = measured;
    this.#server = createServer(BOUNDS, (request, response) => {
      const isOurs = !LOOPBACK.includes(host) || LOOPBACK.includes(hostNameOf(request.headers.host));
      if (!isOurs) response.writeHead(403).end('ask for this machine by one of its own names\n');
      else if (request.url?.split('?')[0] !== '/metrics') response.writeHead(404).end('see /metrics\n');
      else void measured.handler(request, response);
    });
    // A scraper that does not read is not waited for.
    this.#server.setTimeout(60_000);
    this.#server.maxConnections = 100;
  }

  static async listen(
    { host, port }: MetricsAddress,
    store: Store,
    timeZone: string,
  ): Promise<MetricsServer> {
    const server = new MetricsServer(host, metrics({ store, timeZone }));
    try {
      await once(server.#server.listen(port, host), 'listening');
    } catch (error) {
      server.close();
      const place = isIP(host) === 6 ? `[${host}]:${port}` : `${printable(host)}:${port}`;
      throw new CliError('failure', `The metrics cannot be served at ${place}: ${messageOf(error)}`, error);
    }
    return server;
  }

  readonly onEvent = (event: SchedulerEvent): void => this.#metrics.onEvent(event);

  get url(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return `http://${isIP(this.#host) === 6 ? `[${this.#host}]` : this.#host}:${port}/metrics`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#metrics.close();
  }
}

/** `localhost:9464` is `localhost`, `[::1]:9464` is `::1`. */
const hostNameOf = (header = ''): string =>
  header
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
