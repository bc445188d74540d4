/** Which store and which zone `status`, `repair` and `forget` mean: of a store, of a configuration, of both, of one that is broken. */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect } from '../../src/index.ts';
import { fullRecord } from '../../src/store/conformance-kit.ts';
import { backups, DAMAGED_WORK, storeWith } from './damaged-store.ts';
import { cli, project } from './kit.ts';

const HINT = "UTC (the host's; give the configuration to read its zone)";
const TOKYO = `{ tasks: [], timeZone: 'Asia/Tokyo', store: 'jobs.db' }`;

/** A store `obbligato.db`, the same as `jobs.db`, and a configuration of another name than the usual one. */
async function jobs(t: Parameters<typeof storeWith>[0], ...damage: string[]): Promise<string> {
  const { folder, path } = await storeWith(t, ['work', 'b'].map(fullRecord), ...damage);
  copyFileSync(path, join(folder, 'jobs.db'));
  return project(TOKYO, { name: 'jobs.config.ts', into: folder });
}

describe('a configuration in place of a store', () => {
  test('status reads expressions in its zone, and its store; without one it says whose zone it is', async (t) => {
    const cwd = await jobs(t);
    const configured = await cli(['status', 'jobs.config.ts'], { cwd });
    assert.equal(configured.code, 0, configured.stderr);
    assert.match(configured.stdout, /^\S+jobs\.db: no scheduler runs on it, 2 tasks {2}Asia\/Tokyo\n/);
    const bare = await cli(['status', 'jobs.db'], { cwd });
    assert.ok(bare.stdout.includes(`2 tasks  ${HINT}\n`), bare.stdout);
    for (const [words, name, from] of [
      [['obbligato.db', '--config', 'jobs.config.ts'], 'obbligato.db', 'configuration'],
      [['--config', 'jobs.config.ts'], 'jobs.db', 'configuration'],
      [['jobs.config.ts', '--tz', 'Asia/Tokyo'], 'jobs.db', 'option'],
    ] as const) {
      const { stdout } = await cli(['status', ...words, '--json'], { cwd });
      const { location, timeZone, timeZoneFrom } = JSON.parse(stdout);
      assert.deepEqual([location, timeZone, timeZoneFrom], [join(cwd, name), 'Asia/Tokyo', from]);
    }
    assert.equal(JSON.parse((await cli(['status', '--json'], { cwd })).stdout).timeZoneFrom, 'host');
  });

  test('a database is a store whatever its name, and a module that is not there is a configuration', async (t) => {
    const cwd = await jobs(t);
    copyFileSync(join(cwd, 'jobs.db'), join(cwd, 'odd.ts'));
    assert.match(
      (await cli(['status', 'odd.ts'], { cwd })).stdout,
      /odd\.ts: no scheduler runs on it, 2 tasks/,
    );
    const missing = await cli(['status', 'nope.config.ts'], { cwd });
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /^error: There is no configuration at \S+nope\.config\.ts/);
  });

  test('a folder is its configuration, or the store in it', async (t) => {
    const cwd = await jobs(t);
    const store = await cli(['status', '.'], { cwd });
    assert.match(store.stdout, /^\S+\/obbligato\.db: no scheduler runs on it, 2 tasks {2}UTC/);
    project(TOKYO, { into: cwd });
    const configured = await cli(['status', cwd]);
    assert.match(configured.stdout, /^\S+\/jobs\.db: no scheduler runs on it, 2 tasks {2}Asia\/Tokyo\n/);
  });

  test('repair repairs, and forget forgets, in the store of the configuration alone', async (t) => {
    const cwd = await jobs(t, DAMAGED_WORK);
    const repaired = await cli(['repair', 'jobs.config.ts', '--yes'], { cwd });
    assert.equal(repaired.code, 0, repaired.stderr);
    assert.equal((await inspect(join(cwd, 'jobs.db'))).damaged.length, 0);
    assert.equal((await inspect(join(cwd, 'obbligato.db'))).damaged.length, 1);
    const forgotten = await cli(['forget', 'b', '--config', 'jobs.config.ts', '--yes'], { cwd });
    assert.equal(forgotten.code, 0, forgotten.stderr);
    assert.deepEqual(
      (await inspect(join(cwd, 'jobs.db'))).records.map(({ name }) => name),
      ['work'],
    );
  });
});

describe('a configuration that cannot be loaded', () => {
  test('does not hide the store beside it from status and repair, and they say what they look at', async (t) => {
    const { folder: cwd, path } = await storeWith(t, ['work', 'b'].map(fullRecord), DAMAGED_WORK);
    writeFileSync(join(cwd, 'obbligato.config.ts'), 'throw new Error("at the top");');
    const shown = await cli(['status'], { cwd });
    assert.equal(shown.code, 1, 'a record is damaged');
    assert.match(shown.stdout, /1 task[\s\S]*1 damaged record/);
    assert.match(
      shown.stderr,
      /^warning: \S+obbligato\.config\.ts:1 threw while it was loaded: at the top\n/,
    );
    assert.ok(shown.stderr.includes(`left aside, for ${path}; name another store`), shown.stderr);
    assert.equal((await cli(['repair', '--yes'], { cwd })).code, 0);
    assert.equal((await inspect(path)).damaged.length, 0);
  });

  test('forget wants to be told, and so does everybody if there is no such store, or it was named', async (t) => {
    const { folder: cwd } = await storeWith(t, [fullRecord('b')]);
    writeFileSync(join(cwd, 'obbligato.config.ts'), 'throw new Error("at the top");');
    const elsewhere = project('{', {});
    for (const [words, where] of [
      [['forget', 'b', '--yes'], cwd],
      [['status', 'obbligato.config.ts'], cwd],
      [['status'], elsewhere],
    ] as const) {
      const { code, stdout, stderr } = await cli(words, { cwd: where });
      assert.deepEqual([code, stdout], [2, ''], words.join(' '));
      assert.match(stderr, /^error: .*obbligato\.config\.ts/);
    }
    assert.deepEqual(backups(cwd), []);
  });
});
