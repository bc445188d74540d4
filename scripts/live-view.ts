/**
 * `npm run docs:live-view`: records the live view of the real command line on a real terminal, and writes docs/live-view.svg. A shell
 * starts it; a run fails and is retried; it is killed with `kill -9` and started again. Nothing in the picture is made up: it is
 * what the terminal showed, second by second.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pty } from '../test/cli/pty.ts';
import { type Frame, pictureOf } from './live-view/picture.ts';

const root = dirname(import.meta.dirname);
const [COLUMNS, ROWS] = [104, 17];
const FRAME_MS = 1000;
/** For so many frames the last one stays. */
const LINGER = 3;

const CONFIG = `
import { setTimeout as sleep } from 'node:timers/promises';
import { command, defineConfig, minutes, seconds } from 'obbligato';

const report = async ({ attempt }) => {
  await sleep(800);
  if (attempt === 1) throw new Error('the mail server does not answer');
  console.log('sent');
};

export default defineConfig({
  tasks: [
    ['backup', '* * * * *', command('echo "packing, attempt $OBBLIGATO_ATTEMPT"; sleep 9; echo packed'), minutes(1)],
    ['report', '* * * * *', report, seconds(4)],
    ['poll', '* * * * *', () => sleep(120), seconds(10)],
    ['cleanup', '30 3 * * *', () => {}, minutes(10)],
    ['invoices', '0 6 * * 1-5', () => {}, minutes(5)],
  ],
});
`;

/** A project of its own, in which `obbligato` is what was built here, with an empty store. */
function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'live-view-'));
  mkdirSync(join(folder, 'node_modules'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(root, join(folder, 'node_modules', 'obbligato'));
  writeFileSync(join(folder, 'obbligato.config.ts'), CONFIG);
  const bin = join(folder, 'bin', 'obbligato');
  writeFileSync(
    bin,
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(join(root, 'dist/cli/main.js'))} "$@"\n`,
  );
  chmodSync(bin, 0o755);
  return folder;
}

/** A new minute in the middle would start everything again. */
async function waitForEarlyInMinute(): Promise<void> {
  const second = new Date().getSeconds();
  if (second > 30) await sleep((61 - second) * 1000);
}

async function record(folder: string): Promise<Frame[]> {
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    PATH: `${join(folder, 'bin')}:${PATH}`,
    HOME,
    PS1: '$ ',
    TERM: 'xterm-256color',
    TZ: 'Europe/Stockholm',
    LANG: 'C.UTF-8',
  };
  const terminal = new Pty({
    program: ['bash', '--norc', '--noprofile'],
    columns: COLUMNS,
    rows: ROWS,
    cwd: folder,
    env,
  });
  const frames: Frame[] = [];
  const take = (): void => void frames.push(terminal.cells);
  const takeUntil = async (pattern: RegExp): Promise<void> => {
    const shown = terminal.shows(pattern).then(() => 'shown' as const);
    while ((await Promise.race([shown, sleep(FRAME_MS, 'later' as const)])) === 'later') take();
    take();
  };
  const type = async (words: string): Promise<void> => {
    terminal.press(words);
    await terminal.shows((screen) => screen.endsWith(`$ ${words}`));
    take();
    terminal.press('\r');
  };
  await terminal.shows(/\$/);
  await waitForEarlyInMinute();
  await type('obbligato run');
  await takeUntil(/report .* retry /);
  await takeUntil(/report +│ sent/);
  await takeUntil(/backup +running 7 s/);
  const child = execFileSync('pgrep', ['-P', String(terminal.pid)], { encoding: 'utf8' });
  process.kill(Number(child), 'SIGKILL');
  await takeUntil(/Killed/);
  terminal.press('\u000c'); // Ctrl-L: the killed one could not tidy up after itself
  await terminal.shows((screen) => screen.trimEnd().endsWith('$'));
  await type('obbligato run');
  await takeUntil(/backup +restarted/);
  await takeUntil(/backup +waiting .*✓ 9/);
  for (let frame = 0; frame < LINGER; frame++) take();
  terminal.hangUp();
  return frames;
}

const folder = makeProject();
try {
  const frames = await record(folder);
  const picture = pictureOf(frames, {
    columns: COLUMNS,
    title: 'The live view of obbligato: a run fails and is retried, a run is killed and started again',
  });
  writeFileSync(join(root, 'docs/live-view.svg'), picture);
  console.log(`docs/live-view.svg: ${frames.length} frames, ${(picture.length / 1000).toFixed(0)} kB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
