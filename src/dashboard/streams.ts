/**
 * The open streams of server-sent events. Each viewer hears that something has changed, and asks for what it shows; so a message is short, and
 * none has to be kept for a viewer that comes back.
 *
 *     none ──open──▶ open ──the viewer leaves, or does not read, or close──▶ none
 *
 * Their number is bounded. A viewer that does not read is dropped as soon as more than a little waits for it, so that nothing grows.
 */
import type { ServerResponse } from 'node:http';
import type { Snapshot } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';

const MOST_STREAMS = 100;
const MOST_WAITING_BYTES = 64 * 1024;
/** Proxies close a connection on which nothing is heard for long. */
const HEARTBEAT_MS = 15_000;
/** Characters of names in one message: a viewer that reads must never have much waiting. */
const MOST_NAMED = 4000;

export class Streams {
  readonly #snapshots: Snapshots;
  readonly #open = new Set<ServerResponse>();
  #unlisten: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots;
  }

  get isFull(): boolean {
    return this.#open.size >= MOST_STREAMS;
  }

  /** Begins a stream; the response belongs to it from here on. */
  open(response: ServerResponse, latest: Snapshot): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    this.#open.add(response);
    response.once('close', () => this.#left(response));
    response.on('error', () => this.#left(response));
    this.#send(response, `retry: 2000\n\n${messageOf(latest, [])}`);
    this.#unlisten ??= this.#snapshots.listen((snapshot, changed) => {
      const message = messageOf(snapshot, changed);
      for (const each of this.#open) this.#send(each, message);
    });
    this.#heartbeat ??= setInterval(() => {
      for (const each of this.#open) this.#send(each, ': \n\n');
    }, HEARTBEAT_MS).unref();
  }

  close(): void {
    for (const response of this.#open) response.destroy();
    this.#open.clear();
    this.#rest();
  }

  #send(response: ServerResponse, text: string): void {
    if (response.destroyed) return;
    response.write(text);
    if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
  }

  #left(response: ServerResponse): void {
    this.#open.delete(response);
    if (this.#open.size === 0) this.#rest();
  }

  #rest(): void {
    this.#unlisten?.();
    this.#unlisten = undefined;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

function messageOf({ revision, at, counts, trouble }: Snapshot, changed: readonly string[]): string {
  let left = MOST_NAMED;
  const end = changed.findIndex((name) => {
    left -= name.length;
    return left < 0;
  });
  const names = changed.slice(0, end < 0 ? changed.length : end);
  const facts = { revision, at, counts, trouble: trouble ?? null, changed: names, all: changed.length };
  return `event: change\nid: ${revision}\ndata: ${JSON.stringify(facts)}\n\n`;
}
