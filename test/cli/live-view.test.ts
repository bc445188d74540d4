/**
 * docs/live-view.svg is a recording, made by `npm run docs:live-view`. Its times are of the day on which it was made; its columns and
 * its words must be those of today's live view.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Model } from '../../src/cli/live/model.ts';
import { render } from '../../src/cli/live/render.ts';
import { styleFor } from '../../src/cli/terminal/style.ts';
import type { SchedulerEvent } from '../../src/index.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { root } from './kit.ts';
import { assertWellFormed } from './markup.ts';

const svg = readFileSync(join(root, 'docs/live-view.svg'), 'utf8');
const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
/** Its lines, each as the words that stand apart, with every number the same. */
const wordsOf = (line: string): string =>
  line
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/\d+(?:\.\d+)?/g, '#');
const shown = [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, spans]) =>
  wordsOf(unescaped([...spans.matchAll(/<tspan[^>]*>([^<]*)/g)].map(([, text]) => text).join(' '))),
);

/** The lines of today's view after the same events. */
function today(): string[] {
  const zone = zoneOf('UTC');
  const at = Date.UTC(2027, 2, 1, 12, 0, 30);
  const names = ['backup', 'report', 'poll', 'cleanup', 'invoices'];
  const facts = {
    tasks: names.map((name) => ({ name, cron: '* * * * *' })),
    store: 'obbligato.db',
    config: 'c',
    timeZone: 'UTC',
    pid: 42,
  };
  const model = new Model(facts, zone);
  const run = { at, runId: 'r', key: 'k', scheduledFor: at - 30_000, lateMs: 0 };
  const error = new Error('the mail server does not answer');
  const events: SchedulerEvent[] = [
    {
      type: 'SchedulerInitializationCompleted',
      at,
      added: [],
      overridden: [],
      orphaned: ['backup'],
      removed: [],
    },
    { ...run, type: 'TaskRunStarted', task: 'backup', attempt: 2, reason: 'orphaned' },
    { ...run, type: 'TaskRunStarted', task: 'report', attempt: 1, reason: 'due' },
    {
      type: 'TaskRunFailed',
      at,
      task: 'report',
      runId: 'r',
      durationMs: 801,
      attempt: 1,
      outcome: 'failure' as const,
      error,
      pendingRetryUntil: at + 4000,
    },
    { ...run, type: 'TaskRetryStarted', task: 'report', attempt: 2, reason: 'retry' },
    { type: 'TaskRunCompleted', at, task: 'report', runId: 'r', durationMs: 801 },
  ];
  for (const event of events) model.event(event);
  const style = styleFor({ write() {} }, {});
  return render(
    model,
    { columns: 104, rows: 17 },
    { now: at, zone, style, nextDue: () => at + 30_000, dueAfter: () => at + 30_000 },
  );
}

describe('the recording of the live view', () => {
  test('is a picture that needs nothing else, and small', () => {
    assertWellFormed(svg);
    assert.ok(svg.length > 10_000 && svg.length < 100_000, `${svg.length} bytes`);
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="[\d ]+" /);
    assert.doesNotMatch(svg, /<script|<foreignObject|<image|href=|url\(|@import/);
    assert.match(svg, /@media \(prefers-reduced-motion: no-preference\)/);
  });

  test('has the columns of today: if not, npm run docs:live-view records it anew', () => {
    const titles = new Set(shown.filter((line) => line.startsWith('obbligato # tasks')));
    assert.deepEqual(
      [...titles].map((title) => title.replace('Europe/Stockholm', 'UTC')),
      [wordsOf(today()[0])],
    );
    const heads = new Set(shown.filter((line) => line.startsWith('TASK ')));
    assert.deepEqual([...heads], [wordsOf(today()[1])]);
  });

  test('shows a run, a failure with its retry, a kill and a restart, in the words of today', () => {
    const lines = today();
    const log = lines.slice(lines.indexOf('') + 1).filter((line) => line !== '');
    assert.equal(log.length, 7, 'six events and the way out');
    assert.deepEqual(
      log.map(wordsOf).filter((line) => !shown.includes(line)),
      [],
    );
    for (const pattern of [
      /^\$ obbligato run$/,
      /^● backup running # s /,
      /^↻ report retry /,
      /Killed/,
      /^● backup restarted # s /,
    ]) {
      assert.ok(
        shown.some((line) => pattern.test(line)),
        String(pattern),
      );
    }
  });
});
