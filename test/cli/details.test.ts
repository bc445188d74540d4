/** The screens of the live view besides its list: one task, and the keys. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Past } from '../../src/cli/live/details.ts';
import { HANDS_OFF, type Screen } from '../../src/cli/live/hands.ts';
import { Model } from '../../src/cli/live/model.ts';
import { createDues } from '../../src/cli/live/next-due.ts';
import { render } from '../../src/cli/live/render.ts';
import { styleFor } from '../../src/cli/terminal/style.ts';
import type { PastRun } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { zoneOf } from '../../src/time/zone.ts';

const zone = zoneOf('UTC');
const NOW = Date.UTC(2027, 2, 1, 12, 1);

const modelOf = (): Model =>
  new Model(
    { tasks: [{ name: 'a', cron: '0 0 1 1 *' }], store: 'x', config: 'c', timeZone: 'UTC', pid: 42 },
    zone,
  );

function screenOf(model: Model, kind: 'task' | 'keys' | 'tasks', rows: number, past?: Past): string[] {
  const screen: Screen = { kind };
  return render(
    model,
    { columns: 80, rows },
    {
      now: NOW,
      zone,
      style: styleFor({ write() {} }, {}),
      ...createDues('UTC'),
      hands: { ...HANDS_OFF, screen, selected: 'a' },
      past,
    },
  );
}

const frames = (where: string, count: number): string[] =>
  Array.from({ length: count }, (_, place) => `    at ${where}${place} (jobs.ts:${place})`);

const TEXT = ['Error: outer', ...frames('out', 8), '  caused by RangeError: inner\u001b', ...frames('in', 4)];

const failed = (endedAt: number): PastRun => ({
  task: 'a',
  runId: 'r',
  key: 'k',
  attempt: 1,
  reason: 'due',
  scheduledFor: endedAt,
  calledAt: endedAt - 5,
  endedAt,
  outcome: 'failure',
  instanceId: 'i',
  error: { name: 'Error', message: 'outer', text: TEXT.join('\n') },
});

describe('the screen of one task', () => {
  test('H8 shows what was thrown last with its whole stack and its causes, where there is room', () => {
    const lines = screenOf(modelOf(), 'task', 30, [failed(NOW)]);
    const at = lines.indexOf('Last error: Error: outer');
    assert.deepEqual(
      lines.slice(at + 1, at + TEXT.length),
      TEXT.slice(1).map((line) => line.replace('\u001b', '\\u{1b}')),
    );
    assert.ok(lines.includes('LAST RUNS'));
  });

  test('H8 in a low terminal the places in the code give way, and the cause and the runs stay', () => {
    const model = modelOf();
    for (let line = 0; line < 30; line++)
      model.output({ task: 'a', stream: 'stdout', line: `line ${line}` }, NOW);
    for (const rows of [24, 18]) {
      const lines = screenOf(
        model,
        'task',
        rows,
        Array.from({ length: 20 }, (_, place) => failed(NOW - place)),
      );
      const text = lines.join('\n');
      assert.equal(lines.length, rows);
      assert.match(text, /Last error: Error: outer\n {4}at out0 .*\n(.*\n)*? {2}caused by RangeError: inner/);
      assert.match(text, /LAST RUNS\n {2}12:01 +failure/);
      assert.match(text, /OUTPUT\n(.*\n)*.*line 29/);
    }
  });

  test('an error of which only the name and the message are kept is one line', () => {
    const run = { ...failed(NOW), error: { name: 'Error', message: 'no', text: '' } };
    assert.match(screenOf(modelOf(), 'task', 24, [run]).join('\n'), /\nLast error: Error: no\n\nLAST RUNS\n/);
  });
});

test('the keys are told in whole sentences in a terminal of 80 columns', () => {
  const lines = screenOf(modelOf(), 'keys', 24);
  assert.ok(!lines.slice(1, -1).some((line) => line.includes('…')), lines.join('\n'));
  assert.match(lines.join('\n'), /\n {2}r, p, c +run the task now; .*\n {28}.*a question\n/);
  assert.match(lines.join('\n'), /\n {2}Ctrl-Z /);
});

test('J3 after a restart the last run has its duration, from the store', () => {
  const model = modelOf();
  model.remember([newRecord('a', { lastSuccessAt: NOW - 60_000, lastDurationMs: 1500 })]);
  assert.match(screenOf(model, 'tasks', 24).join('\n'), /✓ 1\.5 s +1 min/);
});
