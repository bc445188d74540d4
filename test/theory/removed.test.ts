/** E7: the record of a task vanishes while the scheduler runs. In the theory that is a list without the name (I5), for that task alone. */
import { describe, test } from 'node:test';
import { accepts, refuses } from './judge.ts';
import { trace } from './traces.ts';

const noon = { a: '0 12 * * *', b: '0 12 * * *' };

describe('E7 a record that vanishes', () => {
  const removed = trace()
    .at('11:59')
    .init(noon)
    .at('11:59:30')
    .removed('a')
    .at('12:00')
    .start('b')
    .succeed('b');
  const running = trace()
    .at('11:59')
    .init(noon)
    .at('12:00')
    .start('b')
    .succeed('b')
    .start('a')
    .at('12:01')
    .removed('a');

  test('E7 L1 nothing is owed to its task, and everything else goes on', async () => {
    await accepts(removed.at('12:30').stop());
    await refuses(
      trace().at('11:59').init(noon).removed('a').at('12:00').start('a').succeed('a').start('b'),
      'S1',
    );
    await refuses(trace().at('11:59').init(noon).removed('a').at('12:30').frozen('12:30'), 'L1');
  });

  test('E7 E2 the next initialize makes its name a first coming', async () => {
    const next = removed.at('12:10').stop().at('12:20');
    await accepts(next.init(noon).at('12:40').stop());
    await refuses(next.init(noon).start('a'), 'S1');
    await refuses(
      next
        .init({ ...noon, a: '20 12 * * *' })
        .at('12:40')
        .frozen('12:40'),
      'L1',
    );
  });

  test('E7 a run of it goes on and ends, and is not retried', async () => {
    await accepts(running.at('12:02').succeed('a').at('12:30').stop());
    await accepts(running.at('12:02').fail('a').at('12:30').stop());
    await refuses(running.at('12:02').fail('a').at('12:02:05').start('a'), 'S1');
  });

  test('E7 T4 a crash does not cut off a run of which nothing is stored', async () => {
    const crashed = running.at('12:02').crash('12:10').init(noon);
    await accepts(crashed.at('12:30').stop());
    await refuses(crashed.start('a'), 'S1');
  });
});
