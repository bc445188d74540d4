/** The published shape: what `npm pack` makes is installed into an empty folder and used from there, as a stranger would. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = dirname(import.meta.dirname);
const { exports: doors, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const subpaths = Object.keys(doors).filter((door) => door !== './package.json');
const nameOf = (subpath: string): string => subpath.replace(/^\./, 'obbligato');

describe('the package as published', () => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-package-'));
  let packed: { filename: string; files: { path: string }[] };

  before(async () => {
    const pack = await run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], {
      cwd: root,
    });
    [packed] = JSON.parse(pack.stdout.slice(pack.stdout.indexOf('[')));
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
    );
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`], {
      cwd: folder,
    });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('holds the built files and the papers, nothing else', () => {
    const strange = packed.files
      .map(({ path }) => path)
      .filter(
        (path) => !/^(dist\/.*\.(js|d\.ts)|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(path),
      );
    assert.deepEqual(strange, []);
    assert.deepEqual(engines, { node: '>=22.18' });
  });

  for (const subpath of subpaths) {
    test(`${nameOf(subpath)} is imported from ESM and required from CommonJS, with all that the source exports`, async () => {
      const source = await import(
        join(root, doors[subpath].default.replace('dist', 'src').replace(/\.js$/, '.ts'))
      );
      const expected = Object.keys(source).sort().join();
      writeFileSync(
        join(folder, 'esm.mjs'),
        `import * as door from '${nameOf(subpath)}'; console.log(Object.keys(door).sort().join());`,
      );
      writeFileSync(
        join(folder, 'cjs.cjs'),
        `console.log(Object.keys(require('${nameOf(subpath)}')).filter((key) => key !== '__esModule' && key !== 'module.exports').sort().join());`,
      );
      for (const file of ['esm.mjs', 'cjs.cjs']) {
        const { stdout, stderr } = await run(process.execPath, [file], { cwd: folder });
        assert.equal(stdout.trim(), expected, file);
        assert.equal(stderr, '', `${file} prints no warning`);
      }
    });
  }

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
      const zone: string | undefined = undefined;
      parseCron('0 6 * * 1-5', { timeZone: zone });
      void five; void posix;`;
    const imports = (keyword: string): string => `
      import { parseCron, rewriteCron${keyword} } from 'obbligato/cron';
      import { InvalidCronExpressionError, ObbligatoError } from 'obbligato';
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
          types: [],
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

  describe('the examples, run where the package is installed', () => {
    before(() => cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true }));
    const upcoming = (...words: string[]): Promise<{ stdout: string; stderr: string; code?: number }> =>
      run(process.execPath, ['examples/upcoming.ts', ...words], { cwd: folder }).catch((error) => error);

    test('executor.ts ends by itself, with every file looked at', async () => {
      const { stdout, stderr } = await run(process.execPath, ['examples/executor.ts'], { cwd: folder });
      assert.match(stdout, /♥/);
      assert.match(stdout, /index: \d+ lines so far\nfinished\n$/);
      assert.equal(stderr, '');
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
