/** What a program that dies of an error of ours leaves on the terminal: one line that says it all, and each cause once (G1). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { StopSchedulerError, StoreFullError } from '../src/index.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'obbligato-printed-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const library = join(import.meta.dirname, '../src/index.ts');
const NAMES = 'createScheduler, memory, minutes, sqlite, task';
const HEADS = {
  mjs: `import { ${NAMES} } from ${JSON.stringify(library)};`,
  cjs: `const { ${NAMES} } = require(${JSON.stringify(library)});`,
} as const;

/** The lines that a program writes on its way out. Its code is a module, or not. */
function lastWords(kind: keyof typeof HEADS, code: string): readonly string[] {
  const file = join(folder, `dies.${kind}`);
  writeFileSync(file, `${HEADS[kind]}\n(async () => {\n${code}\n})();\n`);
  const { status, stderr } = spawnSync(process.execPath, ['--no-warnings', file], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 1, stderr);
  return stderr.split('\n');
}

const initialize = (list: string): string =>
  `await createScheduler({ store: memory(), logger: false }).initialize([['good', '0 3 * * *', () => {}, 0], ${list}]);`;

/** The code, the first line, how many causes are below it. */
const deaths: Readonly<Record<string, readonly [code: string, line: RegExp, causes: number]>> = {
  'an expression that is not POSIX': [
    initialize(`['x', '*/5 * * * *', () => {}, minutes(1)]`),
    /^CronExpressionInvalidError: tasks\[1\] \("x"\): Invalid cron expression "\*\/5 \* \* \* \*": minute field .*; write 0,5,10.*; cron\('\*\/5 \* \* \* \*'\) takes it as it is$/,
    2,
  ],
  'a store that is held': [
    `const [one, two] = [1, 2].map(() => createScheduler({ store: sqlite('held.db'), logger: false }));
    await one.initialize([]);
    await two.initialize([]);`,
    /^StoreLockedError: Store ".*held\.db" is in use by another scheduler \(pid \d+ on .*\): stop that one, give this one a store of its own, or/,
    1,
  ],
  'a zone that is none': [
    `createScheduler({ store: memory(), timeZone: 'Europe/Stokholm' });`,
    /^UnknownTimeZoneError: Unknown time zone "Europe\/Stokholm": did you mean "Europe\/Stockholm"\?$/,
    0,
  ],
  'a name that is there twice': [
    initialize(`task({ name: 'good', cron: '0 3 * * *', run() {} })`),
    /^ScheduleDuplicateTaskError: tasks\[1\] \("good"\): Task with name "good" is already scheduled; tasks\[0\] has the same name: give each task its own$/,
    0,
  ],
  'a store in a folder that is not there': [
    `await createScheduler({ store: sqlite('nowhere/jobs.db'), logger: false }).initialize([]);`,
    /^StoreUnwritableError: Store file ".*jobs\.db" cannot be written: its folder does not exist: create it first$/,
    0,
  ],
};

/** Two errors with ten places each, their particulars, and what Node writes around them. */
const MOST_LINES = 45;

describe('G1 the last words of a program', () => {
  for (const [what, [code, line, causes]] of Object.entries(deaths)) {
    for (const kind of ['mjs', 'cjs'] as const) {
      test(`${what}, in a .${kind}`, () => {
        const words = lastWords(kind, code);
        const first = words.find((each) => /^\w+Error: /.test(each)) ?? '';
        assert.match(first, line);
        assert.equal(words.filter((each) => each.includes('[cause]: ')).length, causes, words.join('\n'));
        assert.ok(words.length <= MOST_LINES, `${words.length} lines:\n${words.join('\n')}`);
      });
    }
  }

  test('each cause is printed once, and so is each particular', () => {
    const below = new Error('no room');
    const printed = inspect(new StopSchedulerError(new StoreFullError({ path: 'a.db' }, below)));
    assert.equal(printed.split('Error: no room').length, 2, printed);
    assert.equal(printed.split('StoreFullError: Store file').length, 2, printed);
    assert.equal(printed.split("path: 'a.db'").length, 2, printed);
  });
});
