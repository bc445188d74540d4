/** Tests pass for every user and in every folder, so one place alone runs something as another user: test/unprivileged.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { list, read } from './tidy/sources.ts';

const otherUser = /\b[ug]id:|\bset(e|re)?[ug]id\b|\bl?chown(Sync)?\b|['"`](su|sudo|runuser|setpriv)['"`]/;

test('no test but through test/unprivileged.ts runs something as another user, or gives files to one', () => {
  const found = list('test/**/*.ts').filter((file) => otherUser.test(read(file)));
  assert.deepEqual(found, ['test/tidy-users.test.ts', 'test/unprivileged.ts']);
});

test('each way to do so is known', () => {
  const ways = [
    'spawn(program, { uid: 5 })',
    'process.setuid(5)',
    'process.seteuid?.(5)',
    "chownSync('file', 5, 5)",
    "execFileSync('chown', ['5', 'file'])",
    "spawn('su', ['postgres'])",
  ];
  assert.deepEqual(
    ways.filter((way) => !otherUser.test(way)),
    [],
  );
});
