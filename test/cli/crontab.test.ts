/** Crontabs: how lines are read, how tasks are named, and how texts are written. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convert } from '../../src/cli/crontab/convert.ts';
import { readCrontab, splitAtPercent } from '../../src/cli/crontab/entries.ts';
import { nameOf } from '../../src/cli/crontab/names.ts';
import { quote } from '../../src/cli/crontab/write.ts';
import { fc } from '../property.ts';

describe('the lines of a crontab', () => {
  test('comments, blanks, variables and jobs', () => {
    const text = [
      '# a comment',
      '',
      '  PATH = /bin ',
      'QUOTED="  kept  "',
      "'ODD NAME'='x=y'",
      '*/5\t* * * *   echo hi  there ',
      '@daily echo "a # is no comment"',
      '-0 1 * * * quiet',
    ].join('\r\n');
    assert.deepEqual(readCrontab(text, 'user'), [
      { kind: 'comment', line: 1, text: 'a comment' },
      { kind: 'blank', line: 2 },
      { kind: 'variable', line: 3, name: 'PATH', value: '/bin' },
      { kind: 'variable', line: 4, name: 'QUOTED', value: '  kept  ' },
      { kind: 'variable', line: 5, name: 'ODD NAME', value: 'x=y' },
      {
        kind: 'job',
        line: 6,
        time: '*/5 * * * *',
        user: undefined,
        command: 'echo hi  there',
        stdin: undefined,
      },
      {
        kind: 'job',
        line: 7,
        time: '@daily',
        user: undefined,
        command: 'echo "a # is no comment"',
        stdin: undefined,
      },
      { kind: 'job', line: 8, time: '0 1 * * *', user: undefined, command: 'quiet', stdin: undefined },
    ]);
  });

  test('a system crontab has a user', () => {
    const [job, macro, short] = readCrontab(
      '17 * * * * root cd / && x\n@weekly app y\n0 0 * * * root\n',
      'system',
    );
    assert.deepEqual(job, {
      kind: 'job',
      line: 1,
      time: '17 * * * *',
      user: 'root',
      command: 'cd / && x',
      stdin: undefined,
    });
    assert.equal(macro.kind === 'job' && macro.user, 'app');
    assert.equal(short.kind === 'unreadable' && short.reason, 'it has no command');
  });

  test('a job that assigns a variable is a job', () => {
    const [entry] = readCrontab('0 0 * * * FOO=bar run', 'user');
    assert.equal(entry.kind === 'job' && entry.command, 'FOO=bar run');
  });

  test('what is too short is told by its line', () => {
    for (const text of ['0 0 * *', 'hello', '@daily', '* * * * *', '0 0 * * * %only input']) {
      assert.equal(readCrontab(text, 'user')[0].kind, 'unreadable', text);
    }
  });

  for (const [odd, name] of [
    ['\r', 'U+000D'],
    ['\u2028', 'U+2028'],
    ['\u0085', 'U+0085'],
  ]) {
    test(`${name} within a line: it is left out, and the reason says so`, () => {
      const reason = `it has ${name} in it, which breaks no line for cron: end the line there, or take it out`;
      for (const text of [`0 0 * * * a${odd}0 1 * * * b`, `0 0 * * *${odd}a`]) {
        const [entry] = readCrontab(text, 'user');
        assert.equal(entry.kind === 'unreadable' ? entry.reason : entry.kind, reason);
      }
    });
  }

  test('% begins the input and ends its lines, unless it is escaped', () => {
    const cases: ReadonlyArray<readonly [string, string, string | undefined]> = [
      ['date', 'date', undefined],
      ['date +\\%F', 'date +%F', undefined],
      ['cat%one%two', 'cat', 'one\ntwo\n'],
      ['cat%100\\% sure%', 'cat', '100% sure\n'],
      ['cat%', 'cat', undefined],
      ['printf "a\\nb"', 'printf "a\\nb"', undefined],
      ['echo \\\\%in', 'echo \\\\', 'in\n'],
    ];
    for (const [text, command, stdin] of cases)
      assert.deepEqual(splitAtPercent(text), { command, stdin }, text);
  });
});

