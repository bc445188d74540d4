/** `obbligato doctor`: a tick or a cross for each thing, and the way out. */
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import type { Check } from '../../src/cli/doctor/check.ts';
import { checkClock, checkNode, checkZone, checkZoneData } from '../../src/cli/doctor/host.ts';
import { OLDEST_NODE } from '../../src/cli/versions.ts';
import { fullRecord, newRecord } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import { temporaryFolder } from '../store/kit.ts';
import { NOW, obbligato, program, root, schedulerProgram, writeConfig } from './commands-kit.ts';
import { inOneLine } from './kit.ts';

async function examined(
  t: TestContext,
  folder: string,
  env?: Record<string, string>,
): Promise<{ code: number | null; checks: Map<string, Check> }> {
  const { code, out } = await obbligato(t, ['doctor', '--json'], {
    cwd: folder,
    ...(env === undefined ? {} : { env }),
  });
  const { ok, checks } = JSON.parse(out);
  assert.equal(code, ok ? 0 : 1);
  for (const check of checks)
    assert.equal(check.ok, check.wayOut === undefined, 'a cross, and only a cross, has a way out');
  return { code, checks: new Map(checks.map((check: Check) => [check.what, check])) };
}

async function filled(folder: string, name = 'obbligato.db'): Promise<string> {
  const path = join(folder, name);
  const session = await sqlite(path).open({ waitMs: 0 });
  await session.commit({ puts: [fullRecord('a'), newRecord('b')] });
  await session.close();
  return path;
}

describe('obbligato doctor', () => {
  test('all is well, with and without a configuration and a store', async (t) => {
    const folder = await temporaryFolder(t);
    const bare = await obbligato(t, ['doctor'], { cwd: folder });
    assert.equal(bare.code, 0, bare.out);
    assert.match(inOneLine(bare.out), /✓ store .*obbligato\.db is not there yet; the first start makes it /);
    assert.match(bare.out, /\nAll is as a scheduler needs it\. .*"obbligato\s+health"\.\n$/s);
    writeConfig(folder, `tasks: [['x', '0 6 * * *', nothing, minutes(1)]], timeZone: 'Asia/Tokyo'`);
    await filled(folder);
    const { checks } = await examined(t, folder);
    assert.deepEqual(
      [...checks.keys()],
      [
        'node',
        'zone data',
        'configuration',
        'time zone',
        'clock',
        'place',
        'store',
        'lock',
        'schema',
        'records',
      ],
    );
    assert.match(checks.get('configuration')?.found ?? '', /obbligato\.config\.ts, 1 task$/);
    assert.equal(checks.get('time zone')?.found, 'Asia/Tokyo');
    assert.match(checks.get('lock')?.found ?? '', /^free/);
  });

  test('a running scheduler is no cross', async (t) => {
    const folder = await temporaryFolder(t);
    writeConfig(folder, `tasks: [], store: 'store.db'`);
    const scheduler = program(t, [schedulerProgram(folder, `['a', '0 0 1 1 *', () => {}, minutes(5)]`)], {
      cwd: folder,
    });
    await scheduler.says(/up\n/);
    const { code, checks } = await examined(t, folder);
    assert.equal(code, 0);
    assert.match(checks.get('lock')?.found ?? '', /^held by pid \d+ on .+ since 20/);
  });

  test('a store that was taken away from its scheduler is a cross', async (t) => {
    const folder = await temporaryFolder(t);
    writeConfig(folder, `tasks: [], store: 'store.db'`);
    const scheduler = program(t, [schedulerProgram(folder, `['a', '0 0 1 1 *', () => {}, minutes(5)]`)], {
      cwd: folder,
    });
    await scheduler.says(/up\n/);
    rmSync(join(folder, 'store.db'));
    const { code, checks } = await examined(t, folder);
    assert.equal(code, 1);
    assert.match(
      checks.get('store')?.found ?? '',
      /There is no store at ".*store\.db", but a scheduler runs on it: it was deleted or moved away$/,
    );
    const status = await obbligato(t, ['status', 'store.db'], { cwd: folder });
    assert.equal(status.code, 1);
    assert.match(status.err, /no store at .*, but a scheduler runs on it: it was deleted or moved away/);
  });

  test('E6 a file with two names is a cross, as a start refuses it', async (t) => {
    const folder = await temporaryFolder(t);
    linkSync(await filled(folder), join(folder, 'hard.db'));
    const { code, checks } = await examined(t, folder);
    assert.equal(code, 1);
    assert.match(
      checks.get('place')?.found ?? '',
      /has 2 names \(hard links\), so two schedulers could own it/,
    );
    assert.match(checks.get('place')?.wayOut ?? '', /^keep it under one name/);
    writeConfig(folder, `tasks: []`);
    assert.equal((await obbligato(t, ['run'], { cwd: folder })).code, 1);
  });

  test('E7 damaged records lead to repair', async (t) => {
    const folder = await temporaryFolder(t);
    const db = new DatabaseSync(await filled(folder));
    db.exec(`UPDATE task SET work_key = '' WHERE name = '"a"'`);
    db.close();
    const { checks } = await examined(t, folder);
    assert.match(checks.get('records')?.found ?? '', /^1 damaged record; a: .*work\.key/);
    assert.match(checks.get('records')?.wayOut ?? '', /obbligato repair/);
  });

  test('a file that is not ours, or too new, or a lock that is somebody’s, or a folder that is not there', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'obbligato.db');
    writeFileSync(path, 'no database, and long enough to be one. '.repeat(50));
    assert.match((await examined(t, folder)).checks.get('store')?.found ?? '', /is not a database/);
    const newer = await temporaryFolder(t);
    const db = new DatabaseSync(await filled(newer));
    db.exec('PRAGMA user_version = 99');
    db.close();
    const { checks } = await examined(t, newer);
    assert.match(checks.get('store')?.found ?? '', /schema version 99/);
    assert.match(checks.get('store')?.wayOut ?? '', /update obbligato/);
    const locked = await temporaryFolder(t);
    await filled(locked);
    writeFileSync(join(locked, 'obbligato.db.lock'), 'mine');
    assert.match((await examined(t, locked)).checks.get('lock')?.found ?? '', /is not empty/);
    const away = await temporaryFolder(t);
    writeConfig(away, `tasks: [], store: 'gone/x.db'`);
    const place = (await examined(t, away)).checks.get('place');
    assert.deepEqual([place?.ok, place?.wayOut], [false, 'create the folder']);
    const directory = await temporaryFolder(t);
    mkdirSync(join(directory, 'obbligato.db'));
    assert.match((await examined(t, directory)).checks.get('store')?.wayOut ?? '', /name a file in it/);
  });

  test('C4 a configuration that is wrong, with what to write instead', async (t) => {
    const folder = await temporaryFolder(t);
    writeConfig(folder, `tasks: [['x', '0 0 * * mon', nothing, 0]]`);
    const { code, out } = await obbligato(t, ['doctor'], { cwd: folder });
    assert.equal(code, 1);
    assert.match(out, /^✗ configuration/m);
    assert.match(out.replace(/\s+/g, ' '), /; write 1; cron\('0 0 \* \* mon'\) takes it as it is →/);
    assert.match(out, /\n1 problem\.\n$/);
    writeFileSync(join(folder, 'obbligato.config.ts'), 'throw new Error("at the top")');
    assert.match((await examined(t, folder)).checks.get('configuration')?.found ?? '', /at the top/);
    const named = await obbligato(t, ['doctor', 'nowhere.ts'], { cwd: folder });
    assert.equal(named.code, 1);
  });

  test('a configuration that is not there cannot be mended', async (t) => {
    const folder = await temporaryFolder(t);
    const { code, out } = await obbligato(t, ['doctor', 'nope.ts'], { cwd: folder });
    assert.equal(code, 1);
    assert.match(
      out.replace(/\s+/g, ' '),
      /✗ configuration There is no configuration at \S*nope\.ts\. → is the path right\?/,
    );
  });

  test('B2 a host without a zone of its own', async (t) => {
    const folder = await temporaryFolder(t);
    const { checks } = await examined(t, folder, { TZ: 'JST-9' });
    assert.equal(checks.get('time zone')?.found, "+09:00 (the host's)");
  });

  test('B2 a TZ that Node takes for something else is a cross, with what to write; not if the configuration has a zone', async (t) => {
    const folder = await temporaryFolder(t);
    for (const [setting, taken, instead] of [
      [':/usr/share/zoneinfo/Europe/Paris', '+01:00', 'Europe/Paris'],
      ['CET-1CEST', 'UTC', 'Europe/Paris'],
      ['bogus', 'UTC', 'Europe/Paris'],
      ['asia/tokyo', 'UTC', 'Asia/Tokyo'],
    ]) {
      const { code, checks } = await examined(t, folder, { TZ: setting });
      assert.deepEqual(
        [code, checks.get('time zone')],
        [
          1,
          {
            what: 'time zone',
            ok: false,
            found: `Node does not understand TZ=${setting}, and takes it for ${taken}`,
            wayOut: `write TZ=${instead}, or give the configuration a timeZone`,
          },
        ],
      );
    }
    for (const [setting, name] of [
      [':Europe/Paris', 'Europe/Paris'],
      ['UTC0', 'UTC'],
      ['', 'UTC'],
    ]) {
      const { checks } = await examined(t, folder, { TZ: setting });
      assert.equal(checks.get('time zone')?.found, `${name} (the host's)`);
    }
    writeConfig(folder, `tasks: [], timeZone: 'Asia/Tokyo'`);
    assert.equal((await examined(t, folder, { TZ: 'bogus' })).checks.get('time zone')?.ok, true);
  });
});

