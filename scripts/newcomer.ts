/**
 * Does what the README tells a newcomer to do: clones into a private folder with an empty home and nothing in npm's cache, and types both
 * commands on a terminal as they stand there. Presses Ctrl-C when the first one shows how it stops. `npm run campaign -- newcomer` plays it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { duration } from '../src/cli/words.ts';
import { Pty } from '../test/cli/pty.ts';
import { commandsOf } from '../test/docs/commands.ts';
import { blocksOf } from '../test/docs/pages.ts';
import type { Outcome } from '../test/outcome.ts';
import { give, NOBODY, openTmp, type User } from '../test/unprivileged.ts';

export interface Walk {
  /** The repository that is cloned: its last commit. */
  readonly from: string;
  /** The newcomer is nobody; only root can try that. */
  readonly asAnother: boolean;
  /** Stands behind `npm test`: a test file, where the whole suite takes too long. */
  readonly tests: string;
  readonly signal: AbortSignal;
  say(line: string): void;
}

export async function walk({ from, asAnother, tests, signal, say }: Walk): Promise<Outcome> {
  const user: Partial<User> = asAnother ? NOBODY : {};
  // `mkdtemp` makes it private.
  const above = mkdtempSync(join(asAnother ? openTmp : tmpdir(), 'obbligato-newcomer-'));
  const clone = join(above, 'obbligato');
  try {
    execFileSync('git', ['clone', '--quiet', from, clone]);
    for (const name of ['home', 'tmp']) mkdirSync(join(above, name));
    if (asAnother) give(above, NOBODY);
    const readme = readFileSync(join(clone, 'README.md'), 'utf8');
    const [start, test] = commandsIn(readme);
    const type = (line: string, key?: Key): Promise<Ended> =>
      typed(line, { cwd: clone, env: environment(above), user, signal, say }, key);
    const started = await type(start, CTRL_C);
    const tested = await type(tests === '' ? test : `${test} -- ${tests}`);
    const modules = join(clone, 'node_modules');
    // What the commands themselves keep there is not npm's.
    const installed = megabytes(modules) - megabytes(join(modules, '.cache'));
    return {
      figures: {
        'npm start': `${duration(started.elapsedMs)} until Ctrl-C had ended it`,
        'npm test': duration(tested.elapsedMs),
        installed: `${installed} MB`,
        downloaded: `${megabytes(join(above, 'home', '.npm'))} MB`,
      },
      violations: [...wrongWith(started), ...wrongWith(tested), ...tooLarge(installed, readme)],
    };
  } finally {
    rmSync(above, { recursive: true, force: true });
  }
}

/** The two commands of the README, without what stands behind them for people. */
function commandsIn(readme: string): [start: string, test: string] {
  const commands = blocksOf('README.md', readme)
    .filter(({ language }) => language === 'sh')
    .flatMap(commandsOf)
    .map(({ text }) => text.replace(/\s+#.*$/, ''))
    .filter((text) => text.startsWith('npm ci'));
  const [start, test] = commands;
  if (commands.length !== 2)
    throw new Error(`the README has ${commands.length} commands that begin with npm ci`);
  return [start, test];
}

/** Nothing of this project, and of npm only where this machine gets its packages from. */
function environment(above: string): Record<string, string> {
  const own = /^(npm_|NODE_|OBBLIGATO_|INIT_CWD$|BASE$|CI$|NO_COLOR$|FORCE_COLOR$)/i;
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !own.test(entry[0]),
  );
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !/node_modules|node-gyp/.test(folder));
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    HOME: join(above, 'home'),
    TMPDIR: join(above, 'tmp'),
    TERM: 'xterm-256color',
    npm_config_registry: execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim(),
  };
}

/** A key that is pressed once the terminal shows some words. */
interface Key {
  readonly words: string;
  readonly key: string;
}
const CTRL_C: Key = { words: 'Ctrl-C stops', key: '\u0003' };

/** Of npm when Ctrl-C has ended what it ran, although that has ended well. */
const BY_CTRL_C = 130;

interface Ended {
  readonly line: string;
  readonly said: string;
  readonly code: number;
  readonly elapsedMs: number;
  /** It has shown what was waited for, and has ended as it should. */
  readonly isWell: boolean;
}

interface Desk extends Pick<Walk, 'signal' | 'say'> {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly user: Partial<User>;
}

/** A line that is typed into a shell on a terminal, and its end, however long it takes. */
async function typed(line: string, { cwd, env, user, signal, say }: Desk, key?: Key): Promise<Ended> {
  signal.throwIfAborted();
  say(`$ ${line}`);
  const startedAt = performance.now();
  let isShown = key === undefined;
  const heard = (): void => {
    if (isShown || key === undefined || !stripVTControlCharacters(terminal.raw).includes(key.words)) return;
    isShown = true;
    terminal.press(key.key);
  };
  const program = ['/bin/sh', '-c', line] as const;
  const terminal = new Pty({ program, columns: 100, rows: 30, cwd, env, user, heard });
  // As when its window is closed.
  const end = (): void => terminal.hangUp();
  signal.addEventListener('abort', end, { once: true });
  const code = await terminal.ended;
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  const elapsedMs = performance.now() - startedAt;
  const said = stripVTControlCharacters(terminal.raw).replaceAll('\r', '');
  say(`  ${duration(elapsedMs)}, exit code ${code}`);
  const isWell = isShown && (code === 0 || (key !== undefined && code === BY_CTRL_C));
  return { line, said, code, elapsedMs, isWell };
}

/** As many lines of a command that failed are shown. */
const LAST_LINES = 60;

function wrongWith({ line, said, code, isWell }: Ended): string[] {
  const last = said.trimEnd().split('\n').slice(-LAST_LINES).join('\n    ');
  const warnings = said.match(/^npm (warn|error).*$/gim) ?? [];
  return [
    ...(isWell ? [] : [`${line}: exit code ${code}\n    ${last}`]),
    ...(warnings.length === 0 ? [] : [`${line}: npm is not quiet: ${warnings.join('\n    ')}`]),
  ];
}

/** In whole megabytes, as `du` counts them; 0 for what is not there. */
const megabytes = (folder: string): number =>
  existsSync(folder) ? Number.parseInt(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }), 10) : 0;

function tooLarge(installed: number, readme: string): string[] {
  const promised = Number(/`npm ci` takes (\d+) MB/.exec(readme)?.[1]);
  return installed <= promised ? [] : [`npm ci takes ${installed} MB; the README says ${promised}`];
}
