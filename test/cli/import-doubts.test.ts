/** Crontabs about which `obbligato import` has its doubts: too long, without a job to carry over, a system's, or not for every cron. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { UniqueNames } from '../../src/cli/crontab/names.ts';
import { cli, type Ended, freshFolder } from './kit.ts';

async function imported(crontab: string, ...words: string[]): Promise<Ended & { readonly cwd: string }> {
  const cwd = freshFolder();
  writeFileSync(join(cwd, 'tab'), crontab);
  return { ...(await cli(['import', 'tab', ...words], { cwd })), cwd };
}

describe('obbligato import', () => {
  test('thousands of jobs of one name are written, each with a name of its own', async () => {
    const { code, stdout, cwd } = await imported('0 3 * * * /srv/backup.sh\n'.repeat(5000));
    assert.equal(code, 0);
    assert.match(stdout, /^5,000 tasks written/);
    const names = readFileSync(join(cwd, 'obbligato.config.ts'), 'utf8').match(
      /(?<=^ +task\(\{ name: ')[^']+/gm,
    );
    assert.equal(new Set(names).size, 5000);
    assert.ok(names?.includes('backup-5000'));
  });

  test('a name that is wanted hundreds of times is found without trying every number from 2 on', (t) => {
    const names = new UniqueNames();
    const has = t.mock.method(Set.prototype, 'has');
    for (let count = 0; count < 500; count++) names.take('backup');
    const looks = has.mock.callCount();
    has.mock.restore();
    assert.ok(looks >= 500 && looks < 1500, `${looks} looks`);
  });

  test('if no job can be carried over nothing is written, and each is told with its reason', async () => {
    const { code, stdout, stderr, cwd } = await imported('@reboot /srv/warm-up\n0 0 L * * /srv/last\n');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^Nothing was written: no job of tab could be carried over\n {2}line 1: left out: @reboot/,
    );
    assert.match(stderr, /\n {2}line 2: left out: the day field has the Quartz token "L"/);
    assert.ok(!existsSync(join(cwd, 'obbligato.config.ts')));
    const asJson = await imported('@reboot /srv/warm-up\n', '--json');
    const { out, tasks, leftOut } = JSON.parse(asJson.stdout);
    assert.deepEqual([asJson.code, out, tasks.length, leftOut.length], [1, null, 0, 1]);
  });

  test('a system crontab that is read as a user’s is suspected, by its users', async () => {
    const tab = '17 * * * * root cd / && run-parts /etc/cron.hourly\n5 0 * * * www-data /srv/poll\n';
    const said = (text: string): string => text.replace(/\s+/g, ' ');
    const doubted = await imported(tab);
    assert.equal(doubted.code, 0);
    assert.match(
      said(doubted.stdout),
      /this looks like a system crontab, which has a user before each command \("root" was taken for a program\): if it is one, import it with --system/,
    );
    assert.doesNotMatch(said((await imported(tab, '--system')).stdout), /looks like/);
    assert.doesNotMatch(said((await imported(`${tab}0 0 * * * /srv/backup\n`)).stdout), /looks like/);
  });

  test('what some crons refuse comes with a note', async () => {
    const { code, stdout } = await imported(
      '0 22-2 * * * /a\n0 0 * * sat-sun /b\n1,2,,3 * * * * /c\n0 0 * * 5-7 /d\n0 9-17/2 * * mon-fri /e\n',
    );
    assert.equal(code, 0);
    const notes = stdout.replace(/\n {2}(?!line)/g, ' ').match(/line \d+: .*/g);
    assert.deepEqual(notes, [
      'line 1: "22-2" was read as a range round the end; some crons refuse it, or never start the job',
      'line 2: "sat-sun" was read as a range round the end; some crons refuse it, or never start the job',
      'line 3: "1,2,,3" was read without its empty place; some crons refuse it',
    ]);
  });

  const IDIOMS: readonly (readonly [command: string, note: RegExp])[] = [
    ['[ "$(date -d tomorrow +\\%d)" = "01" ] && /srv/month-end', /give the task "days: lastDayOfMonth\(\)"/],
    ['test $(date -v+1d +\\%d) -eq 1 && /srv/month-end', /give the task "days: lastDayOfMonth\(\)"/],
    ['test -x /usr/sbin/anacron && anacron -s', /if its test says no it exits with 1/],
    ['[[ -f /srv/go ]] && /srv/run', /if its test says no it exits with 1/],
    [
      'flock -n /tmp/lock ./sync',
      /A task never overlaps itself, so it may not need the lock; else add "-E 0"/,
    ],
    ['/usr/bin/flock -xn 9 ./sync', /flock exits with 1/],
    ['df | grep -q 100% && ./alert', /if grep finds nothing/],
    ['pgrep nginx && systemctl reload nginx', /if there is no such process/],
  ];
  for (const [command, note] of IDIOMS) {
    test(`a command that exits with 1 although nothing is wrong gets a note: ${command}`, async () => {
      const { code, stdout } = await imported(`5 4 * * * ${command}\n`);
      assert.equal(code, 0);
      assert.match(stdout.replace(/\s+/g, ' '), new RegExp(`line 1: .*${note.source}`));
    });
  }

  for (const command of [
    '[ -f /srv/go ] && /srv/run || true',
    'if grep -q full /srv/state; then ./alert; fi',
    'flock -n -E 0 /tmp/lock ./sync',
    'cd /srv/app && ./test && ./run',
    'grep full /var/log/x > /srv/report; true',
    './date-of-tomorrow',
  ]) {
    test(`no note for ${command}`, async () => {
      const { code, stdout } = await imported(`5 4 * * * ${command}\n`);
      assert.equal(code, 0);
      assert.doesNotMatch(stdout, /line 1:/);
    });
  }

  test('CRON_TZ is the zone of its tasks; one that sets none stays in the zone of the host', async () => {
    const { code, cwd } = await imported(
      '0 1 * * * /a\nCRON_TZ=Asia/Tokyo\n0 2 * * * /b\nCRON_TZ=Europe/Stockholm\n0 3 * * * /c\n',
    );
    assert.equal(code, 0);
    const text = readFileSync(join(cwd, 'obbligato.config.ts'), 'utf8');
    assert.match(text, /name: 'a', cron: '0 1 \* \* \*', run: /);
    assert.match(text, /name: 'b', cron: '0 2 \* \* \*', timeZone: 'Asia\/Tokyo', run: /);
    assert.match(text, /name: 'c', cron: '0 3 \* \* \*', timeZone: 'Europe\/Stockholm', run: /);
    assert.doesNotMatch(text, /^ {2}timeZone:/m);
  });
});
