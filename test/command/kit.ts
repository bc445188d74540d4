/** What the tests of `command` share: a context without a scheduler, a process's fate, and the words of another process. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { after } from 'node:test';
import type { RunContext } from '../../src/index.ts';
import { bounded, Conditions } from '../patience.ts';

export const folder = mkdtempSync(join(tmpdir(), 'obbligato-command-'));
const children = new Set<ChildProcessByStdio<null, Readable, null>>();
after(() => {
  for (const child of children) child.kill('SIGKILL'); // a test that fails leaves them behind
  rmSync(folder, { recursive: true, force: true });
});

let runs = 0;
export const contextOf = (name: string, signal = new AbortController().signal): RunContext => ({
  name,
  key: 'key-1',
  runId: `run-${++runs}-${process.pid}`,
  scheduledFor: new Date(0),
  attempt: 2,
  reason: 'retry',
  signal,
  complete: () => Promise.reject(new Error('nobody completes')),
});

/** Whether a process is alive; one that is dead and not yet buried is not. The code under test has its own way to find out. */
export const lives = (pid: number): boolean => !/^[ZX]?$/.test(stateOf(pid));

/** Whether a process stands still, by Ctrl-Z or SIGSTOP. Before that, SIGCONT would be spent for nothing. */
export const standsStill = (pid: number): boolean => stateOf(pid) === 'T';

/** The letter that the kernel has for it; none for a process that there is not. */
function stateOf(pid: number): string {
  try {
    return /^State:\s*(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** The living children of a process. */
export const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((child) => lives(child) && parentOf(child) === pid);

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined; // it has ended meanwhile
  }
}

export interface Life {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  /** Every line it has said. */
  readonly lines: readonly string[];
  /** The next line, or one already said and not yet asked for, that matches. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  kill(): Promise<void>;
}

/** A fixture as a process of its own. */
export function live(fixture: string, ...words: string[]): Life {
  const program = join(import.meta.dirname, fixture);
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      children.delete(child);
      resolve();
    });
  });
  const lines: string[] = [];
  const conditions = new Conditions();
  let asked = 0;
  let isOver = false;
  createInterface(child.stdout)
    .on('line', (line) => {
      lines.push(line);
      conditions.happened();
    })
    .on('close', () => {
      isOver = true;
      conditions.happened();
    });
  return {
    child,
    lines,
    says(pattern) {
      const seen = (): string => lines.join('\n');
      const find = (): RegExpExecArray | undefined => {
        while (asked < lines.length) {
          const found = pattern.exec(lines[asked++]);
          if (found !== null) return found;
        }
        if (isOver) throw new Error(`it ended without ${pattern}:\n${seen()}`);
        return undefined;
      };
      return conditions.find(`the line ${pattern}`, find, seen);
    },
    async kill() {
      child.kill('SIGKILL');
      await bounded('the end of a killed process', exited);
    },
  };
}

/** What is remembered in a folder of running programs; what they wrote is kept next to it. */
export const memosIn = (folder: string): string[] => readdirSync(folder).filter((name) => name !== 'output');
