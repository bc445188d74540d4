/**
 * Where an attack takes place: a folder, mounts, and processes, all of which are gone when it is over, however it ends. Programs lead
 * sessions of their own, so those that are left are found by the folder they work in.
 */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../patience.ts';

export interface GroundOptions {
  /** What chance is drawn from. */
  readonly seed: number;
  /** One more of what is counted is done. */
  readonly advance?: () => void;
  /** Something worth a line of its own, such as the figures of a minute. */
  readonly say?: (line: string) => void;
}

export class Ground {
  readonly folder = mkdtempSync(join(tmpdir(), 'obbligato-attack-'));
  readonly advance: () => void;
  readonly say: (line: string) => void;
  readonly #children = new Set<ChildProcess>();
  readonly #mounts = new Set<string>();
  #random: number;
  #places = 0;
  #cleaned: Promise<void> | undefined;

  constructor({ seed, advance = () => {}, say = () => {} }: GroundOptions) {
    this.#random = seed >>> 0;
    this.advance = advance;
    this.say = say;
  }

  /** A whole number from 0 up to, not including, `below`. */
  draw(below: number): number {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * below);
  }

  /** A new folder in it. */
  place(): string {
    const place = join(this.folder, `place-${++this.#places}`);
    mkdirSync(place);
    return place;
  }

  spawn(file: string, words: readonly string[], options: SpawnOptions): ChildProcess {
    this.#mustBeOpen();
    const child = spawn(file, words, options);
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  /** Mounts something on a new folder: `mount` with these words. */
  mount(...words: readonly string[]): string {
    this.#mustBeOpen();
    const place = this.place();
    execFileSync('mount', [...words, place], { stdio: 'pipe' });
    this.#mounts.add(place);
    return place;
  }

  unmount(place: string): void {
    execFileSync('umount', ['-l', place]);
    this.#mounts.delete(place);
  }

  /** The living processes that work in a folder. */
  programs(folder = this.folder): readonly number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && isIn(workplaceOf(pid), folder));
  }

  /** Ends and removes everything. An attack that goes on all the same finds that it can start nothing any more. */
  clean(): Promise<void> {
    this.#cleaned ??= this.#clean();
    return this.#cleaned;
  }

  #mustBeOpen(): void {
    if (this.#cleaned !== undefined) throw new Error('the attack is over');
  }

  async #clean(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await until(() => this.#children.size === 0);
    for (const pid of this.programs()) kill(pid);
    await until(() => this.programs().length === 0);
    for (const place of this.#mounts) this.unmount(place);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Where a process works; nothing for one that there is not, or that is dead and not yet buried. */
function workplaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Why nothing can be mounted here, if so. */
export function noMounts(): string | undefined {
  if (process.platform !== 'linux') return 'mounts are tried on Linux alone';
  if (process.getuid?.() !== 0) return 'only root may mount a file system';
  const ground = new Ground({ seed: 0 });
  try {
    ground.unmount(ground.mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs'));
    return undefined;
  } catch (error) {
    return `this machine does not mount a tmpfs (${error instanceof Error ? error.message.split('\n')[0] : error})`;
  } finally {
    rmSync(ground.folder, { recursive: true, force: true });
  }
}
