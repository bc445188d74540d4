/**
 * Traces on which a campaign (`npm run campaign -- reference`) found the oracle and the reference checker different, cut down. The numbers are
 * seeds. In the first three groups the oracle was wrong, in the last two the checker.
 */
import { describe, test } from 'node:test';
import { breaks } from './both.ts';
import { trace } from './traces.ts';

const noon = { a: '0 12 * * *' };
const seldom = '0 0 1 1 *';

describe('only a run that began under a list leaves a name that the store may still know (I5)', () => {
  test('I5 E2 S1 L1 a run of a name in no list, 11980, 40926 and 53642', () =>
    breaks(
      trace()
        .at('12:03:07')
        .start('b')
        .fail('b')
        .crash('12:03:08')
        .init({ b: '3 * * * *' })
        .at('12:10')
        .frozen('12:10'),
      'S1',
      'L1',
    ));

  test('I5 E2 S1 S4 an end without a run, 99127', () =>
    breaks(
      trace()
        .at('12:01')
        .succeed('c', 'r')
        .at('12:17')
        .crash('12:17:10')
        .init({ c: '0,15 * * * *' })
        .at('12:18')
        .start('c'),
      'S1',
      'S4',
    ));
});

describe('a list that the store refused may be stored, whatever call was open, if no other list was in force (E9)', () => {
  test('E9 D7 S1 a stop before the first initialization, which nobody waited for, 8332 and 38144', () =>
    breaks(
      trace()
        .at('12:00:10')
        .stopStart()
        .initStart(noon)
        .stopEnd()
        .initFailure('StoreClosedError', 'valid')
        .at('12:05')
        .init(noon)
        .start('a'),
    ));
});

describe('a durable start that was not called is cut off by a crash, whatever ran before it (T10)', () => {
  test('T10 A4 L1 a run before it was started more than a second late, 8271, 12999 and 71179', () =>
    breaks(
      trace()
        .at('11:57:15')
        .init({ a: '* * * * *' })
        .at('11:57:17')
        .startDurable('a')
        .start('a')
        .at('11:59:02')
        .succeed('a')
        .endDurable('a')
        .at('11:59:04')
        .startDurable('a')
        .crash('12:00:02')
        .init({ a: seldom })
        .at('12:05')
        .frozen('12:05'),
      'L1',
    ));
});

describe('a success that a crash took back may be repeated, and that is all (A10)', () => {
  const again = trace()
    .at('12:00:20')
    .init(noon)
    .startDurable('a')
    .start('a')
    .succeed('a')
    .at('12:00:23')
    .startDurable('a')
    .crash('12:02')
    .init(noon)
    .startDurable('a')
    .start('a');

  test('A10 S2 it comes after a success for the same due, 25546 and 29979', async () => {
    await breaks(again.succeed('a'), 'S2');
    await breaks(again.succeed('a').at('12:02:04').crash('12:03'), 'S2');
  });
});

describe('nothing starts in a process in which no list has become active (T11)', () => {
  const stopped = trace()
    .at('11:57:33')
    .init({ a: seldom, b: '* * * * *' })
    .startDurable('b')
    .start('b')
    .succeed('b')
    .endDurable('b')
    .at('11:57:40')
    .stop();

  test('T10 T11 S1 an initialization that was cut off has made no start durable, 25407 and 32935', () =>
    breaks(
      stopped
        .at('12:11:40')
        .initStart({ a: '1-4 * * * *' })
        .crash('12:11:43')
        .init({ a: seldom, b: '* * * * *' })
        .start('a'),
      'S1',
    ));
});
