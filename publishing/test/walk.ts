/**
 * A stranger's walk: an empty folder, the tarball, and what two pages say. Every command is taken from the text of its page, in the order
 * of the page, so that the walk fails where the words stop being enough.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { openBrowser } from '../../test/dashboard/browser.ts';
import { commandsOf } from '../../test/docs/commands.ts';
import { mentionsIn } from '../../test/docs/inline.ts';
import { type Block, blocksOf, readPage } from '../../test/docs/pages.ts';
import { bounded, PATIENCE_MS, Words } from '../../test/patience.ts';

/** The commands of a page, from blocks, transcripts and sentences, to be taken in their order. */
class Page {
  readonly blocks: readonly Block[];
  readonly #commands: readonly { line: number; text: string }[];
  #at = -1;

  constructor(name: string) {
    const text = readPage(name);
    this.blocks = blocksOf(name, text);
    const isTyped = ({ language, text: block }: Block): boolean =>
      language === 'sh' || language === 'console' || (language === 'text' && block.startsWith('$ '));
    this.#commands = [...this.blocks.filter(isTyped).flatMap(commandsOf), ...mentionsIn(name, text)].sort(
      (a, b) => a.line - b.line,
    );
  }

  /** The next command that begins like this. */
  next(beginning: string): string {
    this.#at = this.#commands.findIndex(({ text }, at) => at > this.#at && text.startsWith(beginning));
    assert.ok(this.#at >= 0, `the page says "${beginning}" at this point`);
    return this.#commands[this.#at].text;
  }

  /** The block that a file of this name is to have. */
  file(name: string): string {
    const found = this.blocks.find(
      ({ words, text }) => words.includes(`written:${name}`) || text.startsWith(`// ${name}\n`),
    );
    assert.ok(found, `the page shows ${name}`);
    return found.text;
  }
}

/** A command that was typed in a shell. */
class Typed {
  readonly #out = new Words(() => this.#err);
  #err = '';
  readonly #child: ChildProcess;
  readonly #closed: Promise<number | null>;

  constructor(t: TestContext, folder: string, line: string) {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
    this.#child = spawn('/bin/sh', ['-c', line], {
      cwd: folder,
      // Nothing may come from a registry, temporary files belong to the walk, and there are no colours.
      env: {
        ...env,
        TMPDIR: folder,
        npm_config_cache: join(folder, '.npm'),
        npm_config_offline: 'true',
        // What a person answers when npx asks whether to install what was named.
        npm_config_yes: 'true',
        npm_config_update_notifier: 'false',
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    // The whole group: npx starts the command as its child.
    t.after(() => this.#signal('SIGKILL'));
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#out.hear(chunk));
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#err += chunk;
    });
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        this.#out.over();
        resolve(code);
      });
    });
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch {
      // It has ended already.
    }
  }

  says(pattern: RegExp): Promise<string> {
    return this.#out.says(pattern);
  }

  /** What was printed until its end; it exits with this code, or one of these. */
  async ends(...codes: (number | null)[]): Promise<string> {
    const code = await bounded('its end', this.#closed, () => this.#out.text + this.#err);
    assert.ok(codes.includes(code), `it exits with ${code}:\n${this.#out.text}${this.#err}`);
    return this.#out.text;
  }
}

export async function strangersWalk(t: TestContext, tarball: string): Promise<void> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'obbligato-stranger-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const type = (line: string): Typed => new Typed(t, folder, line);
  const page = new Page('docs/getting-started.md');
  copyFileSync(tarball, join(folder, basename(tarball)));
  await lookAtDemo(new Page('docs/getting-started.md'), type);
  await installAndBegin(page, folder, type);
  await killAndResume(t, page, folder, type);
  await migrate(new Page('docs/migration.md'), folder, type);
}

type Type = (line: string) => Typed;

/** Before anything is installed. */
async function lookAtDemo(page: Page, type: Type): Promise<void> {
  const demo = await type(page.next('npx --package=')).says(/slow {2}│ twenty seconds of work/);
  process.kill(Number(pidIn(demo)), 'SIGKILL');
}

async function installAndBegin(page: Page, folder: string, type: Type): Promise<void> {
  for (const step of ['npm init', 'npm pkg', 'npm install']) await type(page.next(step)).ends(0);
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['obbligato'],
  );
  const said = await type(page.next('npx obbligato init')).ends(0);
  assert.match(said, /^Wrote 3 tasks to obbligato\.config\.ts, and 2 lines to \.gitignore\./);
  assert.doesNotMatch(said, /not installed/);
  assert.equal(readFileSync(join(folder, 'obbligato.config.ts'), 'utf8'), page.file('obbligato.config.ts'));
  await type(page.next('npx obbligato doctor')).ends(0);
}

const pidIn = (said: string): string => /pid (\d+)/.exec(said)?.[1] ?? assert.fail(said);

