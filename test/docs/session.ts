/** Commands in a shell, one after the other, as somebody types them: `cd` lasts, Ctrl-C ends what would go on for ever. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PATIENCE_MS } from '../patience.ts';
import { type Place, quoted } from './stage.ts';

export interface Ended {
  readonly code: number | null;
  /** Both streams, with paths as pages write them. */
  readonly output: string;
}

export interface Session {
  /** Where it stands now. */
  cwd(): string;
  /** Where its commands break their lines: as pages show it, unless its folder has a long path. */
  readonly breaks: 'as shown' | 'anywhere';
  /** Runs a command to its end; with `until`, it is interrupted as soon as it has said that, and must not end before. */
  run(command: string, until?: RegExp): Promise<Ended>;
  /** Interrupts what is left. */
  close(): void;
}

/** From so many characters on, paths break lines that have room for the paths of the pages. */
const LONG = 40;

export function createSession(place: Place): Session {
  const here = join(place.root, 'working-directory');
  const groups = new Set<number>();
  /** Absolute paths of pages lie within the place. */
  const inside = (command: string): string =>
    command.replace(/(?<![\w.~/-])\/(srv|var|etc|tmp)(?=\/)/g, `${place.root}/$1`);
  const signal = (group: number, name: NodeJS.Signals): void => {
    try {
      process.kill(-group, name);
    } catch {
      // It has ended by itself.
    }
  };
  const cwd = (): string => (existsSync(here) ? readFileSync(here, 'utf8').trimEnd() : place.jobs);
  const run = (command: string, until?: RegExp): Promise<Ended> => {
    const script = `exec 2>&1\n${inside(command)}\nstatus=$?\npwd > ${quoted(here)}\nexit $status`;
    const child = spawn('bash', ['-c', script], {
      cwd: cwd(),
      env: place.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const group = child.pid ?? 0;
    groups.add(group);
    const timer = setTimeout(() => signal(group, 'SIGKILL'), PATIENCE_MS);
    let output = '';
    let isAwaited = until !== undefined;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (!isAwaited || !until?.test(output)) return;
      isAwaited = false;
      signal(group, 'SIGINT');
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        clearTimeout(timer);
        groups.delete(group);
        const said = output.replaceAll(place.root, '');
        if (isAwaited) reject(new Error(`it ended with ${code} and never said ${until}:\n${said}`));
        else resolve({ code, output: said });
      });
    });
  };
  return {
    cwd,
    run,
    breaks: place.root.length > LONG ? 'anywhere' : 'as shown',
    close: () => {
      for (const group of groups) signal(group, 'SIGKILL');
    },
  };
}
