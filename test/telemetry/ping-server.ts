/** A real HTTP server that is pinged, and behaves as a test says. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Conditions } from '../patience.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly authorization: string | undefined;
}

export class PingServer {
  readonly received: Received[] = [];
  readonly #server: Server;
  readonly #conditions = new Conditions();
  /** What becomes of a request, by how many came before it. */
  answer: (response: ServerResponse, before: number) => void = (response) => void response.end('OK');

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', async (request, response: ServerResponse) => {
      response.on('error', () => {});
      const body = await text(request).catch(() => '');
      const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://host');
      const before = this.received.length;
      const { method = '', headers } = request;
      this.received.push({ method, path, query, body, authorization: headers.authorization });
      this.answer(response, before);
      this.#conditions.happened();
    });
  }

  static async listen(): Promise<PingServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PingServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  get paths(): string[] {
    return this.received.map(({ path }) => path);
  }

  /** Waits until so many requests have come. */
  async got(count: number): Promise<void> {
    await this.#conditions.find(
      `${count} pings`,
      () => (this.received.length >= count ? true : undefined),
      () => this.paths.join('\n'),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
