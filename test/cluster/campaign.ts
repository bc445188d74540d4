/**
 * Processes over one database that are killed, frozen and thawed at moments of chance, while the database crashes and comes back. Every
 * start is a line of its process. A start that happens twice shows: the attempt of a work counts its starts, and each number comes once.
 *
 * Some kills hit several processes at the same instant, and some hit a process that is still being initialized. The sources are compiled
 * once for all processes (`NODE_COMPILE_CACHE`), since otherwise most of the time would go into that.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Conditions } from '../patience.ts';
import type { Server } from '../store/postgres/server.ts';

const LEASE_MS = 1000;
/** Tasks that fail always, so that there is always something to start. */
const FAILING = 12;
/** Tasks that succeed, once per minute. */
const SOUND = 4;
const INSTANCES = 4;
/** How many processes one blow kills, at most. */
const MOST_AT_ONCE = 3;
const MOST_STARTS_BETWEEN = 20;
const PROGRAM = fileURLToPath(new URL('./fixtures/instance.ts', import.meta.url));

export interface CampaignOptions {
  readonly kills: number;
  readonly freezes: number;
  readonly crashes: number;
  roll(sides: number): number;
  /** So many more kills are done. */
  advance?(kills: number): void;
  /** Ends it early, after the step that is under way. */
  readonly signal?: AbortSignal;
}

interface Instance {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
  isReady: boolean;
  isKilled: boolean;
}

export class Campaign {
  /** The traces of all processes, one file each, in this folder. */
  traces: string[] = [];
  kills = 0;
  starts = 0;
  /** Kills of processes that were not ready yet. */
  early = 0;
  readonly #folder: string;
  readonly #server: Server;
  readonly #schema: string;
  readonly #roll: (sides: number) => number;
  readonly #conditions = new Conditions();
  /** The number of the last start of each task. */
  readonly #lastStart = new Map<string, number>();
  readonly #seen = new Set<string>();
  readonly #twice: string[] = [];
  readonly #died: string[] = [];
  #instances: Instance[] = [];

  constructor(server: Server, schema: string, folder: string, roll: (sides: number) => number) {
    this.#folder = folder;
    this.#server = server;
    this.#schema = schema;
    this.#roll = roll;
  }

