/** A scheduler in a process of its own (fixtures/owner.ts), as the attacker sees it. */
import type { ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bounded, Conditions, PATIENCE_MS } from '../patience.ts';
import type { Ground } from './ground.ts';

export interface AttackedTask {
  readonly name: string;
  readonly cron: string;
  /** How long a run takes, in milliseconds of the machine. */
  readonly takesMs: number;
  /** How many runs of one process fail before one succeeds. */
  readonly failures: number;
  /** A line of shell to run instead. */
  readonly program?: string;
}

export interface OwnerPlan {
  readonly file: string;
  readonly trace: string;
  /** Where programs work. */
  readonly folder: string;
  readonly tasks: readonly AttackedTask[];
  readonly retryDelayMs: number;
  /** How many times faster than the machine's its clock is. */
  readonly speed: number;
  /** What the clock shows at `originNs` of the machine's monotonic clock. */
  readonly startAt: number;
  readonly originNs: string;
  /** What the machine's wall clock shows then, if the clock is to follow that one; without it, it follows the monotonic one. */
  readonly wallStartAt?: number;
  /** The clock stands still, and the scheduler stops when it owes nothing. */
  readonly isFrozen: boolean;
  /** Waits for the store as a standby does. */
  readonly waits: boolean;
  /** In milliseconds of the machine. An attack whose stop is to fail makes it short. */
  readonly finalWriteMs: number;
  /** Calls `initialize` first without a free descriptor, then with them. */
  readonly beginsExhausted: boolean;
}

export const RETRY_DELAY_MS = 30_000;

/** A plan for a store and a trace in these folders, beginning now. */
export function planFor(place: string, traces: string, tasks: readonly AttackedTask[]): OwnerPlan {
  return {
    file: join(place, 'state.db'),
    trace: join(traces, 'trace.jsonl'),
    folder: traces,
    tasks,
    retryDelayMs: RETRY_DELAY_MS,
    speed: 60,
    startAt: Date.UTC(2026, 5, 1, 12, 30, 10),
    originNs: String(process.hrtime.bigint()),
    isFrozen: false,
    waits: false,
    finalWriteMs: PATIENCE_MS,
    beginsExhausted: false,
  };
}

export interface Said {
  readonly type: string;
  readonly task?: string;
  readonly error?: { readonly name: string; readonly message: string };
  readonly taken?: number;
}

export class Owner {
  readonly child: ChildProcess;
  readonly said: Said[] = [];
  readonly exited: Promise<number | null>;
  readonly #conditions = new Conditions();
  #isOver = false;

  /** `launch` is what comes before the words of Node: a shell that limits it, say. */
  constructor(ground: Ground, plan: OwnerPlan, env: NodeJS.ProcessEnv = {}, launch: readonly string[] = []) {
    const fixture = join(import.meta.dirname, 'fixtures/owner.ts');
    const [file = '', ...words] = [...launch, process.execPath, fixture, JSON.stringify(plan)];
    this.child = ground.spawn(file, words, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'obbligato-attack-code'), ...env },
    });
    this.exited = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.stdout === null) throw new Error('an owner talks on its standard output');
    createInterface(this.child.stdout)
      .on('line', (line) => {
        this.said.push(JSON.parse(line));
        this.#conditions.happened();
      })
      .on('close', () => {
        this.#isOver = true;
        this.#conditions.happened();
      });
  }

  has(type: string): boolean {
    return this.said.some((event) => event.type === type);
  }

  count(type: string): number {
    return this.said.filter((event) => event.type === type).length;
  }

  /** What was said since trouble was reported that goes on; nothing if there is none. */
  get inTrouble(): readonly Said[] {
    const last = this.said.findLastIndex(({ type }) => /^StoreTrouble(Started|Ended)$/.test(type));
    return this.said[last]?.type === 'StoreTroubleStarted' ? this.said.slice(last) : [];
  }

  /**
   * Waits until no trouble goes on: a busy machine makes the store slow, which is trouble too, and trouble that comes on top of it is not
   * reported again. Returns how many events there were.
   */
  async calm(): Promise<number> {
    await this.event(() => this.inTrouble.length === 0, 0, 'the end of trouble');
    return this.said.length;
  }

  /** The first event of a type after the first `after` events. */
  says(type: string, after = 0): Promise<Said> {
    return this.event((event) => event.type === type, after, `"${type}"`);
  }

  /** The first event that fits, after the first `after` events. */
  event(fits: (event: Said) => boolean, after: number, what = String(fits)): Promise<Said> {
    const seen = (): string => JSON.stringify(this.said.slice(-20));
    return this.#conditions.find(
      what,
      () => {
        const found = this.said.slice(after).find(fits);
        if (found === undefined && this.#isOver) throw new Error(`it ended without ${what}: ${seen()}`);
        return found;
      },
      seen,
    );
  }

  /** Waits until so many more runs have ended well. */
  async succeeds(times: number): Promise<void> {
    for (let left = times; left > 0; left--) await this.says('TaskRunCompleted', this.said.length);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await bounded('the end of a killed process', this.exited);
  }

  /** Asks it to stop; answers how that went. */
  async stop(): Promise<Said> {
    this.child.kill('SIGTERM');
    await bounded('the end of a process that was asked to stop', this.exited);
    const answer = this.said.at(-1);
    return answer?.type === 'stopped' || answer?.type === 'stop failed'
      ? answer
      : { type: 'ended without an answer' };
  }
}

/** The last life on a store, which ends by itself when it owes nothing. Answers what was wrong with it. */
export async function lastLife(ground: Ground, plan: OwnerPlan): Promise<readonly string[]> {
  const last = new Owner(ground, { ...plan, isFrozen: true });
  await bounded('the end of the last life', last.exited);
  const end = last.said.at(-1);
  return end?.type === 'stopped' ? [] : [`the last life ended with ${JSON.stringify(end)}`];
}
