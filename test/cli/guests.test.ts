/** G4: listeners and sinks of a configuration that reject end nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begin, project } from './kit.ts';

const refuse = `async () => { throw new Error('a guest that rejects'); }`;

test('G4 an async onEvent and an async trace that reject: the schedule goes on, and one line says that the trace has a hole', async () => {
  const cwd = project(
    `{ store: memory(), onEvent: ${refuse}, trace: ${refuse}, tasks: [['each', '* * * * *', () => {}, 0]] }`,
  );
  const running = begin(['run'], { cwd });
  await running.says(/each {2}done/);
  running.child.kill('SIGTERM');
  const { code, stdout, stderr } = await running.ended;
  assert.deepEqual([code, stderr], [0, '']);
  const holes = stdout.match(/the trace has a hole: its sink rejected: a guest that rejects/g);
  assert.equal(holes?.length, 1, stdout);
});
