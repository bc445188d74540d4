/** The repair T24: a first coming is of the instant of the plan, which `InitSuccess` carries (D6). */
import { describe, test } from 'node:test';
import { refuses } from './judge.ts';
import { type Trace, trace } from './traces.ts';

/** The store takes until 12:03 to write a plan. */
const slowly = (begun: Trace, from: string, plannedAt: string): Trace =>
  begun.at('12:03').storeTrouble(from).initPlanned(plannedAt);

const accepts = (good: Trace): Promise<void> => refuses(good);

const noon = { a: '0 12 * * *' };

describe('T24: the instant of a first coming', () => {
  const slow = slowly(trace().at('12:00:30').initStart(noon), '12:00:30', '12:00:40');
  const frozen = (after: Trace) => after.at('12:10').frozen('12:10').at('12:20').stop();

  test('T24 D6 what was due in the minute of the plan is owed until it is started', async () => {
    await accepts(slow.start('a').succeed('a').at('12:20').stop());
    await refuses(frozen(slow), 'L1');
  });

  test('T24 D6 what came due while the plan was written is not cleared by it', async () => {
    const meanwhile = slowly(trace().at('11:59:30').initStart(noon), '11:59:30', '11:59:40');
    await accepts(meanwhile.start('a').succeed('a').at('12:20').stop());
    await refuses(frozen(meanwhile), 'L1');
    const second = meanwhile.start('a').succeed('a').at('12:03:01').start('a');
    await refuses(second, 'S1');
  });

  test('T24 D6 what was due before the minute of the plan is not owed', () =>
    refuses(slowly(trace().at('12:00:30').initStart(noon), '12:00:30', '12:01').start('a'), 'S1'));

  test('T24 Active counts from the record: nothing starts before it', () =>
    refuses(
      slowly(trace().at('12:00:30').initStart(noon).at('12:00:50').start('a'), '12:00:30', '12:00:40'),
      'S1',
    ));

  test('T24 the demand begins with the record, however long the plan was written', () =>
    accepts(slow.at('12:03:50').start('a').succeed('a').at('12:20').stop()));

  test('T24 the instant counts for another list, and after a crash', async () => {
    const other = slow.at('12:04').reload({ a: '1 12 * * *' });
    await accepts(other.start('a').succeed('a').at('12:20').stop());
    await refuses(slow.at('12:04').reload({ a: '59 11 * * *' }).start('a'), 'S1');
    const crashed = slow.at('12:04').crash('12:05').init({ a: '2 12 * * *' });
    await accepts(crashed.start('a').succeed('a').at('12:20').stop());
  });

  test('T24 without that instant the one of the record counts', async () => {
    const foreign = trace().at('12:00:59').initStart(noon).at('12:01').initSuccess();
    await refuses(foreign.start('a'), 'S1');
    await accepts(foreign.at('12:20').stop());
  });
});
