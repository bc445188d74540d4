/** Runs one contender once: its processes, one after the other, in a folder of their own that is removed afterwards. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender, Figures, Round } from './scenario.ts';

const LONGEST_MS = 20 * 60_000;
/** How much of what a process says on its error output is kept, to explain its death. */
const KEPT_CHARACTERS = 4000;

export interface ChildOptions {
  readonly isQuick: boolean;
  readonly signal: AbortSignal;
  /** A process that takes longer is ended, and the contender has failed. */
  readonly longestMs?: number;
}

/** What a process has died of. */
export class ContenderError extends Error {
  override readonly name = 'ContenderError';
}

/** The figures of all processes of a contender. Rejects with a `ContenderError` if one of them dies before it posts its own. */
export async function runContender(
  contender: Contender,
  round: Round,
  options: ChildOptions,
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-bench-'));
  let figures: Figures = {};
  const withOwn: Round = {
    figuresOf: (name) => (name === contender.name ? figures : round.figuresOf(name)),
  };
  try {
    for (const { module, params } of contender.steps) {
      const given = { folder, isQuick: options.isQuick };
      figures = {
        ...figures,
        ...(await runProcess(module, { ...params(withOwn), ...given }, options)),
      };
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runProcess(
  module: string,
  params: object,
  { signal, longestMs = LONGEST_MS }: ChildOptions,
): Promise<Figures> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, ['--expose-gc', module, JSON.stringify(params)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true, // Ctrl-C reaches the runner alone, which ends it
  });
  const { promise, resolve, reject } = Promise.withResolvers<Figures>();
  let figures: Figures | undefined;
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_CHARACTERS);
  });
  child.on('message', (message: Figures) => {
    figures = message;
  });
  const endChild = (): boolean => child.kill('SIGKILL');
  const timer = setTimeout(() => {
    said = `Error: it took longer than ${longestMs / 60_000} minutes`;
    endChild();
  }, longestMs);
  signal.addEventListener('abort', endChild, { once: true });
  child.once('error', reject);
  child.once('close', (code, killedBy) => {
    clearTimeout(timer);
    signal.removeEventListener('abort', endChild);
    if (signal.aborted) reject(signal.reason);
    else if (figures !== undefined) resolve(figures);
    else reject(new ContenderError(deathOf(code, killedBy, said)));
  });
  return promise;
}

/** "exit code 1: Error: the store is gone". */
function deathOf(code: number | null, killedBy: string | null, said: string): string {
  const how = killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`;
  const lines = said.split('\n').map((line) => line.trim());
  const why = lines.find((line) => /^(\w*Error\b|FATAL)/.test(line)) ?? lines.findLast((line) => line !== '');
  return `${how}${why === undefined ? '' : `: ${why}`}`;
}
