/** The command line as real processes: configurations written into folders of their own, and what is said on each stream. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { bounded, Words } from '../patience.ts';

export const root = dirname(dirname(import.meta.dirname));
export const main = join(root, 'src/cli/main.ts');
const library = join(root, 'src/index.ts');
export const folder = mkdtempSync(join(realpathSync(tmpdir()), 'obbligato-cli-'));
const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A text whose lines are broken between words, in one line: where that is depends on how long the paths in it are. */
export const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** What a terminal shows, without blanks: it breaks a long path anywhere. */
export const withoutBlanks = (screen: string): string => screen.replaceAll(/\s+/g, '');

export const freshFolder = (): string => mkdtempSync(join(folder, 'project-'));

/** What the configurations in these tests begin with. `forever` never ends, but hears a stop if it is asked to. */
export const preamble = `
import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync, writeFileSync } from 'node:fs';
import { command, defineConfig, memory, milliseconds, minutes, seconds, sqlite, task } from ${JSON.stringify(library)};
const forever = () => new Promise(() => {});
const untilStopped = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve));
`;

/** Writes a configuration into a folder; answers the folder. */
export function project(
  config: string,
  { name = 'obbligato.config.ts', into = freshFolder() }: { name?: string; into?: string } = {},
): string {
  writeFileSync(join(into, name), `${preamble}export default defineConfig(${config});\n`);
  return into;
}

/** Neither the colours nor the zone of whoever runs the tests; Node's options only if they plant a fault. */
export function environment(extra: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const { NO_COLOR: _no, FORCE_COLOR: _force, NODE_OPTIONS, ...rest } = process.env;
  const planted = rest.OBBLIGATO_PLANTED_FAULT === undefined ? {} : { NODE_OPTIONS };
  return { ...rest, ...planted, TZ: 'UTC', TERM: 'xterm-256color', ...extra };
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** All that was said on standard output, once it matches. */
  says(pattern: RegExp): Promise<string>;
}

interface Where {
  readonly cwd?: string;
  readonly env?: Record<string, string | undefined>;
}

/** Begins a command. */
export function begin(words: readonly string[], { cwd = folder, env = {} }: Where = {}): Running {
  const child = spawn(process.execPath, [main, ...words], {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let stderr = '';
  const stdout = new Words(() => stderr);
  child.stdout?.on('data', (chunk) => stdout.hear(chunk));
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const closed = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, stdout: stdout.text, stderr });
      stdout.over();
    });
  });
  return {
    child,
    get ended() {
      return bounded(`the end of "${words.join(' ')}"`, closed, () => stdout.text + stderr);
    },
    says: (pattern) => stdout.says(pattern),
  };
}

/** Runs a command to its end. */
export const cli = (words: readonly string[], where?: Where): Promise<Ended> => begin(words, where).ended;
