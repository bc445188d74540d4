/** `obbligato check` of the traces of several instances (K9): one verdict on all of them. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Traced } from '../trace/cluster-traces.ts';
import { cli, folder } from './kit.ts';

let folders = 0;
function written(...traces: readonly Traced[]): { readonly cwd: string; readonly files: readonly string[] } {
  const cwd = join(folder, `cluster-${++folders}`);
  mkdirSync(cwd);
  const files = traces.map(({ id }) => `${id}.jsonl`);
  for (const [index, { text }] of traces.entries()) writeFileSync(join(cwd, files[index]), text);
  return { cwd, files };
}

const good = (): readonly Traced[] => [
  new Traced('a').join(0, ['t', 'u']).start(5, 't', '1'),
  new Traced('b')
    .join(1, ['t', 'u'])
    .start(6, 'u', '1')
    .end(20, 'u', '1')
    .gone(15_000, 'a')
    .start(15_100, 't', '2')
    .end(15_200, 't', '2')
    .stop(16_000),
];

/** Both run the same task at the same time. */
const twice = (): readonly Traced[] => [
  new Traced('a').join(0, ['t']).start(5, 't', '1').end(9000, 't', '1').stop(10_000),
  new Traced('b').join(1, ['t']).start(100, 't', '1').end(5000, 't', '1').stop(10_001),
];

describe('obbligato check of a cluster', () => {
  test('K9 judges the traces of all instances as one', async () => {
    const { cwd, files } = written(...good());
    const { code, stdout } = await cli(['check', ...files], { cwd });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^a\.jsonl \+ b\.jsonl/m);
    assert.match(stdout, /conformant/);
  });

  test('K9 --each judges every trace by itself', async () => {
    const { cwd, files } = written(...good());
    const { stdout } = await cli(['check', '--each', '--json', ...files], { cwd });
    assert.deepEqual(
      JSON.parse(stdout).traces.map(({ trace }: { trace: string }) => trace),
      files,
    );
  });

  test('K1 two current runs of one task are found, with file and line', async () => {
    const { cwd, files } = written(...twice());
    const { code, stdout } = await cli(['check', '--json', ...files], { cwd });
    assert.equal(code, 1);
    const [{ axioms, trace }] = JSON.parse(stdout).traces;
    assert.equal(trace, 'a.jsonl + b.jsonl');
    const [{ events }] = axioms.S1.violations;
    assert.deepEqual([events.at(-1).file, events.at(-1).line], ['b.jsonl', 4]);
  });

  test('K9 a name with * stands for the files that it fits, without their rotated ones and locks', async () => {
    const { cwd } = written(...good());
    for (const name of ['a.jsonl.lock', 'b.jsonl.1']) writeFileSync(join(cwd, name), '');
    const { code, stdout } = await cli(['check', '--json', '*.jsonl*'], { cwd });
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout).traces.length, 1);
  });

  test('K9 traces that cannot be merged are an error that names file and line', async () => {
    const [a] = good();
    const { cwd } = written(a);
    writeFileSync(join(cwd, 'copy.jsonl'), a.text);
    const { code, stderr } = await cli(['check', 'a.jsonl', 'copy.jsonl'], { cwd });
    assert.equal(code, 2);
    assert.match(
      stderr,
      /copy\.jsonl" has instance a in line 2, and so has .*a\.jsonl, line 2: give each trace once/,
    );
  });

  test('K9 a line that is no record is named by file and line', async () => {
    const [a, b] = good();
    b.lines.splice(3, 0, 'nonsense');
    const { cwd, files } = written(a, b);
    const { code, stdout } = await cli(['check', ...files], { cwd });
    assert.equal(code, 3, stdout);
    assert.match(stdout, /b\.jsonl, line 4: the line is not JSON: "nonsense"/);
  });
});
