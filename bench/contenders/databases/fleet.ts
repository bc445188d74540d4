/** The instances of one scheduler, seen from the measuring process. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { sleep } from '../measuring.ts';
import type { Setting } from './driver.ts';
import type { InstanceMessage, InstanceParams } from './instance.ts';

const LOOK_EVERY_MS = 5;
const LONGEST_STOP_MS = 10_000;

export class Fleet {
  readonly #children: ChildProcess[] = [];
  readonly #calls: number[] = [];
  #lastAt = 0;
  #readyAt = 0;
  #failure: Error | undefined;

  /** How many calls all instances have made. */
  get calls(): number {
    return this.#calls.reduce((sum, each) => sum + each, 0);
  }

  /** When the last of them was made. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** When the last instance was ready. */
  get readyAt(): number {
    return this.#readyAt;
  }

  /** Starts them, the first before the others, since it registers the tasks with some schedulers. Resolves when all are ready. */
  async start(params: Omit<InstanceParams, 'instance' | 'instances'>, instances: number): Promise<void> {
    await this.#startOne({ ...params, instance: 0, instances });
    const others = Array.from({ length: instances - 1 }, (_, index) => index + 1);
    await Promise.all(others.map((instance) => this.#startOne({ ...params, instance, instances })));
  }

  /** Until so many calls were made, or `isOver` says that it is enough. */
  async called(calls: number, isOver: () => boolean): Promise<void> {
    while (this.calls < calls && !isOver()) {
      if (this.#failure !== undefined) throw this.#failure;
      await sleep(LOOK_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map((child) => {
        if (child.exitCode !== null || child.signalCode !== null) return undefined;
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.send('stop');
        // All has been measured; some wait for a statement that takes many minutes.
        const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_STOP_MS);
        return ended.finally(() => clearTimeout(timer));
      }),
    );
  }

  #startOne(params: InstanceParams & Setting): Promise<void> {
    const child = fork(join(import.meta.dirname, 'instance.ts'), [JSON.stringify(params)], { execArgv: [] });
    const place = this.#children.push(child) - 1;
    this.#calls[place] = 0;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isStopped = false;
    child.on('message', (message: InstanceMessage) => {
      if (message.says === 'stopped') isStopped = true;
      if (message.says === 'called') {
        this.#calls[place] = message.calls;
        this.#lastAt = Math.max(this.#lastAt, message.lastAt);
      }
      if (message.says !== 'ready') return;
      this.#readyAt = Math.max(this.#readyAt, message.readyAt);
      resolve();
    });
    child.once('exit', (code, signal) => {
      if (isStopped) return;
      this.#failure = new Error(`an instance ended by itself (exit code ${code}, signal ${signal})`);
      reject(this.#failure);
    });
    return promise;
  }
}
