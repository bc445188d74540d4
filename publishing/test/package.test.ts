/** The packed package, used as strangers do: by compilers, bundlers' rules and older projects, by the examples, and by hand. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commands } from '../../src/cli/args/commands.ts';
import { CTRL_C, Terminal } from '../../test/cli/terminal.ts';
import { PROGRAMS, plays } from '../../test/package/bundled.ts';
import { type Packed, packInto, root, run } from '../../test/package/packed.ts';
import { Words } from '../../test/patience.ts';
import { strangersWalk } from './walk.ts';

/** Reads a stream until it has said something from now on; answers what was said. */
function saysThat(stream: Readable, pattern: RegExp): Promise<string> {
  const words = new Words();
  stream.on('data', (chunk: Buffer) => words.hear(chunk)).once('end', () => words.over());
  return words.says(pattern);
}

describe('the package as published', () => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-package-'));
  let packed: Packed;
  before(async () => {
    packed = await packInto(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('a consumer type-checks against it, from ESM and CommonJS, without skipLibCheck', async () => {
    const uses = `
      const cron = parseCron('0 6 * * 1-5', { timeZone: 'Europe/Stockholm' });
      const next: Date = cron.next(new Date());
      const five: Date[] = cron.occurrences(next).take(5).toArray();
      const posix: string | undefined = rewriteCron('@daily');
      try { parseCron('x'); } catch (error) {
        if (error instanceof InvalidCronExpressionError) { const field: string = error.field + error.details.reason; void field; }
        if (error instanceof ObbligatoError) { const details: object = error.details; void details; }
      }
      // @ts-expect-error an instant is a Date, not a number
      cron.next(5);
      defineConfig({ tasks: [
        ['a', '* * * * *', ({ signal, key }) => { const aborted: boolean = signal.aborted; const text: string = key; void aborted; void text; }, minutes(1)],
        ['b', '* * * * *', command('pg_dump', ['-Fc'], { onOutput: ({ task, line }) => { const text: string = task + line; void text; } }), 5],
      ] });
      const list = [task({ name: 'c', cron: '* * * * *', run: ({ reason }) => { const why: Reason = reason; void why; }, retry: { delay: minutes(1), max: 3 } })];
      createScheduler().initialize(list);
      createScheduler().initialize([...list, ['d', '* * * * *', async ({ attempt }) => { void (attempt + 1); }, minutes(1)]]);
      // @ts-expect-error a task is a tuple
      defineConfig({ tasks: [{ name: 'a' }] });
      const zone: string | undefined = undefined;
      parseCron('0 6 * * 1-5', { timeZone: zone });
      void five; void posix;`;
    const imports = (keyword: string): string => `
      import { parseCron, rewriteCron${keyword} } from 'obbligato/cron';
      import { command, createScheduler, defineConfig, InvalidCronExpressionError, minutes, ObbligatoError, type Reason, task } from 'obbligato';
      import * as everything from 'obbligato'; void everything;`;
    mkdirSync(join(folder, 'types'), { recursive: true });
    writeFileSync(join(folder, 'types', 'esm.mts'), imports(', type CronExpression') + uses);
    writeFileSync(join(folder, 'types', 'cjs.cts'), imports('') + uses);
    writeFileSync(
      join(folder, 'types', 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: 'nodenext',
          target: 'es2024',
          lib: ['es2025'],
          // The types of a library for Node speak of Node's own.
          types: ['node'],
          typeRoots: [join(root, 'node_modules', '@types')],
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
        },
        include: ['*'],
      }),
    );
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    await run(process.execPath, [compiler, '-p', 'types'], { cwd: folder }).catch((error) =>
      assert.fail(error.stdout),
    );
  });

  test('publint and attw have nothing to say: every kind of resolution finds the code and its types', async () => {
    const bins = join(root, 'publishing', 'node_modules', '.bin');
    for (const [bin, ...words] of [
      ['publint', '--strict', packed.tarball],
      ['attw', '--no-emoji', '--format', 'table-flipped', packed.tarball],
    ])
      await run(process.execPath, [join(bins, bin), ...words], { cwd: folder }).catch((error) =>
        assert.fail(`${error.stdout}${error.stderr}`),
      );
  });

  // Older projects, NestJS among them: CommonJS, and resolutions that do not know "exports" or do not let CommonJS import ES modules.
  for (const [name, options] of [
    ['node10', { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' }],
    ['node16', { module: 'node16', moduleResolution: 'node16' }],
  ] as const) {
    test(`a CommonJS project in TypeScript with the resolution ${name} type-checks, compiles and runs`, async () => {
      const project = join(folder, `commonjs-${name}`);
      mkdirSync(project);
      writeFileSync(join(project, 'package.json'), '{ "name": "older", "private": true }');
      writeFileSync(
        join(project, 'main.ts'),
        `import { createScheduler, memory, ObbligatoError, type Registration } from 'obbligato';
        import { parseCron } from 'obbligato/cron';
        const tasks: Registration[] = [['a', '* * * * *', ({ key }) => console.log(key.length > 0), 1000]];
        const scheduler = createScheduler({ store: memory(), timeZone: 'UTC' });
        // @ts-expect-error it is a function
        export const wrong = () => createScheduler.initialize();
        const next: Date = parseCron('0 6 * * *', { timeZone: 'UTC' }).next(new Date(0));
        scheduler.initialize(tasks).then(() => scheduler.stop()).then(() =>
          scheduler.initialize('none' as never).catch((error) => console.log(next.getTime(), error instanceof ObbligatoError)));
        `,
      );
      writeFileSync(
        join(project, 'tsconfig.json'),
        JSON.stringify({
          compilerOptions: {
            ...options,
            strict: true,
            target: 'es2022',
            lib: ['es2025'],
            outDir: 'out',
            types: ['node'],
            typeRoots: [join(root, 'node_modules', '@types')],
          },
        }),
      );
      const compiler = join(root, 'node_modules', 'typescript6', 'bin', 'tsc');
      await run(process.execPath, [compiler, '-p', '.'], { cwd: project }).catch((error) =>
        assert.fail(error.stdout),
      );
      const { stdout } = await run(process.execPath, ['out/main.js'], { cwd: project });
      assert.equal(stdout, '21600000 true\n');
    });
  }

  test('a trace is recorded, watched by its thread, and read, from the built files', async () => {
    const program = `
      import { readTrace, traceFile } from 'obbligato';
      const trace = traceFile('built.jsonl', { frozenAfter: 50 });
      const stop = () => trace({ event: 'StopStart', at: Date.now(), call: 1 });
      const events = async () => (await Array.fromAsync(readTrace('built.jsonl'))).map(({ record }) => record.event);
      do {
        const until = Date.now() + 100;
        while (Date.now() < until);
        stop();
      } while (!(await events()).includes('Frozen'));
      await trace.close();
      console.log((await events()).join());`;
    writeFileSync(join(folder, 'trace.mjs'), program);
    const { stdout, stderr } = await run(process.execPath, ['trace.mjs'], { cwd: folder });
    // On a busy machine there may be more freezes, before the file is closed.
    assert.match(stdout, /Frozen,StopStart(,Frozen)*\n$/);
    assert.equal(stderr, '');
  });

  for (const [bundler, format] of [
    ['rollup', 'esm'],
    ['rollup', 'cjs'],
    ['webpack', 'esm'],
    ['webpack', 'cjs'],
  ] as const)
    test(`a bundle by ${bundler} runs in an empty folder: ${format}`, async () => {
      const program = join(folder, 'bundled.mjs');
      writeFileSync(program, PROGRAMS.esm);
      const bundle = join(folder, `${bundler}.${format === 'esm' ? 'mjs' : 'cjs'}`);
      const maker = fileURLToPath(new URL('./bundle-with.ts', import.meta.url));
      await run(process.execPath, [maker, bundler, format, program, bundle]).catch(({ stderr }) =>
        assert.fail(stderr),
      );
      await plays(bundle);
    });

  test('a stranger walks from the tarball through install, init, run, kill, resume, history and the page to a migrated file', (t) =>
    strangersWalk(t, packed.tarball));

  describe('the examples, run where the package is installed', () => {
    before(() =>
      cpSync(join(root, 'examples'), join(folder, 'examples'), {
        recursive: true,
        filter: (path) => !path.includes(join('examples', 'judge-others')),
      }),
    );
    const upcoming = (...words: string[]): Promise<{ stdout: string; stderr: string; code?: number }> =>
      run(process.execPath, ['examples/upcoming.ts', ...words], { cwd: folder }).catch((error) => error);

    const bin = join(folder, 'node_modules', '.bin', 'obbligato');
    const obbligato = (...words: string[]) =>
      spawn(process.execPath, [bin, ...words], { cwd: folder, env: { ...process.env, TZ: 'UTC' } });

    test('every command that the bin lists is there, and explains itself', async () => {
      const { stdout: overall } = await run(process.execPath, [bin, '--help'], { cwd: folder });
      const listed = /^Commands\n((?: {2}.*\n)+)/m.exec(overall)?.[1] ?? '';
      const names = [...listed.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
      assert.deepEqual(names, Object.keys(commands));
      for (const name of names) {
        const { stdout } = await run(process.execPath, [bin, name, '--help'], { cwd: folder });
        assert.match(stdout, new RegExp(`^Usage: obbligato ${name}\\b`, 'm'));
      }
      const { stdout } = await run(process.execPath, [bin, 'check', 'built.jsonl', '--json'], {
        cwd: folder,
      }).catch((error) => error);
      // Whether the environment is blamed for the trace of the test before depends on the freezes in it.
      assert.match(JSON.parse(stdout).traces[0].blame, /^(none|environment)$/);
    });

    test('simulate plays its worlds in threads of the built files', async () => {
      const { stdout } = await run(process.execPath, [bin, 'simulate', '--seeds', '4', '--json'], {
        cwd: folder,
      });
      const { worlds, failures, starts } = JSON.parse(stdout);
      assert.deepEqual([worlds, failures], [4, 0]);
      assert.ok(starts > 0);
    });

    test('the configuration of npm start runs at once, resumes after kill -9, and Ctrl-C lets it end', async () => {
      const first = obbligato('run', 'examples/hello');
      const said = await saysThat(
        first.stdout,
        /hello {2}│ Hello![\s\S]*slow {2}│ twenty seconds of work, key \S+, attempt 1/,
      );
      // What is due when it begins is not put off to the next minute.
      const running = /T(\S+)Z {2}obbligato {2}running/.exec(said)?.[1];
      const due = /hello {2}started \(due (\S+)\)/.exec(said)?.[1];
      const agoMs = Date.parse(`2000-01-02T${running}Z`) - Date.parse(`2000-01-02T${due}Z`);
      assert.ok((agoMs + 86_400_000) % 86_400_000 < 43_200_000, said);
      first.kill('SIGKILL');
      await once(first, 'exit');
      const second = obbligato('run', 'examples/hello');
      const output = await saysThat(second.stdout, /slow {2}started again, its last run was cut off/);
      assert.match(output, /cut off: .*slow/);
      const rest = saysThat(second.stdout, /stopping: waiting for .*slow/);
      second.kill('SIGINT');
      await rest;
      second.kill('SIGKILL');
      await once(second, 'exit');
    });

    test('under npm one Ctrl-C stops in order', async () => {
      writeFileSync(
        join(folder, 'obbligato.config.mjs'),
        `export default { store: 'npm.db', tasks: [['two seconds', '* * * * *', () => new Promise((resolve) => setTimeout(resolve, 2000)), 0]] };`,
      );
      const terminal = new Terminal([], {
        cwd: folder,
        program: ['npm', 'exec', '--offline', '--', 'obbligato', 'run'],
        env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
      });
      await terminal.shows(/two seconds +running/);
      terminal.press(CTRL_C);
      await terminal.exited;
      assert.match(terminal.screen, /stopped, everything is durable/);
    });

    test('library.ts runs at once, resumes after kill -9, and Ctrl-C lets it end', async () => {
      const library = () => spawn(process.execPath, ['examples/library.ts', 'library.db'], { cwd: folder });
      const first = library();
      await saysThat(first.stdout, /TaskRunStarted +task=slow reason=due/);
      first.kill('SIGKILL');
      await once(first, 'exit');
      const second = library();
      const output = await saysThat(second.stdout, /TaskRunStarted +task=slow reason=orphaned/);
      assert.match(output, /orphaned=.*slow/);
      const rest = saysThat(second.stdout, /SchedulerStopped/);
      second.kill('SIGINT');
      assert.match(await rest, /Stopping: waiting for what runs/);
      assert.deepEqual(await once(second, 'exit'), [0, null]);
    });

    test('library.ts says which file another process holds, and exits with 1', async () => {
      const owner = spawn(process.execPath, ['examples/library.ts', 'held.db'], { cwd: folder });
      await saysThat(owner.stdout, /Running/);
      const { stderr, code } = await run(process.execPath, ['examples/library.ts', 'held.db'], {
        cwd: folder,
      }).catch((error) => error);
      assert.equal(code, 1);
      assert.match(stderr, /held\.db/);
      owner.kill('SIGKILL');
      await once(owner, 'exit');
    });

    test('executor.ts ends by itself, with every file looked at', async () => {
      const { stdout, stderr } = await run(process.execPath, ['examples/executor.ts'], { cwd: folder });
      assert.match(stdout, /♥/);
      assert.match(stdout, /index: \d+ lines so far\nfinished\n$/);
      assert.equal(stderr, '');
    });

    test('telemetry.ts shows metrics, pings and a channel, and ends by itself', async () => {
      const { stdout, stderr } = await run(process.execPath, ['examples/telemetry.ts'], { cwd: folder });
      for (const line of [
        'ping: /5f1b0c9e/start',
        'ping: /5f1b0c9e',
        'channel: report failed: Error: no paper',
        'obbligato_runs_total{outcome="success",task="backup"} 1',
        'obbligato_runs_total{outcome="failure",task="report"} 1',
      ])
        assert.ok(stdout.split('\n').includes(line), `${line} in\n${stdout}`);
      assert.equal(stderr, '');
    });

    test('testing.ts passes: weeks, a crash and a clock change, without waiting', async () => {
      // Within a test run, node:test would report to this one instead of to people.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const { stdout } = await run(process.execPath, ['--test', 'examples/testing.ts'], {
        cwd: folder,
        env,
      });
      assert.match(stdout, /pass 4\n/);
    });

    test('upcoming.ts shows what is due', async () => {
      const { stdout, stderr } = await upcoming();
      assert.match(stdout, /^30 2 \* \* 1-5\nAt 02:30 on Monday to Friday, .* time\./);
      assert.equal(stdout.match(/^ {2}\d{4}-\d\d-\d\dT/gm)?.length, 5);
      assert.equal(stderr, '');
    });

    test('upcoming.ts rewrites what is not POSIX, in the zone that was asked for', async () => {
      const { stdout } = await upcoming('*/30 * * * *', 'Asia/Kathmandu');
      assert.match(stdout, /in POSIX it is "0,30 \* \* \* \*"/);
      assert.match(stdout, /Every 30 minutes, Asia\/Kathmandu time\./);
    });

    test('upcoming.ts says what is wrong, and exits with 1', async () => {
      const { stderr, code } = await upcoming('61 * * * *');
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^Invalid cron expression "61 \* \* \* \*": minute field has the value 61, which is outside 0-59\n$/,
      );
      assert.equal((await upcoming('* * * * *', 'Mars/Olympus')).code, 1);
    });

    test('upcoming.ts sends no control character to the terminal, whatever was asked', async () => {
      const answers = [
        await upcoming('\u001b[31m * * * *'),
        await upcoming('*/5\u0085* * * *'),
        await upcoming('0\t0 * * *'),
        await upcoming('* * * * *', 'Mars/\u001b[2J'),
        await upcoming('*/30 *\r* * *'),
      ];
      for (const { stdout, stderr } of answers) assert.doesNotMatch(`${stdout}${stderr}`, /(?!\n)\p{C}/u);
      assert.match(answers[0].stderr, /\\u\{1b\}\[31m/);
      assert.match(answers[4].stdout, /\\u\{d\}.*in POSIX it is "0,30 \* \* \* \*"/);
    });
  });
});
