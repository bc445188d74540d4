/** `obbligato import`, end to end: a crontab with everything in it becomes a configuration that type-checks and loads. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { importCommand } from '../../src/cli/commands/import.ts';
import { isCliError } from '../../src/cli/errors.ts';
import type { Policy } from '../../src/core/policy.ts';
import { checkRegistrations } from '../../src/core/registration.ts';
import { temporaryFolder } from '../store/kit.ts';
import { begin, call, obbligato, root } from './commands-kit.ts';

const everything = join(root, 'test/cli/fixtures/everything.crontab');

const library = join(root, 'src/index.ts');
/** Keeps what a configuration gives to `command`, for a test to look at. */
const spy = 'export const command = (line, options) => Object.assign(() => {}, { line, options });';

/** A folder in which `obbligato` is installed, with a `command` that runs nothing if it is to be spied on, and the crontab lies. */
async function project(t: TestContext, installs: 'the library' | 'a spy' = 'a spy'): Promise<string> {
  const folder = await temporaryFolder(t);
  const installed = join(folder, 'node_modules', 'obbligato');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(installed, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(
    join(installed, 'index.js'),
    `export * from ${JSON.stringify(pathToFileURL(library).href)};\n${installs === 'a spy' ? spy : ''}`,
  );
  copyFileSync(everything, join(folder, 'crontab'));
  return folder;
}

interface Loaded {
  readonly timeZone: string;
  readonly tasks: ReadonlyArray<{
    readonly name: string;
    readonly cron: string;
    readonly run: { readonly line: string; readonly options?: object };
    readonly retryDelayMs: number;
    readonly policy: Policy;
  }>;
}

/** As cron does: no second try, and each time of day once at a clock change. */
const AS_CRON = { clockChanges: 'once', retry: { max: 1 } };

const load = async (folder: string, file = 'obbligato.config.ts'): Promise<Loaded> =>
  (await import(pathToFileURL(join(folder, file)).href)).default;

describe('obbligato import', () => {
  test('a crontab with everything in it: what is carried over, and what is told', async (t) => {
    const folder = await project(t);
    const { code, out, err } = await obbligato(t, ['import', 'crontab'], { cwd: folder });
    assert.deepEqual([code, err], [1, ''], 'some jobs were left out');
    assert.match(
      out,
      /^11 tasks written to .*obbligato\.config\.ts, in Europe\/Stockholm, 4 jobs left out\n/,
    );
    const told = out.replace(/\n {2}(?!line)/g, ' ');
    for (const [line, what] of [
      [4, /MAILTO was left out/],
      [13, /left out: @reboot has no time/],
      [15, /"5\/20" was read as/],
      [16, /left out: cron takes "\*\/2" for a star/],
      [19, /left out: .*never due/],
      [20, /left out: it has fewer than five fields/],
    ] as const) {
      const said = told.split('\n').find((each) => each.startsWith(`  line ${line}: `));
      assert.match(said ?? '', what, `line ${line}`);
    }
    const { timeZone, tasks } = await load(folder);
    assert.equal(timeZone, 'Europe/Stockholm');
    const shell = '/bin/bash';
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
    assert.deepEqual(
      tasks.map(({ name, cron, run: { line, options }, policy }) => [
        name,
        cron,
        line,
        options,
        policy.stored,
      ]),
      [
        ['poll', '0,15,30,45 * * * *', '/srv/app/bin/poll.sh --quiet', { env, shell }, AS_CRON],
        [
          'backup',
          '0 3 * * 1-5',
          'cd /srv/app && nice -n 10 ./backup.sh >> /var/log/backup.log 2>&1',
          { env, shell },
          AS_CRON,
        ],
        ['poll-2', '30 4 1,15 1-6 *', '/srv/app/bin/poll.sh --full', { env, shell }, AS_CRON],
        [
          'artisan-schedule-run',
          '0 22-23,0-2 * * *',
          'php /srv/app/artisan schedule:run',
          { env, shell },
          AS_CRON,
        ],
        ['find', '0 0 * * *', '/usr/bin/find /tmp -mtime +7 -delete', { env, shell }, AS_CRON],
        [
          'mail',
          '0 9 * * 0',
          "mail -s 'It\\'s 100% Sunday' team",
          { env, shell, stdin: 'Good morning,\n\nhave a good week.\n' },
          AS_CRON,
        ],
        ['sync', '5,25,45 6 * * *', 'flock -n /tmp/sync.lock /srv/app/bin/sync', { env, shell }, AS_CRON],
        ['mondays', '0 0 * * 1', '/srv/app/bin/mondays', { env, shell }, AS_CRON],
        ['any-day', '0 0 1-31 * 1', '/srv/app/bin/any-day', { env, shell }, AS_CRON],
        [
          'echo',
          '0 6 13 * 5',
          'echo "$GREETING" # not a comment',
          { env: { ...env, GREETING: '  hello  ' }, shell },
          AS_CRON,
        ],
        [
          'tokyo',
          '0 6 * * *',
          '/srv/app/bin/tokyo',
          { env: { ...env, GREETING: '  hello  ' }, shell },
          { ...AS_CRON, timeZone: 'Asia/Tokyo' },
        ],
      ],
    );
    assert.equal(checkRegistrations(tasks).length, 11);
    const text = readFileSync(join(folder, 'obbligato.config.ts'), 'utf8');
    for (const comment of ['Jobs of the app', 'm h dom mon dow command', '0 5 * * * /srv/app/bin/retired']) {
      assert.ok(text.includes(`    // ${comment}\n`), comment);
    }
    assert.match(text, /LEFT OUT, line 13: @reboot.*\n {4}\/\/ {3}@reboot \/srv\/app\/bin\/warm-up\n/);
  });

  test('what it writes type-checks against the library, strictly', async (t) => {
    const folder = await project(t);
    await obbligato(t, ['import', 'crontab'], { cwd: folder });
    symlinkSync(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: 'nodenext',
          target: 'es2024',
          lib: ['es2025'],
          types: ['node'],
          exactOptionalPropertyTypes: true,
          allowImportingTsExtensions: true,
          skipLibCheck: true,
          paths: { obbligato: [library] },
        },
        files: ['obbligato.config.ts'],
      }),
    );
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch((error) =>
      assert.fail(error.stdout),
    );
  });

  test('an imported job runs: its shell, its directory, its environment, and the text behind %', async (t) => {
    const folder = await project(t, 'the library');
    writeFileSync(
      join(folder, 'crontab'),
      `SHELL=/bin/bash
HOME=${folder}
GREETING="  hello"
0 0 29 2 * cat > "$(basename "\${BASH:-sh}").txt"; echo "$GREETING, done"%Good morning,%have a good 100\\%.
`,
    );
    const imported = await obbligato(t, ['import', 'crontab'], { cwd: folder });
    assert.deepEqual([imported.code, imported.err], [0, '']);
    const run = begin(t, ['run'], { cwd: folder });
    await run.says(/running/);
    // By request, and so once: another run would empty the file before it writes it.
    await obbligato(t, ['trigger', 'cat', '--wait', '10m'], { cwd: folder });
    await run.says(/cat {2}│ {3}hello, done\n[^\n]* {2}cat {2}done in/);
    run.child.kill('SIGTERM');
    assert.equal((await run.ended).code, 0);
    assert.equal(readFileSync(join(folder, 'bash.txt'), 'utf8'), 'Good morning,\nhave a good 100%.\n');
  });

  test('from standard input, a system crontab, to standard output', async (t) => {
    const folder = await project(t);
    const { code, out, err } = await obbligato(
      t,
      ['import', '-', '--system', '--out', '-', '--retry', '60'],
      {
        cwd: folder,
        stdin: 'HOME=/srv\n17 * * * * root\tcd / && run-parts /etc/cron.hourly\n@monthly app ./bill\n',
      },
    );
    assert.equal(code, 0);
    writeFileSync(join(folder, 'from-stdin.ts'), out);
    const { tasks } = await load(folder, 'from-stdin.ts');
    assert.deepEqual(
      tasks.map(({ name, cron, run: { line, options }, retryDelayMs }) => [
        name,
        cron,
        line,
        options,
        retryDelayMs,
      ]),
      [
        [
          'run-parts-cron-hourly',
          '17 * * * *',
          'cd / && run-parts /etc/cron.hourly',
          { env: { HOME: '/srv' }, cwd: '/srv' },
          3_600_000,
        ],
        ['bill', '0 0 1 * *', './bill', { env: { HOME: '/srv' }, cwd: '/srv' }, 3_600_000],
      ],
    );
    assert.match(err, /line 2: this line ran as root/);
    assert.match(err, /line 3: this line ran as app/);
    assert.ok(!existsSync(join(folder, 'obbligato.config.ts')));
  });

  test('a file that is there is not written over, unless by force', async (t) => {
    const folder = await project(t);
    writeFileSync(join(folder, 'obbligato.config.ts'), 'precious');
    const refused = await obbligato(t, ['import', 'crontab'], { cwd: folder });
    assert.equal(refused.code, 2);
    assert.match(refused.err, /is there already: give another --out, or --force/);
    assert.equal(readFileSync(join(folder, 'obbligato.config.ts'), 'utf8'), 'precious');
    await obbligato(t, ['import', 'crontab', '--force'], { cwd: folder });
    assert.equal((await load(folder)).tasks.length, 11);
  });

  test('a crontab that is not there is said before anything of the file to write', async (t) => {
    const folder = await project(t);
    writeFileSync(join(folder, 'obbligato.config.ts'), 'precious');
    const { code, err } = await obbligato(t, ['import', 'nosuch'], { cwd: folder });
    assert.equal(code, 2);
    assert.match(err, /nosuch cannot be read: there is no such file/);
  });

  test('as JSON', async (t) => {
    const folder = await project(t);
    const { out } = await call(importCommand, ['crontab', '--json'], { cwd: folder });
    const { tasks, leftOut, timeZone, notes } = JSON.parse(out);
    assert.deepEqual([tasks.length, leftOut.length, timeZone], [11, 4, 'Europe/Stockholm']);
    assert.deepEqual(
      leftOut.map(({ line }: { line: number }) => line),
      [13, 16, 19, 20],
    );
    assert.ok(notes.every(({ line }: { line: number }) => line > 0));
  });

  test('one CRON_TZ for all is the zone; an unknown one leaves its jobs out', async (t) => {
    const folder = await project(t);
    writeFileSync(join(folder, 'one'), 'CRON_TZ=Asia/Tokyo\n0 6 * * * a\n');
    const one = await call(importCommand, ['one', '--out', 'one.ts', '--json'], { cwd: folder });
    assert.deepEqual([one.code, JSON.parse(one.out).timeZone], [0, 'Asia/Tokyo']);
    writeFileSync(join(folder, 'bad'), 'CRON_TZ=Asia/Tokio\n0 6 * * * a\nCRON_TZ=\n0 6 * * * b\n');
    const bad = await call(importCommand, ['bad', '--out', 'bad.ts', '--json'], { cwd: folder });
    const { timeZone, leftOut } = JSON.parse(bad.out);
    assert.deepEqual([bad.code, timeZone, leftOut.length], [1, null, 1]);
    assert.match(leftOut[0].reason, /did you mean "Asia\/Tokyo"/);
  });

  test('wrong words are refused with the way out', async (t) => {
    const folder = await project(t);
    const refused = async (words: readonly string[], message: RegExp): Promise<void> => {
      await assert.rejects(call(importCommand, words, { cwd: folder }), (error) => {
        assert.ok(isCliError(error, 'usage'));
        assert.match(error.message, message);
        return true;
      });
    };
    await refused(['nothing.crontab'], /no such file.*crontab -l \| obbligato import -/);
    await refused(['.'], /is a directory/);
    await refused(['crontab', '--retry', '0'], /--retry takes a whole number/);
    await refused(['crontab', '--out', '-', '--json'], /both write to standard output/);
    writeFileSync(join(folder, 'empty'), '# nothing\n');
    const empty = await call(importCommand, ['empty'], { cwd: folder });
    assert.deepEqual([empty.code, empty.err], [1, 'There is no job in empty; nothing was written\n']);
    assert.ok(!existsSync(join(folder, 'obbligato.config.ts')));
  });
});
