/** Some open pages, without a browser: each hears of changes, and asks for what it shows after each. `node viewers.ts <port> <pages>` until it is ended. */
import { get } from 'node:http';

/** What it is run with. */
export type ViewersArguments = [port: string, pages: string];

const [port, pages] = process.argv.slice(2).map(Number);
const WAYS = ['api/state', 'api/tasks?limit=50&sort=next'];
const JITTER_MS = 50;

/** One answer at a time, as a page does: what changes meanwhile is asked for once more. */
class Viewer {
  #isAsking = false;
  #isWanted = false;

  open(): void {
    get({ host: '127.0.0.1', port, path: '/api/events', agent: false }, (response) => {
      response.on('data', (piece: Buffer) => {
        if (piece.includes('event: change')) setTimeout(() => void this.#look(), Math.random() * JITTER_MS);
      });
      response.once('close', () => this.open());
    }).once('error', () => setTimeout(() => this.open(), 1000));
  }

  async #look(): Promise<void> {
    this.#isWanted = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#isWanted) {
      this.#isWanted = false;
      await Promise.all(WAYS.map(ask));
    }
    this.#isAsking = false;
  }
}

const ask = (path: string): Promise<void> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: `/${path}` }, (response) => {
      response.resume().once('close', resolve);
    }).once('error', () => resolve());
  });

for (let page = 0; page < pages; page++) new Viewer().open();
process.once('disconnect', () => process.exit());
