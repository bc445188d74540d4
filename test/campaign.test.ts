/** `npm run campaign`: real processes, of the real table and of one whose campaigns come to every end. */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { Words } from './patience.ts';

const root = dirname(import.meta.dirname);
const REAL = 'scripts/campaign.ts';
const FIXTURE = 'test/fixtures/campaigns.ts';
const LINE_END = ', commit 0123abc\\+changes, Node [\\d.]+, [\\d.]+ m?s: ';

const folder = mkdtempSync(join(tmpdir(), 'obbligato-campaign-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let state = '';
beforeEach(() => {
  state = mkdtempSync(join(folder, 'state-'));
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

class Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #out = new Words();
  readonly #err = new Words();

  constructor(program: string, words: readonly string[], env: Readonly<NodeJS.ProcessEnv> = {}) {
    this.child = spawn(process.execPath, [join(root, program), ...words, '--state', state], {
      env: { ...process.env, ...env },
    });
    this.child.stdout.on('data', (text) => this.#out.hear(text));
    this.child.stderr.on('data', (text) => this.#err.hear(text));
    this.child.once('close', () => this.#err.over());
  }

  says(pattern: RegExp): Promise<string> {
    return this.#err.says(pattern);
  }

  async ended(): Promise<Ended> {
    const [code] = await once(this.child, 'close');
    return { code, out: this.#out.text, err: this.#err.text };
  }
}

const play = (words: string, env?: NodeJS.ProcessEnv): Promise<Ended> =>
  new Running(FIXTURE, words.split(' '), env).ended();

/** The lines of portions, without what differs from run to run. */
const told = ({ out }: Ended): string[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(new RegExp(LINE_END), ' → '));

describe('the table', () => {
  test('is listed, as text and as JSON', async () => {
    const { code, out } = await new Running(REAL, []).ended();
    assert.equal(code, 0);
    assert.match(out, /^crash +starts that are lost.*\(240 chains of ten kills; ten minutes\)$/m);
    for (const name of [
      'worlds',
      'attack race',
      'exploration',
      'suite',
      'package',
      'site',
      'judge',
      'newcomer',
    ])
      assert.match(out, new RegExp(`^${name} `, 'm'));
    const [first] = (await play('--json')).out.split('\n').map((line) => JSON.parse(line || 'null'));
    assert.deepEqual(first, {
      name: 'steps',
      what: 'nothing',
      unit: 'steps',
      whole: '6 steps',
      takes: 'no time',
    });
  });

  test('plays worlds, and units in threads', async () => {
    const worlds = await new Running(REAL, ['worlds', '--count', '2', '--seed', '7']).ended();
    assert.match(worlds.out, /^worlds: seeds 7–8, 2 worlds, .*: starts \d.*; no violation\n$/);
    const zone = await new Running(REAL, ['transitions', 'Pacific/Galapagos']).ended();
    assert.match(zone.out, /^transitions: Pacific\/Galapagos, .* comparisons \d.*; no violation\n$/);
  });

  test('says what is known of a campaign', async () => {
    const { out } = await play('flawed --help');
    assert.equal(
      out,
      'flawed: nothing\nThe whole: 3 flaws, in portions of 1 flaws; no time\n  sound\n  also sound\n  planted\n',
    );
  });
});

test('a wrong word is refused', async () => {
  const { code, out, err } = await play('step');
  const complaint = 'there is no campaign "step"; did you mean "steps"?\n"npm run campaign" lists them\n';
  assert.deepEqual({ code, out, err }, { code: 2, out: '', err: complaint });
});

describe('a campaign', () => {
  test('is played in portions, from a seed or from a new one that is printed', async () => {
    const ended = await play('steps --seed 100 --count 3');
    assert.equal(ended.code, 0);
    assert.deepEqual(told(ended), [
      'steps: seeds 100–101, 2 steps → steps 2; no violation',
      'steps: seed 102 → steps 1; no violation',
      'steps: seeds 100–102, 3 steps in 2 portions → steps 3; no violation',
    ]);
    const [, seed] =
      /steps: 6 steps from seed (\d+)\n/.exec((await play('steps', { TREE: 'new' })).err) ?? [];
    assert.notEqual(seed, undefined);
  });

  test('is told as JSON: one document per portion', async () => {
    const { out } = await play('steps --seed 100 --count 3 --json');
    const [one, two, ...others] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { seconds, at, node, ...rest } = one;
    assert.deepEqual([typeof seconds, Date.parse(at) > 0, node], ['number', true, process.versions.node]);
    assert.deepEqual(rest, {
      campaign: 'steps',
      unit: 'steps',
      count: 2,
      first: '100',
      last: '101',
      series: 100,
      commit: '0123abc+changes',
      tree: '0123abc',
      figures: { steps: 2 },
      violations: [],
    });
    assert.deepEqual([two.first, two.last, others], ['102', '102', []]);
  });

  test('tells a violation, and is never well again on this code', async () => {
    const first = await play('flawed');
    assert.equal(first.code, 1);
    assert.deepEqual(told(first), [
      'flawed: sound → no violation',
      'flawed: also sound → no violation',
      'flawed: planted → VIOLATIONS: 1',
      '  VIOLATION planted',
      'flawed: sound … planted, 3 flaws in 3 portions → VIOLATIONS: 1',
    ]);
    const second = await play('flawed');
    assert.deepEqual([second.code, second.out], [1, '']);
    assert.match(second.err, /flawed: nothing is left, after 3 flaws of earlier runs/);
    assert.equal((await play('flawed also')).code, 0, 'what is named is played, and nothing else counts');
  });

  test('that breaks off is an error, and nothing of it counts as played', async () => {
    const { code, out, err } = await play('broken');
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /broken: it broke off: Error: it cannot be played\n +at /);
    assert.equal((await play('broken --status')).out, '');
  });

  test('that this machine cannot play is left out', async () => {
    const { code, out } = await play('absent');
    assert.deepEqual([code, out], [0, 'absent: left out, this machine has none\n']);
  });

  test('adds up what its threads have found', async () => {
    assert.deepEqual(told(await play('thread doubled --seed 1')), [
      'thread doubled: seeds 1–2, 2 numbers → sum 6; no violation',
      'thread doubled: seeds 3–4, 2 numbers → sum 14; no violation',
      'thread doubled: seeds 1–4, 4 numbers in 2 portions → sum 20; no violation',
    ]);
  });
});

describe('going on', () => {
  const REST = [
    'steps: seeds 103–104, 2 steps → steps 2; no violation',
    'steps: seed 105 → steps 1; no violation',
    'steps: seeds 103–105, 3 steps in 2 portions → steps 3; no violation',
  ];

  /** Plays the first portion, and holds within the second. */
  async function held(): Promise<Running> {
    const running = new Running(FIXTURE, ['steps', '--seed', '100', '--count', '6'], { HOLD: '103' });
    await running.says(/^holding$/m);
    return running;
  }

  test('after Ctrl-C, which tells what was played until then', async () => {
    const running = await held();
    running.child.kill('SIGINT');
    const ended = await running.ended();
    assert.equal(ended.code, 130);
    assert.deepEqual(told(ended), [
      'steps: seeds 100–101, 2 steps → steps 2; no violation',
      'steps: seed 102 → steps 1; no violation',
      'steps: seeds 100–102, 3 steps in 2 portions → steps 3; no violation',
    ]);
    const rest = await play('steps');
    assert.match(rest.err, /steps: 3 steps from seed 103, after 3 steps of earlier runs\n/);
    assert.deepEqual(told(rest), REST);
    assert.match((await play('steps')).err, /steps: nothing is left, after 6 steps of earlier runs/);
    assert.deepEqual(
      told(await play('steps --status')).at(-1),
      'steps: seeds 100–105, 6 steps in 4 portions → steps 6; no violation',
    );
  });

  test('after kill -9, which loses the portion that was being played; a line that was cut off is no portion', async () => {
    const running = await held();
    running.child.kill('SIGKILL');
    await running.ended();
    appendFileSync(join(state, 'portions.jsonl'), '{"campaign":"steps","count":2,"first":"102"');
    assert.deepEqual(told(await play('steps')).slice(0, 2), [
      'steps: seeds 102–103, 2 steps → steps 2; no violation',
      'steps: seeds 104–105, 2 steps → steps 2; no violation',
    ]);
    assert.equal(told(await play('steps --status')).length, 4);
  });

  test('after the time was up', async () => {
    const ended = await play('steps --seed 100 --minutes 0.0001', { HOLD: '100' });
    assert.deepEqual([ended.code, ended.out], [0, '']);
  });

  test('in threads that never rest: Ctrl-C ends them, and they have played nothing', async () => {
    const running = new Running(FIXTURE, ['thread', 'endless']);
    await running.says(/^50 %/m);
    running.child.kill('SIGINT');
    const { code, out } = await running.ended();
    assert.deepEqual([code, out], [130, '']);
    assert.equal((await play('thread --status')).out, '');
  });

  test('not with other code, not with --again, and not because one seed was looked at', async () => {
    await play('steps --seed 100 --count 4');
    await play('steps --seed 7 --count 1');
    assert.match((await play('steps --count 1')).err, /1 steps from seed 104, after 4 steps/);
    assert.doesNotMatch((await play('steps --count 1', { TREE: 'other' })).err, /after/);
    assert.doesNotMatch((await play('steps --count 1 --again')).err, /after/);
  });
});
