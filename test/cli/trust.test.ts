/** A configuration is code. One that was found, and not named, must lie where only root and this user can put it. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { give, giveToGroup, isRoot, NOBODY } from '../unprivileged.ts';
import { cli, freshFolder } from './kit.ts';

const CODE = `console.log('CODE OF SOMEBODY ELSE');\nexport default { tasks: [['x', '0 6 * * *', () => {}, 1000]] };\n`;

/** A folder with a configuration, and one below it in which commands are called. */
function place(): { readonly above: string; readonly below: string; readonly config: string } {
  const above = freshFolder();
  const below = join(above, 'below');
  mkdirSync(below);
  const config = join(above, 'obbligato.config.mjs');
  writeFileSync(config, CODE);
  chmodSync(config, 0o644);
  chmodSync(above, 0o755);
  return { above, below, config };
}

interface Case {
  readonly what: string;
  readonly spoil: (place: { readonly above: string; readonly config: string }) => void;
  readonly says: RegExp;
}

const cases: Case[] = [
  {
    what: 'everybody may write',
    spoil: ({ config }) => chmodSync(config, 0o666),
    says: /everybody may write the file/,
  },
  {
    what: 'lies in a folder that everybody may write',
    spoil: ({ above }) => chmodSync(above, 0o1777),
    says: /everybody may write its folder/,
  },
];
// Only root can make a file of somebody else.
if (isRoot)
  cases.push({
    what: 'belongs to another user',
    spoil: ({ config }) => give(config, NOBODY),
    says: /the file belongs to another user \(65534\)/,
  });

describe('a configuration that was found, and', { concurrency: 2 }, () => {
  for (const { what, spoil, says } of cases) {
    test(`${what}: no command runs it, and each says how to name it; named, it is run`, async () => {
      const { above, below, config } = place();
      spoil({ above, config });
      for (const command of [['run'], ['list'], ['status'], ['health'], ['next', 'x']]) {
        const { code, stdout, stderr } = await cli(command, { cwd: below });
        assert.notEqual(code, 0, command[0]);
        assert.doesNotMatch(stdout + stderr, /SOMEBODY ELSE/, command[0]);
        assert.match(stderr, says, command[0]);
        assert.ok(stderr.includes(`--config ${config}`), stderr);
      }
      const doctor = await cli(['doctor', '--json'], { cwd: below });
      const { checks } = JSON.parse(doctor.stdout);
      const [cross] = checks.filter((check: { what: string }) => check.what === 'configuration');
      assert.equal(cross.ok, false);
      assert.match(cross.found, says);
      const named = await cli(['list', config], { cwd: below });
      assert.match(named.stdout + named.stderr, /SOMEBODY ELSE/);
      assert.equal(named.code, 0, named.stderr);
    });
  }

  test('a group may write: it is run, and doctor has a cross', async () => {
    const { above, below, config } = place();
    chmodSync(config, 0o664);
    // A group with the number of its user has no other member, and is no reason for a cross.
    const other = isRoot
      ? NOBODY.gid
      : (process.getgroups?.() ?? []).find((gid) => gid !== process.geteuid?.());
    if (other !== undefined) giveToGroup(config, other);
    const doctor = await cli(['doctor', '--json'], { cwd: below });
    const { checks } = JSON.parse(doctor.stdout);
    const [check] = checks.filter((each: { what: string }) => each.what === 'configuration');
    assert.equal(check.ok, other === undefined);
    if (!check.ok) assert.match(check.found, /a group may write the file/);
    rmSync(above, { recursive: true });
  });
});