describe('the host', () => {
  test('Node is as new as package.json demands', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.equal(engines.node, `>=${OLDEST_NODE}`);
    for (const [version, ok] of [
      ['22.18.0', true],
      ['22.17.9', false],
      ['20.19.0', false],
      ['24.0.0', true],
      ['100.1.0', true],
    ] as const) {
      assert.equal(checkNode(version).ok, ok, version);
    }
  });

  test('B5 a clock is wrong that is in another age, or behind what was already served', () => {
    assert.equal(checkClock(NOW, []).ok, true);
    assert.equal(checkClock(0, []).ok, false);
    assert.equal(checkClock(Date.UTC(2200, 0, 1), []).ok, false);
    assert.equal(checkClock(NOW, [newRecord('a', { servedThrough: NOW + 60_000 })]).ok, true);
    const behind = checkClock(NOW, [newRecord('a', { servedThrough: NOW + 7_200_000 }), newRecord('b')]);
    assert.equal(behind.ok, false);
    assert.match(behind.found, /2 h behind what the store has already served/);
  });

  test('B2 a zone is known, or the one that was meant is told', () => {
    assert.equal(checkZone('Europe/Stockholm', undefined, NOW).ok, true);
    assert.match(checkZone('Europe/Stokholm', undefined, NOW).found, /did you mean "Europe\/Stockholm"/);
  });

  test('zone data may be a year old', () => {
    assert.equal(checkZoneData('2026c', NOW).ok, true);
    assert.equal(checkZoneData('2024a', NOW).ok, false);
    assert.equal(checkZoneData(undefined, NOW).ok, false);
  });
});
