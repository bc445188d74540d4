/** Runs a benchmark that measures within its own process, and passes on what it prints. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Program } from './arguments.ts';
import type { GuardedEnvironment } from './orphan.ts';

export interface ProgramResult {
  readonly name: string;
  readonly title: string;
  /** 1 if one of its bounds was missed. */
  readonly exitCode: number;
  readonly output: string;
}

const orphan = join(import.meta.dirname, 'orphan.ts');

/** Undefined if it was interrupted. */
export function runProgram(
  { name, title, file }: Program,
  signal: AbortSignal,
  print: (text: string) => void,
): Promise<ProgramResult | undefined> {
  const guarded: GuardedEnvironment = { BENCH_RUNNER: String(process.pid) };
  const child = spawn(process.execPath, ['--expose-gc', '--import', orphan, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // Ctrl-C reaches the runner alone, which ends it
    env: { ...process.env, ...guarded },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ProgramResult | undefined>();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    print(text);
  });
  const endChild = (): boolean => child.kill('SIGKILL');
  signal.addEventListener('abort', endChild, { once: true });
  child.once('error', reject);
  child.once('close', (code) => {
    signal.removeEventListener('abort', endChild);
    resolve(signal.aborted ? undefined : { name, title, exitCode: code ?? 1, output });
  });
  return promise;
}
