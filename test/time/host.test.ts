import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { agreeingZone } from '../../src/time/host-zone.ts';

/** What a program prints in a process of its own, whose `TZ` is set before it starts. */
const ask = (setting: string, program: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, TZ: setting },
    encoding: 'utf8',
  }).trim();
const show = "import { hostZoneName } from '../../src/time/host.ts'; console.log(hostZoneName());";

describe('the host’s zone', () => {
  test('B2 is the one that TZ names', () => {
    assert.equal(ask('America/Santiago', show), 'America/Santiago');
  });

  test('B2 is UTC, as Date’s is, where TZ names none', () => {
    assert.equal(ask('Foo/Bar', show), 'UTC');
  });

  test('B2 follows TZ when the process changes it', () => {
    assert.equal(ask('Asia/Tokyo', `process.env.TZ = 'Europe/Rome'; ${show}`), 'Europe/Rome');
    assert.equal(
      ask('Asia/Tokyo', `${show} process.env.TZ = 'Europe/Rome'; console.log(hostZoneName());`),
      'Asia/Tokyo\nEurope/Rome',
    );
  });

  for (const [setting, name] of [
    ['JST-9', '+09:00'],
    ['UTC+2', '-02:00'],
    ['GMT+3', '-03:00'], // Intl says +03:00
    ['GMT-3', '+03:00'],
    ['BST', 'UTC'], // Intl says Asia/Dhaka
  ] as const) {
    test(`B2 is the one in which Date runs, whatever Intl says: TZ=${setting} is ${name}`, () => {
      assert.equal(ask(setting, show), name);
    });
  }

  const sixOClock = `
    import { parseCron } from '../../src/cron/index.ts';
    const cron = parseCron('0 6 * * *');
    for (const month of [0, 6]) console.log(cron.next(new Date(Date.UTC(2026, month, 15))).getHours());`;
  for (const setting of [
    '/usr/share/zoneinfo/Asia/Tokyo',
    ':/usr/share/zoneinfo/Europe/Berlin',
    'GMT+3',
    'CET-1CEST,M3.5.0,M10.5.0/3',
    '<+0530>-5:30',
    'EST5EDT',
    '',
  ]) {
    test(`B2 six o’clock is six o’clock to Date, winter and summer: TZ=${setting}`, () => {
      assert.equal(ask(setting, sixOClock), '6\n6');
    });
  }

  test('B2 where TZ names no zone and no offset that has a name, it says so and what to do', () => {
    const program = `
      import { parseCron } from '../../src/cron/index.ts';
      try { parseCron('0 6 * * *'); } catch (error) { console.log(String(error)); }
      console.log(parseCron('0 6 * * *', { timeZone: 'Europe/Rome' }).timeZone);`;
    const [refused, given] = ask('XYZ+99', program).split('\n');
    assert.match(refused, /^HostTimeZoneError: .*TZ="XYZ\+99" names no IANA zone.*pass \{ timeZone: /);
    assert.equal(given, 'Europe/Rome');
  });

  test('B2 the host is asked once for every value of TZ', () => {
    const program = `
      import { hostZoneName } from '../../src/time/host.ts';
      const { getTimezoneOffset } = Date.prototype;
      let asked = 0;
      Date.prototype.getTimezoneOffset = function () { asked++; return getTimezoneOffset.call(this); };
      const counts = [];
      for (const setting of ['JST-9', 'Europe/Rome', 'XYZ+99', 'JST-9', 'Europe/Rome', 'XYZ+99']) {
        process.env.TZ = setting;
        asked = 0;
        try { hostZoneName(); } catch {}
        counts.push(asked > 0);
      }
      console.log(counts.join());`;
    assert.equal(ask('UTC', program), 'true,true,true,false,false,false');
  });
});

describe('which zone agrees with Date', () => {
  const now = Date.UTC(2026, 10, 15);
  const isSummer = (instant: number): boolean => new Date(instant).getUTCMonth() === 6;
  const ofBerlin = (instant: number): number => (isSummer(instant) ? 120 : 60);

  test('B2 the named one, if they agree winter and summer', () => {
    assert.equal(agreeingZone('Europe/Berlin', now, ofBerlin), 'Europe/Berlin');
    assert.equal(
      agreeingZone('Asia/Calcutta', now, () => 330),
      'Asia/Calcutta',
    );
  });

  test('B2 else a fixed offset, if Date has one', () => {
    assert.equal(
      agreeingZone('Europe/Berlin', now, () => 60),
      '+01:00',
    );
    assert.equal(
      agreeingZone(undefined, now, () => -570),
      '-09:30',
    );
    assert.equal(
      agreeingZone('Etc/Unknown', now, () => 0),
      'UTC',
    );
  });

  test('B2 else none: a daylight saving of its own, or an offset that has no name', () => {
    assert.equal(agreeingZone(undefined, now, ofBerlin), undefined);
    assert.equal(agreeingZone('Europe/London', now, ofBerlin), undefined);
    assert.equal(
      agreeingZone(undefined, now, () => -1440),
      undefined,
    );
    assert.equal(
      agreeingZone(undefined, now, () => 0.5),
      undefined,
    );
  });
});
