/** What the tests of stores share: temporary folders, and programs in processes of their own. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bounded } from '../patience.ts';
import { openTmp } from '../unprivileged.ts';

/** A folder that lives as long as the test. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(openTmp, 'obbligato-'));
  await chmod(folder, 0o755);
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The beginning of every program: the store's exports and the makers of records at hand. */
const prelude = (root: string): string => `
  const { sqlite, inspect } = await import(${JSON.stringify(pathToFileURL(join(root, 'src/store/index.ts')))});
  const { sqliteForTests } = await import(${JSON.stringify(pathToFileURL(join(root, 'src/store/sqlite.ts')))});
  const { newRecord, startOf, failureOf } = await import(${JSON.stringify(pathToFileURL(join(root, 'src/store/conformance-kit.ts')))});
  const { writeSync } = await import('node:fs');
  const say = (text) => writeSync(1, text + '\\n');
  const path = process.env.STORE_PATH;
`;

/**
 * Starts a program (an ES module) that knows the store at `path`, by the words `before` if there are any. It is killed when the test
 * ends, if it still lives.
 */
export function program(
  t: TestContext,
  path: string,
  code: string,
  { before = [], ...options }: SpawnOptions & { readonly before?: readonly string[] } = {},
  { user, node, root } = { user: {}, node: process.execPath, root: dirname(dirname(import.meta.dirname)) },
): ChildProcess {
  const [command, ...words] = [...before, node, '--input-type=module', '-e', prelude(root) + code];
  const child = spawn(command, words, {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...user,
    ...options,
    env: { ...process.env, ...options.env, STORE_PATH: path },
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** Resolves when the program has said a line for which `wanted` holds; rejects if it ends without. */
export function saying(child: ChildProcess, wanted: (line: string) => boolean): Promise<string> {
  const said = new Promise<string>((resolve, reject) => {
    let rest = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      const line = lines.find(wanted);
      if (line !== undefined) resolve(line);
    });
    child.once('exit', (code, signal) => reject(new Error(`ended early: ${code ?? signal}`)));
  });
  return bounded(`a line for which ${wanted} holds`, said);
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Everything a program says until its end. */
export async function ended(child: ChildProcess): Promise<Ended> {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const closed = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  return bounded('the end of a program', closed, () => out + err);
}
