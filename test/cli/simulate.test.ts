/** `obbligato simulate`: what it prints, how it ends, and that a failure comes with all that is needed to see it again. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createCounts, createWorld } from '../../src/simulation/index.ts';
import { editsOf } from '../faults/fault.ts';
import { planted } from '../faults/plant.ts';
import { MUTANTS } from '../simulation/mutants.ts';
import { begin, cli, root } from './kit.ts';
import { STUCK_WORLD } from './stuck-world.ts';
import { CTRL_C, pressUntilLeft, Terminal } from './terminal.ts';

/** A bug in the scheduler itself, planted as its sources are loaded; also by the threads that play. */
function wrong(mutant: string): Record<string, string> {
  const fault = MUTANTS.find(({ name }) => name === mutant);
  assert.ok(fault !== undefined, mutant);
  return planted(editsOf(fault));
}

describe('obbligato simulate', { concurrency: 2 }, () => {
  test('tells how many worlds, how fast, and how much of each fault', async () => {
    const { code, stdout, stderr } = await cli(['simulate', '--seeds', '30', '--seed', '5']);
    assert.equal(code, 0);
    assert.match(stdout, /^30 worlds from seed 5, each played twice, in [\d.]+ m?s\n✓ nothing is wrong\n\n/);
    assert.match(stdout, /^ {2}speed +[\d.]+ seeds\/s, time passes [\d,]+ times as fast$/m);
    assert.match(stdout, /^ {2}simulated +\d+ d( \d+ h)?, [\d,]+ starts, [\d,]+ events$/m);
    const faults = stdout.slice(stdout.indexOf('faults')).replace(/\s+/g, ' ');
    assert.match(faults, /^faults crashes [1-9]\d*, runs cut off \d+, .* batches lost \d+ $/);
    assert.equal(faults.split(',').length, Object.keys(createCounts()).length);
    const words = faults.slice('faults '.length).match(/[a-z][a-z ]*[a-z](?= \d)/g) ?? [];
    const page = readFileSync(join(root, 'docs/simulation.md'), 'utf8').replace(/[\d,]{3,}/g, '#');
    const unknown = words.filter((label) => !page.includes(`# ${label}`));
    // There the figures stand in sentences: "of them failed", and "lost" behind "batches torn". No record has a database that crashes yet.
    assert.deepEqual(unknown, ['failed stops', 'crashes of a database', 'batches lost']);
    assert.match(stderr, /^30 worlds from seed 5 on \d+ threads?; Ctrl-C ends it\n/);
    assert.match(stderr, /\n100 % 30 of 30 worlds, 0 s left\n$/);
  });

  test('no world is not a good one: no minutes are refused, and too few are told', async () => {
    const none = await cli(['simulate', '--minutes', '0']);
    assert.deepEqual([none.code, none.stdout], [2, '']);
    assert.match(none.stderr, /^error: --minutes takes a number above 0, such as --minutes 1\.5; got "0"\n/);
    const few = await cli(['simulate', '--minutes', '0.0000001']);
    assert.equal(few.code, 1);
    assert.match(
      few.stdout,
      /^0 worlds from seed 1, .*\n.*the time was up\n✗ nothing was played, so nothing is known\n/,
    );
  });

  test('as JSON: the same figures, whatever the machine', async () => {
    const { code, stdout } = await cli(['simulate', '--seeds', '3', '--seed', '7', '--json']);
    assert.equal(code, 0);
    const { wallMs, seedsPerSecond, timesFaster, faults, ...rest } = JSON.parse(stdout);
    assert.ok(wallMs > 0 && seedsPerSecond > 0 && timesFaster > 0);
    const worlds = await Promise.all([7, 8, 9].map((seed) => createWorld({ seed }).run()));
    const sum = (of: (world: (typeof worlds)[number]) => number): number =>
      worlds.reduce((total, world) => total + of(world), 0);
    assert.deepEqual(rest, {
      firstSeed: 7,
      outcome: 'all seeds were played',
      worlds: 3,
      starts: sum(({ starts }) => starts),
      events: sum(({ events }) => events),
      simulatedMs: sum(({ simulatedMs }) => simulatedMs),
      failures: 0,
      failingSeeds: [],
      firstFailure: null,
    });
    assert.equal(
      faults.crashes,
      sum(({ counts }) => counts.crashes),
    );
  });

  test('a failure comes with its seed, the command to see it again, its scenario cut down, and a test', async () => {
    const env = wrong('attempts are not counted');
    const { code, stdout, stderr } = await cli(['simulate', '--seeds', '6'], { env });
    assert.equal(code, 1);
    assert.match(stderr, /\nF4 is broken in the world of seed \d; .*\n\d+ % \d of 6 worlds, [1-6] failed, /);
    assert.match(stdout, /^6 worlds from seed 1, .*\n✗ \d worlds with a violation: seeds \d(, \d)*\n/);
    assert.match(stdout, /\nF4 in the world of seed 1: t4 works on /);
    assert.match(stdout, /\nsee it again: obbligato simulate --seeds 1 --seed 1\n/);
    const scenario = /\ncut down to seed 1: \d{4}-.*\n((?: {2}\+\d\d:\d\d:\d\d\.\d{3} .*\n)+)/.exec(stdout);
    assert.ok((scenario?.[1].split('\n').length ?? Number.POSITIVE_INFINITY) < 6, 'it was cut down');
    assert.match(
      stdout,
      /\nas a test:\nimport assert .*\n(import .*\n)+\ntest\("F4 seed 1", async \(\) => \{\n/,
    );
  });

  for (const options of [[], ['--cluster']])
    test(`simulate ${options.join()} prints each failing seed as soon as it is found`, async () => {
      const env = wrong('attempts are not counted');
      const { stdout, stderr } = await cli(['simulate', '--seeds', '6', ...options], { env });
      const found = [...stderr.matchAll(/^\w+ is broken in the world of seed (\d); see it again: (.*)$/gm)];
      const again = ['obbligato simulate', ...options, '--seeds 1 --seed'].join(' ');
      assert.ok(found.length > 1, `only ${found.length} were printed`);
      for (const [, seed, command] of found) assert.equal(command, `${again} ${seed}`);
      const seeds = found.map(([, seed]) => seed).toSorted();
      assert.match(stdout, new RegExp(`\n✗ \\d worlds with a violation: seeds ${seeds.join(', ')}\n`));
      // Each before the line that counts it, and not in the end.
      const counted = /\n\d+ % \d of 6 worlds, (\d) failed, /.exec(stderr);
      assert.equal(stderr.slice(0, counted?.index).match(/is broken/g)?.length, Number(counted?.[1]));
    });

  test('of very many failing seeds the first hundred are printed', async () => {
    const env = wrong('attempts are not counted');
    const { stderr } = await cli(['simulate', '--seeds', '150', '--json'], { env });
    assert.equal(stderr.match(/is broken in the world of seed/g)?.length, 100);
    assert.match(stderr, /\n100 worlds have failed; further ones are counted\n/);
    assert.match(stderr, /\n100 % 150 of 150 worlds, 1\d\d failed, /);
  });

  test('the command that it names shows the same failure; as JSON with the scenario, which fails by itself', async () => {
    const env = wrong('attempts are not counted');
    const { code, stdout } = await cli(['simulate', '--seeds', '1', '--seed', '1', '--json'], { env });
    assert.equal(code, 1);
    const { failures, firstFailure } = JSON.parse(stdout);
    assert.equal(failures, 1);
    assert.deepEqual(
      [firstFailure.seed, firstFailure.violation.rule, firstFailure.isCutDown, firstFailure.command],
      [1, 'F4', true, 'obbligato simulate --seeds 1 --seed 1'],
    );
    assert.ok(firstFailure.scenario.events.length < createWorld({ seed: 1 }).scenario.events.length);
    // Without the bug there is nothing to see in it.
    assert.deepEqual((await createWorld({ scenario: firstFailure.scenario }).run()).violations, []);
  });

  test('F1 a bug that ends the thread is a failure of its world, and the campaign goes on', async () => {
    const env = wrong('a task is free again while its callback runs');
    const { code, stdout } = await cli(['simulate', '--seeds', '6', '--json'], { env });
    assert.equal(code, 1);
    const { worlds, firstFailure } = JSON.parse(stdout);
    assert.equal(worlds, 6);
    assert.equal(firstFailure.violation.rule, 'F1');
    assert.match(firstFailure.violation.because, /^an error reached the process: /);
    assert.equal(firstFailure.isCutDown, false);
    assert.deepEqual(firstFailure.scenario, createWorld({ seed: 1 }).scenario);
  });

  test('Ctrl-C on a terminal ends it cleanly, with what was done, and takes its bar away', async () => {
    const terminal = new Terminal(['simulate', '--seeds', '1000000'], { rows: 40 });
    await terminal.shows(/│ +│ 0 % [1-9]\d* of 1,000,000 worlds, .* left/);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
    // On the screen each key press leaves a ^C, and many of them break the line.
    assert.match(terminal.raw, /Ending with what is being played; Ctrl-C again leaves at once/);
    assert.match(
      terminal.screen,
      /[1-9][\d,]* worlds? from seed 1, .*\n⚠ not all of them: it was interrupted\n✓ nothing/,
    );
    assert.match(terminal.screen, /\n {2}faults +crashes/);
    assert.doesNotMatch(terminal.screen, /│/);
  });

  test('a second Ctrl-C leaves at once, whatever is being played', async () => {
    const env = planted([STUCK_WORLD]);
    const terminal = new Terminal(['simulate'], { env });
    await terminal.shows(/a world is stuck/);
    assert.equal(await pressUntilLeft(terminal), 130);
    assert.match(terminal.screen, /Ending with what is being played; Ctrl-C again leaves at once/);
  });

  test('on a terminal failures stay above the bar, which counts them', async () => {
    const terminal = new Terminal(['simulate', '--seeds', '1000000'], {
      env: wrong('attempts are not counted'),
      columns: 120,
      rows: 40,
    });
    await terminal.shows(
      /F4 is broken in the world of seed \d+; see it again: .*\n│ +│ 0 % \d+ of 1,000,000 worlds, \d+ failed, /,
    );
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 1);
  });

  test('Ctrl-C while a scenario is cut down leaves it as it is, and tells all the rest', async () => {
    const terminal = new Terminal(['simulate', '--seeds', '1'], {
      env: wrong('attempts are not counted'),
      columns: 300,
      rows: 100,
    });
    await terminal.shows(/Cutting down the scenario of seed 1/);
    assert.match(
      terminal.screen,
      /F4 in the world of seed 1[\s\S]*see it again: obbligato simulate/,
      'told before',
    );
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 1);
    assert.match(terminal.raw, /not cut down:\S* seed 1: /);
  });

  test('SIGTERM does the same, and so does the time that was given', async () => {
    const running = begin(['simulate', '--seeds', '1000000', '--json']);
    const begun = new Promise<void>((resolve) => running.child.stderr?.once('data', () => resolve()));
    await begun;
    running.child.kill('SIGTERM');
    const { code, stdout } = await running.ended;
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).outcome, 'it was interrupted');
    const limited = await cli(['simulate', '--seeds', '1000000', '--minutes', '0.01', '--json']);
    const { outcome, worlds } = JSON.parse(limited.stdout);
    assert.equal(outcome, 'the time was up');
    assert.equal(limited.code, worlds > 0 ? 0 : 1, 'a slow machine may not have played one');
  });

  test('what makes no sense is refused, with an example, before anything is played', async () => {
    for (const [words, message] of [
      [['--seeds', 'many'], /--seeds takes a whole number from 1 to 999999999, .*; got "many"/],
      [['--seeds', '0'], /--seeds takes a whole number from 1/],
      [['--seed=-1'], /--seed takes a whole number from 0/],
      [['--minutes', 'soon'], /--minutes takes a number of 0 or more/],
      [['--sedes', '5'], /Unknown option --sedes: did you mean --seeds\?/],
      [['now'], /"simulate" does not know what to do with "now"/],
    ] as const) {
      const { code, stdout, stderr } = await cli(['simulate', ...words]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
      assert.match(stderr, /See "obbligato simulate --help"\./);
    }
  });
});
