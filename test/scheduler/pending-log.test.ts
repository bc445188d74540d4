/** A start that cannot be made durable is told in a log line too (A4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, noop, Stage } from './scenario.ts';

test('A4 a disk in trouble is told of in a log line', async () => {
  const lines: string[] = [];
  const line = (text: string): void => void lines.push(text);
  const logger = { debug: line, info: line, warn: line, error: line };
  const stage = new Stage('2026-03-02T11:59:30Z', { logger });
  await stage.initialize(['noon', '0 12 * * *', noop, 0]);
  stage.disk.fate = () => 'refused';
  await stage.clock.advance(MINUTE);
  assert.ok(
    lines.some((text) => text.includes('the disk is on fire')),
    lines.join('\n'),
  );
  stage.disk.fate = () => 'taken';
  await stage.clock.advance(MINUTE);
  await stage.stop();
});
