/** `obbligato plan`: what the next start would change, and the exit code for scripts. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { planCommand } from '../../src/cli/commands/plan.ts';
import { control, sqlite } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, NOW, obbligato, root, writeConfig } from './commands-kit.ts';

/** A configuration with tasks `kept`, `changed` and `fresh`, and a store that has `kept`, `changed` and `gone`. */
async function deployment(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  t.after(() => process.chdir(root));
  const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
  const calm = { cron: '0 6 * * *', servedThrough: NOW, retryDelayMs: 60_000 };
  await session.commit({
    puts: [
      newRecord('kept', { ...calm, servedThrough: NOW - 86_400_000 }),
      newRecord('changed', calm),
      newRecord('gone', calm),
    ],
  });
  await session.close();
  writeConfig(
    folder,
    `timeZone: 'UTC', tasks: [
      ['kept', '0 6 * * *', nothing, minutes(1)],
      ['changed', '30 6 * * *', nothing, minutes(5)],
      ['fresh', '0 0 1 1 *', nothing, minutes(1)],
    ]`,
  );
  return folder;
}

describe('obbligato plan', () => {
  test('names what is new, changed and removed, and what starts at once, and exits with 3', async (t) => {
    const folder = await deployment(t);
    const { code, out } = await call(planCommand, [folder], { cwd: folder });
    assert.equal(
      out,
      `${join(folder, 'obbligato.db')}: no scheduler runs on it

+ fresh
~ changed: 0 6 * * * → 30 6 * * *, retry after 1 min → 5 min
- gone: its state is forgotten
> kept starts at once: something was due and has not been started

1 new, 1 changed, 1 removed, 1 unchanged, 1 started at once.
`,
    );
    assert.equal(code, 3);
    const document = JSON.parse((await call(planCommand, [folder, '--json'], { cwd: folder })).out);
    assert.deepEqual([document.changes, document.added, document.removed], [true, ['fresh'], ['gone']]);
    assert.deepEqual(document.starts, [{ name: 'kept', reason: 'due' }]);
  });

  test('exits with 0 when the store has the list already', async (t) => {
    const folder = await temporaryFolder(t);
    writeConfig(folder, `timeZone: 'UTC', tasks: [['rare', '0 0 29 2 *', nothing, 0]]`);
    assert.equal((await obbligato(t, ['plan'], { cwd: folder })).code, 3);
    const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
    await session.commit({
      puts: [newRecord('rare', { cron: '0 0 29 2 *', retryDelayMs: 0, servedThrough: Date.now() })],
    });
    await session.close();
    const same = await obbligato(t, ['plan'], { cwd: folder });
    assert.deepEqual([same.code, same.out.split('\n').at(-2)], [0, '1 unchanged.']);
  });

  test('I2 names a task that somebody has asked for', async (t) => {
    const folder = await deployment(t);
    await control(join(folder, 'obbligato.db')).run('changed', { wait: 0 });
    const { out } = await call(planCommand, [folder], { cwd: folder });
    assert.match(out, /^> changed starts at once: somebody asked for it$/m);
  });

  test('I6 says that the next start would refuse the list, and what lifts that', async (t) => {
    const folder = await temporaryFolder(t);
    const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
    await session.commit({ puts: Array.from({ length: 12 }, (_, at) => newRecord(`t${at}`)) });
    await session.close();
    writeConfig(folder, 'tasks: []');
    const { code, out } = await obbligato(t, ['plan'], { cwd: folder });
    assert.equal(code, 3);
    assert.match(
      out.replace(/\s+/g, ' '),
      /12 removed\. "obbligato run" would refuse this list and change nothing: .* --allow-removal\. $/,
    );
    assert.equal((await obbligato(t, ['run'], { cwd: folder })).code, 1);
    const refused = async (): Promise<unknown> =>
      JSON.parse((await obbligato(t, ['plan', '--json'], { cwd: folder })).out).refused;
    assert.equal(await refused(), true);
    writeConfig(folder, 'tasks: [], guardRemovals: false');
    assert.equal(await refused(), false);
  });

  test('a store that was deleted is not called one that does not exist yet', async (t) => {
    const folder = await deployment(t);
    const path = join(folder, 'obbligato.db');
    const session = await sqlite(path).open({ waitMs: 0 });
    rmSync(path);
    const held = await obbligato(t, ['plan'], { cwd: folder });
    assert.deepEqual([held.code, held.out], [1, '']);
    assert.match(held.err, /no store at .*, but a scheduler runs on it: it was deleted or moved away/);
    await session.close().catch(() => {}); // says that the file is gone
    const { code, out } = await obbligato(t, ['plan'], { cwd: folder });
    assert.equal(code, 3);
    assert.match(
      out.replace(/\s+/g, ' '),
      /it is gone, though its \.lock is there: .* the next start makes an empty one/,
    );
  });

  test('a damaged record is an error with the way out, as at a start', async (t) => {
    const folder = await deployment(t);
    const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('kept', { failures: -1 })] });
    await session.close();
    const { code, out, err } = await obbligato(t, ['plan'], { cwd: folder });
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /record of "kept" is damaged: .*\n.*"obbligato repair"/);
  });
});