/** Twenty seconds are enough for a person. Here the work goes on until there is a file, however slow the machine is. */
function untilFinished(folder: string): () => void {
  const config = join(folder, 'obbligato.config.ts');
  const text = readFileSync(config, 'utf8');
  const changed = text
    .replace('await sleep(20_000)', `while (!existsSync('finished')) await sleep(20)`)
    .replace('import {', `import { existsSync } from 'node:fs';\nimport {`);
  assert.notEqual(changed, text);
  writeFileSync(config, changed);
  return () => writeFileSync(join(folder, 'finished'), '');
}

/** What the first start of "hello" says of itself. */
function workIn(said: string): { due: string; key: string; attempt: string } {
  const [, due] = /hello {2}started.*due ([\d:]+)\)/.exec(said) ?? assert.fail(said);
  const [, key, attempt] = /under the key (\S+), attempt (\d+)/.exec(said) ?? assert.fail(said);
  return { due, key, attempt };
}

async function killAndResume(t: TestContext, page: Page, folder: string, type: Type): Promise<void> {
  const finish = untilFinished(folder);
  const first = type(page.next('npx obbligato run'));
  const said = await first.says(/hello {2}│ Hello! .* attempt 1\n/);
  assert.match(await type(page.next('npx obbligato status')).ends(0), /^hello +running/m);
  // Any port that is free, so that no other program is in the way.
  const withPage = `${page.next('npx obbligato run --trace trace.jsonl --dashboard')} 0`;
  await type(page.next('kill -9 ').replace(/\d+$/, pidIn(said))).ends(0);
  await first.ends(null, 1, 137);
  assert.match(await type(page.next('npx obbligato status')).ends(0), /^hello +cut off +at the next start/m);
  const second = type(withPage);
  const resumed = await second.says(/hello {2}│ Hello! .* attempt \d+\n/);
  assert.match(resumed, /running; cut off: hello\n/);
  assert.match(resumed, /hello {2}started again, its last run was cut off/);
  // If another minute has begun meanwhile, the same start serves that one, too, and is new work (F4).
  const [before, after] = [workIn(said), workIn(resumed)];
  if (after.due === before.due) assert.deepEqual(after, { ...before, attempt: '2' });
  await lookAt(t, /http:\/\/\S+/.exec(resumed)?.[0] ?? assert.fail(resumed));
  finish();
  await second.says(/hello {2}done in /);
  process.kill(Number(pidIn(resumed)), 'SIGINT');
  await second.ends(0);
  const history = await type(page.next('npx obbligato history')).ends(0);
  assert.match(history, /cut off .* hello$/m);
  assert.match(history, /success .* hello$/m);
  // On a busy machine it blames the environment (3), never the scheduler (1).
  await type(page.next('npx obbligato check trace.jsonl')).ends(0, 3);
}

/** The page in a real browser: every task, and what it does. */
async function lookAt(t: TestContext, url: string): Promise<void> {
  const browser = await openBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  const row = (name: string) => page.locator('.row.body', { hasText: name });
  await row('report').waitFor();
  assert.match((await row('hello').textContent()) ?? '', /Every minute/);
  assert.match((await row('report').textContent()) ?? '', /Every 15 minutes/);
  await row('disk').waitFor();
  await page.close();
  assert.deepEqual(complaints, []);
}

/** The file of the page for node-cron becomes the one that the page shows, with something for its jobs to do; and it does it. */
async function migrate(page: Page, folder: string, type: Type): Promise<void> {
  const expressions = Array.from(
    page.file('jobs-before.js').matchAll(/schedule\('([^']+)'/g),
    ([, each]) => each,
  );
  assert.equal(expressions.length, 2);
  const explained = page.next("npx obbligato explain '0 */6");
  assert.ok(explained.includes(expressions[0]), 'the page explains the expression of its own file');
  const migrated = page
    .file('jobs.ts')
    .replaceAll(
      /^declare function (\w+)\(.*$/gm,
      `const $1 = async (..._: unknown[]): Promise<void> => console.log('$1 has run');`,
    );
  const posix = /In POSIX it is +(\S.*)\n/.exec(await type(explained).ends(0))?.[1];
  for (const expression of [posix, expressions[1]])
    assert.ok(migrated.includes(`'${expression}'`), expression);
  writeFileSync(join(folder, 'jobs.ts'), migrated.replace(/$/, `\nconsole.log('pid', process.pid);\n`));
  const jobs = type(page.next('node jobs.ts'));
  const said = await jobs.says(/^pid \d+\n/m);
  assert.match(
    await type(page.next('npx obbligato status jobs.db')).ends(0),
    /^backup +waiting[\s\S]*^sync +waiting/m,
  );
  await type(page.next('npx obbligato trigger sync')).ends(0);
  await jobs.says(/^sync has run\n/m);
  process.kill(Number(pidIn(said)), 'SIGTERM');
  await jobs.ends(0);
}
