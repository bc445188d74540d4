/** EA1 and EA2: what is said around a crash, and of what happens while the machine is frozen. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import { Monitor } from '../../src/theory/monitor.ts';
import { brokenBy, judge, violationOf } from './judge.ts';
import { instant, shown, trace } from './traces.ts';

const noon = { a: '0 12 * * *' };
const begun = trace().at('11:59').init(noon);

describe('EA1', () => {
  const status = async (of: Parameters<typeof judge>[0]) => (await judge(of)).axioms.EA1.status;

  test('a crash with which the trace ends is undecided: its freeze is recorded when it is over', async () => {
    const crashed = begun.at('11:59:10').shutdown();
    assert.equal(await status(crashed), 'undecided');
    assert.equal(await status(crashed.at('11:59:20').frozen('11:59:10')), 'holds');
    assert.equal(await status(crashed.at('11:59:20').init(noon)), 'violated');
  });

  test('a freeze that is recorded before the crash, and lasts until it, surrounds it', async () => {
    const frozen = begun.at('12:00:10').frozen('11:59:30');
    assert.equal(await status(frozen.shutdown().init(noon)), 'holds');
    assert.equal(await status(frozen.at('12:00:11').shutdown().init(noon)), 'violated');
    assert.equal(await status(frozen.start('a').shutdown().init(noon)), 'violated', 'work went on');
  });
});

describe('EA2', () => {
  const busy = (instants: number) => {
    const monitor = new Monitor();
    for (const record of begun) monitor.take(record);
    const at = instant('12:00');
    for (let i = 0; i < instants; i++) {
      monitor.take({ event: 'StopStart', call: 100 + i, at: at + i });
      monitor.take({ event: 'StopEnd', call: 100 + i, at: at + i });
    }
    monitor.take({ event: 'Frozen', at: at + instants, from: at - 10, to: at + 10 });
    return monitor.verdict().axioms.EA2;
  };

  test('an action within a freeze is seen, though a thousand came after it', () => {
    const { status, violations } = busy(1000);
    assert.equal(status, 'violated');
    assert.ok(violations[0].because.includes(shown('12:00')));
  });

  test('a freeze that reaches back beyond the instants that are kept gets a note', () => {
    const { status, notes } = busy(5000);
    assert.equal(status, 'holds');
    assert.match(notes.join(), /only the last 4096 instants of actions were looked at/);
    assert.deepEqual(busy(1).notes, []);
  });

  test('many actions within one millisecond are one instant', async () => {
    const names = Array.from({ length: 5000 }, (_, index) => `t${index}`);
    const tasks = Object.fromEntries(names.map((name) => [name, '0 12 * * *']));
    const monitor = new Monitor();
    const [start, success] = trace().at('11:59').init(tasks);
    monitor.take(start);
    monitor.take(success);
    const at = instant('12:00');
    for (const task of names) monitor.take({ event: 'RunStart', at, task, runId: task, instance: 'i' });
    monitor.take({ event: 'Frozen', at: at + 5, from: at - 60_500, to: at - 1 });
    const { status, violations } = monitor.verdict().axioms.EA2;
    assert.deepEqual([status, violations[0]?.at], ['violated', instant('11:59')]);
  });

  test('B5 what was done before the clock was set back, unseen until a freeze was over, is not within it', async () => {
    const frozen = begun.at('11:59:20').stopStart().at('12:01').frozen('11:58:30');
    assert.equal((await judge(frozen)).axioms.EA2.status, 'violated');
    const record = {
      event: 'ClockStep',
      at: instant('12:01'),
      from: instant('11:59:30'),
      to: instant('11:58:30'),
    } as const;
    const stepped = await checkTrace([...frozen, record, ...trace().at('12:01:01').stopEnd(2)]);
    assert.equal(stepped.axioms.EA2.status, 'holds');
    const later = await judge(frozen.at('12:01:01').stopEnd());
    assert.equal(violationOf(later, 'EA2').at, instant('11:59'));
  });

  test('what happens as a freeze ends is not within it', async () => {
    const verdict = await judge(begun.at('12:00').start('a').frozen('11:59:30'));
    assert.deepEqual(brokenBy(verdict), []);
    const within = await judge(begun.at('11:59:50').frozen('11:58:30'));
    assert.equal(violationOf(within, 'EA2').at, instant('11:59'));
  });
});
