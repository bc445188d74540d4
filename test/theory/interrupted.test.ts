/**
 * A13, T19: for the theory a run that a stop has interrupted is cut off by a crash of that run alone. It has not failed, and it is owed
 * again as soon as a scheduler that has it is active.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/index.ts';
import { breaks, broken } from './both.ts';
import { type Tasks, type Trace, trace } from './traces.ts';

const seldom: Tasks = { a: ['0 0 1 1 *', 600_000] };

/** A run is under way, a stop is called, and the run ends by it. */
const interrupted = (list: Tasks = seldom): Trace => stopping(list).interrupt('a');
const stopping = (list: Tasks = seldom): Trace =>
  trace().at('11:59').init(list).at('12:00').request('a').start('a').at('12:00:05').stopStart();
const again = (from: Trace, list: Tasks = seldom): Trace => from.stopEnd().at('12:01').init(list);

describe('A13 T19 an interrupted run is owed again', () => {
  test('A13 L1 it is started in the next life, at once; a scheduler that waits for its retry delay, or forgets it, is too late', async () => {
    const next = again(interrupted());
    await breaks(next.start('a').succeed('a').at('18:00').stop());
    await breaks(next.at('12:20').start('a').succeed('a').stop(), 'L1');
    await breaks(next.at('18:00').stop(), 'L1');
  });

  test('A13 A6 it has not failed: no retry comes', async () => {
    const done = again(interrupted()).start('a').succeed('a');
    await breaks(done.at('12:10:05').start('a').succeed('a').stop(), 'S1', 'S2');
  });

  test('A13 S1 it is started once, and not by the scheduler that stops', async () => {
    const next = again(interrupted());
    await breaks(next.start('a').succeed('a').start('a').succeed('a').stop(), 'S1', 'S2');
    await breaks(interrupted().start('a').succeed('a').stopEnd(), 'S1');
  });

  test('A13 S3 S4 the stop waits for it, and an end that never began is the environment’s', async () => {
    await breaks(interrupted().stopEnd());
    await breaks(stopping().stopEnd(), 'S3');
    await breaks(trace().at('11:59').init(seldom).stopStart().interrupt('a').stopEnd(), 'S4');
  });

  test('A13 I4 a run that was cancelled leaves nothing, however it ends', async () => {
    const cancelled = trace().at('11:59').init(seldom).request('a').start('a').at('12:00').cancel('a');
    await breaks(again(cancelled.stopStart().interrupt('a')).at('18:00').stop());
  });

  test('A13 I5 a name that a list has left out is forgotten by the next one', async () => {
    await breaks(again(interrupted(), {}).stop().at('12:10').init(seldom).at('18:00').stop());
  });

  test('A13 T10 a crash that may have lost the end leaves the same', async () => {
    const lost = stopping().interrupt('a').at('12:00:10').crash('12:01').init(seldom);
    await breaks(lost.start('a').succeed('a').at('18:00').stop());
    await breaks(lost.at('18:00').stop(), 'L1');
  });

  test('A13 K9 while other instances go on it is owed at once', async () => {
    const ran = trace().at('11:59').init(seldom).at('12:00').request('a').start('a').at('12:00:05');
    await breaks(ran.interrupt('a').at('12:00:08').start('a').succeed('a').at('18:00').stop());
    await breaks(ran.interrupt('a').at('18:00').stop(), 'L1');
  });
});

describe('A13 H2 an interrupted attempt is not used up', () => {
  const twice: Tasks = { a: ['0 0 1 1 *', 20_000, { retry: { max: 2 } }] };
  const brokenBy = async (made: Trace): Promise<readonly string[]> => broken(await checkTrace(made));
  const failed = again(interrupted(twice), twice).start('a').at('12:01:01').fail('a');

  test('A13 H2 the attempt after it is the same one: when it fails, one more is owed', async () => {
    const retried = failed.at('12:01:21').start('a').at('12:01:22').fail('a');
    assert.deepEqual(await brokenBy(retried.at('18:00').stop()), []);
    assert.deepEqual(await brokenBy(failed.at('18:00').stop()), ['L1']);
    assert.deepEqual(await brokenBy(retried.at('12:01:42').start('a').succeed('a').stop()), ['S1']);
  });

  test('A13 H2 T10 if the end was perhaps not durable, the attempt may count', async () => {
    const claimed = trace().at('11:59').init(twice).at('12:00').request('a').startDurable('a').start('a');
    const lost = claimed.at('12:00:05').stopStart().interrupt('a').at('12:00:10').crash('12:01').init(twice);
    const after = lost.startDurable('a').start('a').at('12:01:01').fail('a').endDurable('a');
    assert.deepEqual(await brokenBy(after.at('18:00').stop()), []);
    assert.deepEqual(
      await brokenBy(after.at('12:01:21').startDurable('a').start('a').succeed('a').stop()),
      [],
    );
  });
});
