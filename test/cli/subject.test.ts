/** What `next` and `explain` are asked about in a project: its tasks by name, and its zone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../store/kit.ts';
import { obbligato, writeConfig } from './commands-kit.ts';

describe('obbligato next, in a project,', () => {
  test('of a task by its name, and of an expression in a project, in the zone of the configuration', async (t) => {
    const cwd = await temporaryFolder(t);
    writeConfig(cwd, `timeZone: 'Asia/Tokyo', tasks: [['backup', '30 2 * * *', nothing, 0]]`);
    const from = ['--from', '2027-03-27', '-n', '1'];
    const named = await obbligato(t, ['next', 'backup', ...from], { cwd });
    assert.equal(
      named.out,
      'backup\n30 2 * * *  Asia/Tokyo\n\n  Sat 2027-03-27 02:30 +09:00  in 2 h 30 min\n',
    );
    const typed = await obbligato(t, ['next', '30 2 * * *', ...from, '--json'], { cwd });
    const { timeZone, task, due } = JSON.parse(typed.out);
    assert.deepEqual([timeZone, task, due[0].at], ['Asia/Tokyo', undefined, '2027-03-26T17:30:00.000Z']);
    const asked = await obbligato(t, ['next', 'backup', ...from, '--tz', 'UTC', '--json'], { cwd });
    assert.deepEqual([JSON.parse(asked.out).timeZone, JSON.parse(asked.out).task], ['UTC', 'backup']);
    const explained = await obbligato(t, ['explain', 'backup'], { cwd });
    assert.match(explained.out, /^backup\n30 2 \* \* \*\n\nAt 02:30 every day, Asia\/Tokyo time\./);
    const misspelt = await obbligato(t, ['next', 'bakcup'], { cwd });
    assert.equal(misspelt.code, 2);
    assert.match(misspelt.err, /obbligato\.config\.ts has no task "bakcup": did you mean "backup"\?\n/);
  });

  test('a configuration that cannot be loaded does not hide what an expression means', async (t) => {
    const cwd = await temporaryFolder(t);
    writeConfig(cwd, `tasks: nonsense`);
    const { code, out, err } = await obbligato(t, ['next', '0 6 * * *', '-n', '1'], { cwd });
    assert.equal(code, 0);
    assert.match(out, /^0 6 \* \* \* {2}UTC\n/);
    assert.match(err, /^warning: .*nonsense is not defined\nwarning: the configuration is left aside\n$/);
    const asked = await obbligato(t, ['next', '0 6 * * *', '--tz', 'UTC'], { cwd });
    assert.equal(asked.err, '', 'with a zone nothing is asked of it');
  });
});
