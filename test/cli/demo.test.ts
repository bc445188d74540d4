/** `obbligato demo`: the schedule of examples/hello in a folder of its own, which is the same each time and nobody else's. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { begin, cli, freshFolder, root } from './kit.ts';
import { pressUntilLeft, Terminal } from './terminal.ts';

const here = (place: string): string => join(place, `obbligato-demo-${process.getuid?.()}`);

describe('obbligato demo', () => {
  test('runs in log lines, is killed, and goes on with what was cut off; a second one is refused meanwhile', async (t) => {
    const TMPDIR = freshFolder();
    const first = begin(['demo'], { env: { TMPDIR } });
    t.after(() => first.child.kill('SIGKILL'));
    const said = await first.says(/slow {2}│ twenty seconds of work, key \S+, attempt 1/);
    assert.ok(said.replaceAll('\n', ' ').includes(`their state is kept in ${here(TMPDIR)}.`), said);
    assert.equal(
      readFileSync(join(here(TMPDIR), 'obbligato.config.ts'), 'utf8'),
      readFileSync(join(root, 'examples/hello/obbligato.config.ts'), 'utf8'),
    );
    const refused = await cli(['demo', '--json'], { env: { TMPDIR } });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /obbligato\.db.*in use/);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = begin(['demo', '--json'], { env: { TMPDIR } });
    t.after(() => second.child.kill('SIGKILL'));
    const lines = await second.says(/"type":"TaskRunStarted".*"task":"slow".*"reason":"orphaned"/);
    for (const line of lines.trim().split('\n')) JSON.parse(line);
  });

  test('on a terminal it shows the live view; Ctrl-C twice leaves at once', async () => {
    const terminal = new Terminal(['demo'], { env: { TMPDIR: freshFolder() } });
    await terminal.shows(/slow +.*running/);
    assert.equal(await pressUntilLeft(terminal), 130);
  });

  test('uses no folder that others may write to, and no link', async () => {
    for (const prepare of [
      (path: string): void => {
        mkdirSync(path);
        chmodSync(path, 0o777);
      },
      (path: string): void => symlinkSync(freshFolder(), path),
    ]) {
      const TMPDIR = freshFolder();
      prepare(here(TMPDIR));
      const { code, stdout, stderr } = await cli(['demo'], { env: { TMPDIR } });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        /is not this user's alone, so the demo does not run what is in it\. Remove it, or/,
      );
      rmSync(TMPDIR, { recursive: true });
    }
  });
});