  /** Returns what must not be: starts and successes that came twice, and instances that died by themselves. */
  async play({
    kills,
    freezes,
    crashes,
    advance = () => {},
    signal,
  }: CampaignOptions): Promise<readonly string[]> {
    try {
      for (const step of this.#steps(kills, freezes, crashes)) {
        if (signal?.aborted) break;
        while (this.#instances.length < INSTANCES) this.#begin();
        await this.#someStarts(1 + this.#roll(MOST_STARTS_BETWEEN));
        if (step === 'freeze') await this.#freeze();
        else if (step === 'crash') await this.#crash();
        else {
          for (let left = step; left > 0; left--) this.#kill();
          advance(step);
        }
      }
      while (this.#instances.length < INSTANCES) this.#begin();
      await this.#everyTask();
      await this.#nothingLost();
    } finally {
      await this.#end();
    }
    // A process may be killed before it has written anything.
    this.traces = this.traces.filter((trace) => existsSync(trace));
    return [
      ...this.#twice.map((start) => `happened twice: ${start}`),
      ...this.#died,
      ...(await this.#succeededTwice()).map((work) => `succeeded twice: ${JSON.stringify(work)}`),
    ];
  }

  /** In an order of chance. A number is a blow that kills so many processes. */
  #steps(kills: number, freezes: number, crashes: number): ReadonlyArray<number | 'freeze' | 'crash'> {
    const steps: Array<number | 'freeze' | 'crash'> = [
      ...Array<'freeze'>(freezes).fill('freeze'),
      ...Array<'crash'>(crashes).fill('crash'),
    ];
    for (let left = kills; left > 0; ) {
      const blow = Math.min(left, 1 + this.#roll(MOST_AT_ONCE));
      steps.push(blow);
      left -= blow;
    }
    for (let at = steps.length - 1; at > 0; at--) {
      const other = this.#roll(at + 1);
      [steps[at], steps[other]] = [steps[other], steps[at]];
    }
    return steps;
  }

  #begin(): void {
    const trace = join(this.#folder, `${this.traces.length}.jsonl`);
    this.traces.push(trace);
    const words = [this.#server.url, this.#schema, LEASE_MS, FAILING, SOUND, trace].map(String);
    const child = spawn(process.execPath, [PROGRAM, ...words], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(this.#folder, 'compiled') },
      detached: true, // Ctrl-C ends the campaign, which ends them
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const instance: Instance = { process: child, exited, isReady: false, isKilled: false };
    child.once('exit', (code) => {
      if (!instance.isKilled) this.#died.push(`process ${child.pid} ended by itself, with code ${code}`);
    });
    this.#instances.push(instance);
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') instance.isReady = true;
      else this.#started(line);
      this.#conditions.happened();
    });
  }

  #started(line: string): void {
    // A line may be cut off by a kill; the start was real, but nothing can be said of it.
    if (!line.endsWith('}')) return;
    const { task, key, attempt } = JSON.parse(line);
    const start = `${task} ${key} ${attempt}`;
    if (this.#seen.has(start)) this.#twice.push(line);
    this.#seen.add(start);
    this.#lastStart.set(task, ++this.starts);
  }

  async #someStarts(count: number): Promise<void> {
    const from = this.starts;
    await this.#conditions.find(`${count} starts`, () =>
      this.starts >= from + count && this.#instances.some(({ isReady }) => isReady) ? true : undefined,
    );
  }

  /** Whatever was cut off goes on. */
  async #everyTask(): Promise<void> {
    const from = this.starts;
    const isStarted = (index: number): boolean => (this.#lastStart.get(`failing ${index}`) ?? 0) > from;
    await this.#conditions.find('a start of every task that fails', () =>
      Array.from({ length: FAILING }, (_, index) => index).every(isStarted) ? true : undefined,
    );
  }

  /** Every due until now is served. */
  async #nothingLost(): Promise<void> {
    const { rows } = await this.#server.pool.query(
      `SELECT floor(extract(epoch FROM date_trunc('minute', clock_timestamp())) * 1000)::bigint AS minute`,
    );
    await this.#none(`SELECT 1 FROM ${this.#schema}.state WHERE served_through < $1`, rows[0].minute);
  }

  /** A kill: the process is in the middle of something, and knows nothing of it. */
  #kill(): void {
    const [victim] = this.#instances.splice(this.#roll(this.#instances.length), 1);
    victim.isKilled = true;
    this.kills++;
    if (!victim.isReady) this.early++;
    victim.process.kill('SIGKILL');
  }

  /** A process stands still until the others have taken its tasks over; then it wakes up, and knows nothing of it. */
  async #freeze(): Promise<void> {
    const victim = this.#instances[this.#roll(this.#instances.length)];
    victim.process.kill('SIGSTOP');
    await this.#none(`SELECT 1 FROM ${this.#schema}.member WHERE pid = $1`, victim.process.pid);
    victim.process.kill('SIGCONT');
  }

  /** Waits until the query finds nothing; it is asked again with every start. */
  async #none(query: string, value: unknown): Promise<void> {
    while ((await this.#server.pool.query(query, [value])).rowCount !== 0) await this.#someStarts(1);
  }

  async #crash(): Promise<void> {
    await this.#server.kill();
    await this.#server.start();
  }

  async #succeededTwice(): Promise<unknown[]> {
    const { rows } = await this.#server.pool.query(
      `SELECT task, key_label, key_count, count(*) FROM ${this.#schema}.run WHERE outcome = 0 GROUP BY 1, 2, 3 HAVING count(*) > 1`,
    );
    return rows;
  }

  async #end(): Promise<void> {
    for (const instance of this.#instances) {
      instance.isKilled = true;
      instance.process.kill('SIGKILL');
    }
    await Promise.all(this.#instances.splice(0).map(({ exited }) => exited));
  }
}