describe('names of tasks', () => {
  const cases: Readonly<Record<string, string>> = {
    '/usr/local/bin/backup.sh --all': 'backup',
    'cd /srv/app && nice -n 10 ./backup.sh >> /var/log/x 2>&1': 'backup',
    'test -x /usr/sbin/anacron || run-parts --report /etc/cron.daily': 'run-parts-cron-daily',
    'FOO=1 BAR=2 php /srv/app/artisan schedule:run': 'artisan-schedule-run',
    'flock -n /tmp/x.lock /srv/bin/sync --fast': 'sync',
    'timeout 30 python3 -u /opt/jobs/fetch_news.py': 'fetch-news',
    'sudo -u app /opt/rotate': 'rotate',
    "bash -c 'cd /x && ./report.rb'": 'report',
    'curl -fsS https://example.com/ping': 'curl-example-com',
    'kubectl -n shop rollout restart deploy/web': 'kubectl-rollout',
    "python3 -c 'import nightly; nightly.run()'": 'python3',
    'node dist/jobs/nightly.mjs': 'nightly',
    '(cd /a; make all)': 'make-all',
    '!!!': 'task',
    日次バックアップ: '日次バックアップ',
  };
  for (const [command, name] of Object.entries(cases)) {
    test(`${command} is ${name}`, () => assert.equal(nameOf(command), name));
  }

  const SECRET = 'hunter2';
  const secretive = [
    `curl -u admin:${SECRET} https://api.example.com/run`,
    `curl -fsS -H "Authorization: Bearer ${SECRET}" https://api.example.com/run`,
    `curl -H 'X-Token: ${SECRET}' -d key=${SECRET} https://api.example.com`,
    `curl https://admin:${SECRET}@api.example.com/run`,
    `curl https://admin:p@ss${SECRET}@api.example.com:8443/`,
    `wget -q -O - "https://api.example.com/run?token=${SECRET}"`,
    `wget https://api.example.com/hooks/${SECRET}/run`,
    `curl https://api.example.com#${SECRET}`,
    `curl -u admin:${SECRET} api.example.com`,
    `PASSWORD=${SECRET} ./curl`,
    `PASSWORD="${SECRET}" ./curl`,
    `PASSWORD='${SECRET} and more' ./curl`,
    `PASSWORD=a\\;${SECRET} ./curl`,
    `PASSWORD="a;${SECRET}" ./curl`,
    `PASSWORD="a\\";${SECRET}" ./curl`,
    `env "PASSWORD=${SECRET} x" ./curl`,
    `npm --token ${SECRET} publish`,
    `git -c http.extraHeader="Authorization: ${SECRET}" fetch`,
    `kubectl --token=${SECRET} get pods`,
    `docker -H tcp://admin:${SECRET}@host run image`,
    `docker tcp://admin:${SECRET}@host/x`,
    `python3 -c "login('${SECRET}')"`,
    `node -e "login('${SECRET}')"`,
    `sshpass -p ${SECRET} ssh host backup`,
    `mysqldump -p${SECRET} shop`,
    `node --token ${SECRET} node.js`,
    `python3 --api-key ${SECRET} run`,
  ];
  for (const command of secretive) {
    test(`G5 no credential gets into the name: ${command}`, () => {
      assert.doesNotMatch(nameOf(command), new RegExp(SECRET));
      assert.match(nameOf(command), /^(curl|wget|npm|git|kubectl|docker|python3|node|sshpass|mysqldump)/);
    });
  }

  test('the host of an address stays in the name', () => {
    const named = secretive.map(nameOf).filter((name) => /api-example-com$/.test(name));
    assert.equal(named.length, 8);
  });

  test('no two tasks have the same', () => {
    const { tasks } = convert(readCrontab('0 1 * * * a\n0 2 * * * a\n0 3 * * * a-2\n0 4 * * * a\n', 'user'));
    const names = tasks.map(({ name }) => name);
    assert.equal(new Set(names).size, 4);
    assert.deepEqual(names.slice(0, 2), ['a', 'a-2']);
  });
});

describe('strings of TypeScript', () => {
  test('every text is read back by JavaScript', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom("'", '"', '\\', '\n', '\u2028', 'a', '%', '$') }),
        ),
        (text) => {
          // The literal is made by us from a text that a user's crontab could hold: this is how it will be read.
          assert.equal(new Function(`return ${quote(text)}`)(), text);
          assert.doesNotMatch(quote(text), /[\n\r\u2028\u2029]/);
        },
      ),
    );
  });
});
