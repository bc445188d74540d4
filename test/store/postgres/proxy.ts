/** A way to the server over which connections go silent, are cut, half closed or refused, and answers get lost. */
import assert from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Conditions } from '../../patience.ts';

/** What calls back when a test is over. */
export interface Afterwards {
  after(end: () => unknown): unknown;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isSilent: boolean;
  /** The next answer of the server is cut off. */
  losesAnswer: boolean;
}

export class FaultyProxy {
  readonly port: number;
  /** The port that it leads to. */
  target: number;
  readonly conditions = new Conditions();
  /** How often somebody has connected. */
  connections = 0;
  /** How many answers got lost. */
  lost = 0;
  /** Whether whoever connects is cut off at once. */
  isRefusing = false;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #errors = new Map<string, number>();
  #losing: string | undefined;

  /** It is closed after the test. */
  static async to(test: Afterwards, port: number): Promise<FaultyProxy> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new FaultyProxy(server, port);
    test.after(() => {
      server.close();
      proxy.cut();
    });
    return proxy;
  }

  private constructor(server: Server, target: number) {
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    this.#server = server;
    this.port = address.port;
    this.target = target;
    this.#server.on('connection', (near) => this.#connected(near));
  }

  #connected(near: Socket): void {
    this.connections++;
    near.on('error', () => {});
    this.conditions.happened();
    if (this.isRefusing) {
      near.destroy();
      return;
    }
    const far = connect({ port: this.target, host: '127.0.0.1', allowHalfOpen: true }).on('error', () =>
      near.destroy(),
    );
    const pair: Pair = { near, far, isSilent: false, losesAnswer: false };
    this.#pairs.add(pair);
    near.on('data', (chunk) => this.#asked(pair, chunk)).on('end', () => far.end());
    far.on('data', (chunk) => this.#answered(pair, chunk)).on('end', () => near.end());
    near.on('close', () => {
      this.#pairs.delete(pair);
      far.destroy();
    });
  }

  #asked(pair: Pair, chunk: Buffer): void {
    if (pair.isSilent) return;
    if (this.#losing !== undefined && chunk.includes(this.#losing)) {
      this.#losing = undefined;
      pair.losesAnswer = true;
    }
    pair.far.write(chunk);
  }

  #answered(pair: Pair, chunk: Buffer): void {
    // An error begins with its severity, twice, and its code.
    for (const [, code] of chunk.toString('latin1').matchAll(/\0C([0-9A-Z]{5})\0M/g))
      this.#errors.set(code, this.errors(code) + 1);
    if (pair.losesAnswer) {
      this.lost++;
      pair.near.destroy();
    } else if (!pair.isSilent && !pair.near.writableEnded) pair.near.write(chunk);
    this.conditions.happened();
  }

  /** How many errors of a code the server has answered with. */
  errors(code: string): number {
    return this.#errors.get(code) ?? 0;
  }

  /** The connections that there are now say nothing any more, in either direction. */
  silence(): void {
    for (const pair of this.#pairs) pair.isSilent = true;
  }

  cut(): void {
    for (const { near } of this.#pairs) near.destroy();
  }

  /** The server has nothing more to say, as it seems; but it may be spoken to. */
  halfCloseNear(): void {
    for (const { near } of this.#pairs) near.end();
  }

  /** Whoever has connected has nothing more to say, as it seems; but it may be spoken to. */
  halfCloseFar(): void {
    for (const { far } of this.#pairs) far.end();
  }

  /** The next statement with this text is executed, and the connection breaks before the answer arrives. */
  loseAnswerTo(text: string): void {
    this.#losing = text;
  }
}
