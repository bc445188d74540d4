/**
 * The command of the benchmarks, run with real processes on benchmarks that take no time: fixtures/tiny.ts, which starts
 * fixtures/contender.ts, fixtures/printing.ts and fixtures/holding.ts.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ScenarioResult } from '../../bench/runner/result.ts';
import { until } from '../patience.ts';

const tiny = join(import.meta.dirname, 'fixtures/tiny.ts');
let folder = '';

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'obbligato-bench-test-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Files of one test. */
interface Place {
  readonly log: string;
  readonly out: string;
  readonly page: string;
}

function newPlace(): Place {
  const own = mkdtempSync(join(folder, 'place-'));
  const place = { log: join(own, 'log'), out: join(own, 'out'), page: join(own, 'page.md') };
  writeFileSync(place.log, '');
  writeFileSync(place.page, 'before\n<!-- bench: tiny-turns -->\nold\n<!-- /bench -->\nafter\n');
  return place;
}

interface Run extends Omit<Place, 'log'> {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** The names of the contenders that have run, with their processes. */
  log(): string[][];
  /** The command with other words, in the same place. */
  again(...words: string[]): Run;
}

const bench = (...words: string[]): Run => benchIn(newPlace(), words);

function benchIn(place: Place, words: readonly string[]): Run {
  const { log, out, page } = place;
  const child = spawn(process.execPath, [tiny, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, BENCH_LOG: log, BENCH_FOLDER: out, BENCH_PAGE: page },
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  return {
    child,
    ended: once(child, 'close').then(([code]) => ({ code, ...said })),
    log: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split(' ')),
    out,
    page,
    again: (...more) => benchIn(place, more),
  };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The process of a contender that has begun. */
async function pidOf({ log }: Run, name: string): Promise<number> {
  await until(() => log().some(([each]) => each === name));
  return Number(log().find(([each]) => each === name)?.[1]);
}

describe('npm run bench', { concurrency: 2 }, () => {
  test('the contenders take turns, each in a process of its own; what is found is printed, stored, and shown in the page', async () => {
    const run = bench('tiny-turns');
    const { code, stdout } = await run.ended;
    const order = run.log();
    assert.deepEqual(
      order.map(([name]) => name),
      ['ours', 'peer', 'limit', 'ours', 'peer', 'limit', 'ours', 'peer', 'limit'],
    );
    assert.equal(new Set(order.map(([, pid]) => pid)).size, 9);
    assert.match(stdout, /^ {4}ours +20 ms +10 ms – 30 ms +10× the limit$/m);
    assert.match(stdout, /^ {4}peer +50 ms +40 ms – 60 ms +2\.5× ours$/m);
    assert.match(stdout, /^ {4}limit +2 ms +1 ms – 3 ms$/m);
    assert.match(stdout, /^ {2}met: ours, time: 20 ms \(at most 1\/2 of "peer", 25 ms\)$/m);
    assert.match(stdout, /Node \d+\.\d+\.\d+, .*, \d+ × /);
    assert.equal(code, 0);

    const result: ScenarioResult = JSON.parse(readFileSync(join(run.out, 'tiny-turns.json'), 'utf8'));
    assert.deepEqual(result.contenders[0].figures.timeMs.samples, [30, 10, 20]);
    assert.match(readFileSync(join(run.out, 'tiny-turns.svg'), 'utf8'), /^<svg .*three that take turns/s);
    const page = readFileSync(run.page, 'utf8');
    assert.match(
      page,
      /^before\n[\s\S]*^\| \*\*ours\*\* \| 20 ms \(10 ms – 30 ms; 10× the limit\) \|[\s\S]*^after$/m,
    );
    assert.ok(!page.includes('old'));

    const chart = readFileSync(join(run.out, 'tiny-turns.svg'), 'utf8');
    writeFileSync(join(run.out, 'tiny-turns.svg'), '');
    writeFileSync(run.page, '<!-- bench: tiny-turns -->\n<!-- /bench -->\n');
    const redrawn = await run.again('--redraw').ended;
    assert.deepEqual([redrawn.code, run.log().length], [0, 9]);
    assert.equal(readFileSync(join(run.out, 'tiny-turns.svg'), 'utf8'), chart);
    assert.match(readFileSync(run.page, 'utf8'), /20 ms \(10 ms – 30 ms/);
  });

  test('a quick run is one run, and writes nothing', async () => {
    const run = bench('tiny-turns', '--quick');
    assert.match((await run.ended).stdout, /one run, quick/);
    assert.equal(existsSync(run.out), false);
    assert.equal(run.log().length, 3);
  });

  test('--json has every sample, and nothing else is on the standard output', async () => {
    const { code, stdout, stderr } = await bench('tiny-turns', 'printing', '--json', '--runs', '2').ended;
    const { environment, scenarios, programs, isInterrupted } = JSON.parse(stdout);
    assert.equal(environment.node, process.versions.node);
    assert.equal(isInterrupted, false);
    const [{ name, runs: asked, contenders, bounds }] = scenarios;
    assert.deepEqual({ name, asked }, { name: 'tiny-turns', asked: 2 });
    assert.deepEqual(contenders[1].figures.timeMs, {
      samples: [40, 60],
      median: 50,
      min: 40,
      max: 60,
      lowerQuartile: 45,
      upperQuartile: 55,
      toLimit: 25,
      toOurs: 2.5,
    });
    assert.equal(bounds.length, 2);
    assert.deepEqual(programs, [
      { name: 'printing', title: 'printing', exitCode: 1, output: 'so many per second\n' },
    ]);
    assert.match(stderr, /so many per second/);
    assert.equal(code, 1, 'a program that misses a bound is no success');
  });

  test('a contender that dies is reported, and the others go on', async () => {
    const run = bench('tiny-deaths');
    const { code, stdout } = await run.ended;
    assert.match(stdout, /FAILED: mortal: exit code 1: RangeError: its time has come/);
    assert.match(stdout, /FAILED: heir: it repeats what mortal has done, and that failed/);
    assert.match(stdout, /^ {4}mortal +2 ms +1 ms – 3 ms/m);
    assert.match(stdout, /^ {4}survivor +8 ms +7 ms – 9 ms/m);
    assert.equal(code, 1);
  });

  test('contenders that go together run at the same time', async () => {
    const { code, stdout } = await bench('together').ended;
    assert.match(stdout, /^ {4}one +4 ms/m);
    assert.match(stdout, /^ {4}other +5 ms/m);
    assert.equal(code, 0);
  });

  test('a contender that takes longer than its scenario allows is ended', async () => {
    const { code, stdout } = await bench('too-long').ended;
    assert.match(stdout, /FAILED: endless: .*it took longer than 0\.001 minutes/);
    assert.equal(code, 1);
  });

  test('results in which a contender has no figures are not written', async () => {
    const run = bench('doomed');
    assert.match(
      (await run.ended).stdout,
      /FAILED: dead[\s\S]*not written, because a contender has no figures/,
    );
    assert.equal(existsSync(run.out), false);
  });

  test('after Ctrl-C it says what was measured so far, and leaves no process and no file', async () => {
    const run = bench('hanging');
    const endless = await pidOf(run, 'endless');
    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.ended;
    assert.equal(code, 130);
    assert.match(stdout, /INTERRUPTED[\s\S]*^ {4}first +4 ms$/m);
    assert.match(stderr, /interrupted: what is above was measured until then/);
    await until(() => !isAlive(endless));
    assert.equal(existsSync(run.out), false);
  });

  test('if it is killed, what it has started ends too', async () => {
    const [waiting, holding] = [bench('hanging'), bench('holding')];
    const pids = [await pidOf(waiting, 'endless'), await pidOf(holding, 'holding')];
    for (const { child } of [waiting, holding]) child.kill('SIGKILL');
    await until(() => !pids.some(isAlive));
  });

  test('a wrong word is refused with the right ones, and exit code 2', async () => {
    const { code, stdout, stderr } = await bench('tiny-turn').ended;
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(
      stderr,
      /No benchmark is called "tiny-turn"\. Did you mean tiny-turns\? There are: tiny-turns, tiny-deaths, doomed, hanging, together, too-long, printing, holding/,
    );
  });

  test('--list names them, and the beginning of a name stands for all that have it', async () => {
    assert.match(
      (await bench('tiny', '--list').ended).stdout,
      /^tiny-turns +three that.*\ntiny-deaths .*\n$/,
    );
  });
});
