/** docs/telemetry.md has every metric, and every channel is named as the code names it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  COMMIT_CHANNEL,
  eventChannel,
  METRICS,
  type Metric,
  RUN_CHANNEL,
} from '../../src/telemetry/index.ts';
import { table } from '../theory/generated.ts';

const page = new URL('../../docs/telemetry.md', import.meta.url);

test('the table of metrics is that of the catalogue', () => {
  const rows = Object.values<Metric>(METRICS).map(({ name, otel, kind, labels, from, help }) => [
    `\`${name}\`, \`${otel}\``,
    kind === 'balance' ? 'gauge' : kind,
    labels.map((label) => `\`${label}\``).join(', '),
    from,
    help,
  ]);
  const made = table(['Prometheus, OpenTelemetry', 'kind', 'labels', 'from', 'what it says'], rows);
  const [begin, end] = ['<!-- generated: metrics -->', '<!-- end of metrics -->'];
  const before = readFileSync(page, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  assert.ok(from >= 0 && to > from);
  const after = `${before.slice(0, from + begin.length)}\n\n${made}\n\n${before.slice(to)}`;
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(page, after);
  else assert.equal(before, after, 'UPDATE_DOCS=1 node --test test/telemetry/docs.test.ts rewrites it');
});

test('the channels are named as they are', () => {
  const text = readFileSync(page, 'utf8');
  for (const name of [eventChannel('TaskRunFailed'), `tracing:${RUN_CHANNEL}:start`, COMMIT_CHANNEL])
    assert.ok(text.includes(`\`${name}\``), name);
});
