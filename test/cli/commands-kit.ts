/** What the tests of commands share: a command called with a made-up terminal, or in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { parseArgs } from 'node:util';
import type { Command, Io } from '../../src/cli/args/command.ts';
import { bounded, Words } from '../patience.ts';

export const root = dirname(dirname(import.meta.dirname));
const main = join(root, 'src/cli/main.ts');

/** A fixed now, in winter: Sunday, noon in UTC. */
export const NOW = Date.parse('2027-01-10T12:00:00Z');

export interface Surroundings {
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly isTTY?: boolean;
  readonly typed?: string;
  readonly env?: Record<string, string>;
  readonly now?: number;
}

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** An `Io` of which nothing is real, and what was written to it so far. */
export function fakeIo(surroundings: Surroundings = {}): { io: Io; said: () => Omit<Said, 'code'> } {
  const { cwd = '/', columns = 80, rows = 24, isTTY = false, typed = '', env = {}, now = NOW } = surroundings;
  let [out, err] = ['', ''];
  const screen = { isTTY, columns, rows };
  const stdin = Object.assign(Readable.from(typed === '' ? [] : [typed]), { isTTY });
  const io: Io = {
    stdout: { ...screen, write: (text) => (out += text) },
    stderr: { ...screen, write: (text) => (err += text) },
    // Commands read lines or everything from it, and look whether it is a terminal: no more of a tty is needed.
    stdin: stdin as unknown as NodeJS.ReadStream,
    env,
    cwd,
    now: () => now,
  };
  return { io, said: () => ({ out, err }) };
}

/** Calls a command as the frame does. */
export async function call(
  command: Command,
  words: readonly string[],
  surroundings?: Surroundings,
): Promise<Said> {
  const { io, said } = fakeIo(surroundings);
  const { values, positionals } = parseArgs({
    args: [...words],
    options: command.options,
    allowPositionals: true,
  });
  const code = await command.run(io, { values, positionals });
  return { code, ...said() };
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string; err: string }>;
  /** All that was said on standard output, once it matches. */
  says(pattern: RegExp): Promise<string>;
}

export interface Where {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string;
}

/** Begins a command in a process of its own; it does not outlive the test. */
export const begin = (t: TestContext, words: readonly string[], where: Where): Running =>
  program(t, [main, ...words], where);

/** Runs a command to its end. */
export const obbligato = (t: TestContext, words: readonly string[], where: Where): Running['ended'] =>
  begin(t, words, where).ended;

export function program(t: TestContext, words: readonly string[], { cwd, env = {}, stdin }: Where): Running {
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...process.env, TZ: 'UTC', NO_COLOR: '1', ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  child.stdin?.end(stdin);
  let err = '';
  const out = new Words(() => err);
  child.stdout?.on('data', (chunk: Buffer) => out.hear(chunk));
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const closed: Running['ended'] = new Promise((resolve) => {
    child.once('close', (code, signal) => {
      resolve({ code, signal, out: out.text, err });
      out.over();
    });
  });
  return {
    child,
    get ended() {
      return bounded(`the end of "${words.join(' ')}"`, closed, () => out.text + err);
    },
    says: (pattern) => out.says(pattern),
  };
}

const library = join(root, 'src/index.ts');

/**
 * A program that runs a scheduler on `store.db`, with tasks told by a list of TypeScript expressions; it says "up" when it runs and
 * "started <task>" for every start.
 */
export function schedulerProgram(folder: string, tasks: string): string {
  const path = join(folder, 'scheduler.ts');
  writeFileSync(
    path,
    `import { createScheduler, minutes, hours, sqlite } from ${JSON.stringify(library)};
     const forever = (): Promise<never> => new Promise(() => {});
     const fails = (): never => { throw new Error('as it should'); };
     const scheduler = createScheduler({
       store: sqlite('store.db'),
       timeZone: 'UTC',
       onEvent: (event) => {
         if ('task' in event) process.stdout.write(event.type + ' ' + event.task + '\\n');
       },
     });
     await scheduler.initialize([${tasks}]);
     process.stdout.write('up\\n');
     process.once('SIGTERM', () => scheduler.stop());
     setInterval(() => {}, 60_000).unref();`,
  );
  return path;
}

/** Writes a configuration; answers its path. `imports` are names of the library that it needs beyond the usual ones. */
export function writeConfig(folder: string, fields: string, imports: readonly string[] = []): string {
  const path = join(folder, 'obbligato.config.ts');
  writeFileSync(
    path,
    `import { ${['minutes', 'sqlite', ...imports].join(', ')} } from ${JSON.stringify(library)};
     const nothing = (): void => {};
     export default { ${fields} };\n`,
  );
  return path;
}
