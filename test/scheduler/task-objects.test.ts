/** H1, H7: what `task` and `cron` take, and what they refuse. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createScheduler,
  cron,
  dueInstants,
  hours,
  lastDayOfMonth,
  memory,
  minutes,
  task,
} from '../../src/index.ts';

const run = (): void => {};
const good = { name: 'a', cron: '0 3 * * *', run };

describe('H1 task objects', () => {
  test('H1 a task is frozen, and only `task` makes one', async () => {
    const made = task(good);
    assert.ok(Object.isFrozen(made));
    const scheduler = createScheduler({ store: memory() });
    await assert.rejects(Reflect.apply(scheduler.initialize, undefined, [[{ ...made }]]), {
      name: 'RegistrationShapeError',
    });
    await scheduler.initialize([made, ['b', '0 3 * * *', run, minutes(1)]]);
    await scheduler.stop();
    await assert.rejects(scheduler.initialize([made, task(good)]), { name: 'ScheduleDuplicateTaskError' });
  });

  const refused: ReadonlyArray<readonly [object, RegExp]> = [
    [{ ...good, timezone: 'UTC' }, /^task "a" has no property "timezone": did you mean "timeZone"\?$/],
    [{ ...good, schedule: '0 3 * * *' }, /has no property "schedule": write cron, such as cron: '0 3/],
    [{ name: 'a', cron: '0 3 * * *', fn: run }, /^task "a" has no property "fn": write run, such as run: /],
    [{ ...good, tz: 'UTC' }, /has no property "tz": write timeZone, such as/],
    [
      { ...good, max_retries: 5 },
      /has no property "max_retries": write retry: \{ delay: minutes\(1\), max: 5 \}$/,
    ],
    [
      { ...good, timeoutMs: 5 },
      /has no property "timeoutMs": write timeout, which takes a duration such as seconds\(5\)$/,
    ],
    [{ ...good, every: 5 }, /has no property "every": they are name, cron, run, retry/],
    [{ name: 'a', cron: '0 3 * * *' }, /^task "a": run is missing: a function; got undefined$/],
    [{ cron: '0 3 * * *', run }, /^task: name is missing/],
    [{ ...good, name: '' }, /name must be a text that is not empty/],
    [{ ...good, name: '\ud800' }, /name must be a text that is not empty, without lone surrogates/],
    [{ ...good, cron: 5 }, /cron must be a text, such as '0 3 \* \* \*'; got 5$/],
    [
      { ...good, cron: '*/5 * * * *' },
      /^Invalid cron expression "\*\/5 \* \* \* \*": minute field .*; write 0,5,10.*,55$/,
    ],
    [{ ...good, retry: true }, /retry must be false, or an object such as/],
    [{ ...good, retry: {} }, /retry needs a delay, which must be a duration of at least 0 ms/],
    [{ ...good, retry: { delay: 5, maxdelay: 5 } }, /has no property "maxdelay": did you mean "maxDelay"\?/],
    [
      { ...good, retry: { attempts: 5 } },
      /retry has no property "attempts": write max: how many attempts in all; it must be/,
    ],
    [{ ...good, retry: { delayMs: 5 } }, /has no property "delayMs": write delay, which takes a duration/],
    [{ ...good, retry: { delay: 5, max: 0 } }, /max that must be a whole number of attempts, at least 1/],
    [{ ...good, retry: { delay: 5, backoff: 0.5 } }, /backoff that must be a number from 1 to 1000/],
    [{ ...good, retry: { delay: 5, maxDelay: -1 } }, /maxDelay that must be a duration/],
    [{ ...good, timeZone: 'Europe/Stokholm' }, /did you mean "Europe\/Stockholm"/],
    [{ ...good, clockChanges: 'twice' }, /clockChanges must be "posix" or "once"; got "twice"/],
    [{ ...good, days: 'last' }, /days must be what lastDayOfMonth\(\), nthWeekday/],
    [
      { ...good, cron: '0 0 15 * *', days: lastDayOfMonth() },
      /leaves no day of "0 0 15 \* \* \*|leaves no day of "0 0 15 \* \*"/,
    ],
    [{ ...good, startWithin: 0 }, /startWithin must be a duration of at least 1 ms/],
    [{ ...good, whileRunning: 'overlap' }, /whileRunning must be "remember" or "skip" or "replace"/],
    [{ ...good, jitter: 1500 }, /jitter must be a whole number of seconds/],
    [{ ...good, timeout: -1 }, /timeout must be a duration/],
    [{ ...good, abandonAfter: Number.NaN }, /abandonAfter must be a duration/],
    [{ ...good, onOverride: 'forget' }, /onOverride must be "keep" or "reset"/],
    [{ ...good, description: '' }, /description must be a sentence/],
    [{ ...good, meta: () => 5 }, /meta must be something that JSON can say/],
    [[good], /^task takes an object: task\(\{ name, cron, run \}\); got an array$/],
  ];
  for (const [options, message] of refused) {
    test(`H1 refused at the call: ${message.source.slice(0, 60)}`, () => {
      assert.throws(() => Reflect.apply(task, undefined, [options]), { message });
    });
  }

  test('H1 what is the default need not be said, and is stored as nothing', () => {
    const said = {
      clockChanges: 'posix',
      whileRunning: 'remember',
      onOverride: 'keep',
    } as const;
    assert.deepEqual(task({ ...good, ...said }), task(good));
  });

  test('H7 cron turns popular forms into POSIX, leaves POSIX alone, and throws as the parser does', () => {
    assert.equal(cron('*/15 * * * mon-fri'), '0,15,30,45 * * * 1-5');
    assert.equal(cron('@daily'), '0 0 * * *');
    assert.equal(cron('0 30 2 * * 7'), '30 2 * * 0');
    assert.equal(cron('30 2 * * *'), '30 2 * * *');
    assert.throws(() => cron('61 * * * *'), { name: 'InvalidCronExpressionError' });
    assert.throws(() => cron('0 0 30 2 *'), { name: 'InvalidCronExpressionError' });
    assert.throws(() => Reflect.apply(cron, undefined, [5]), /cron takes a text such as/);
    assert.equal(task({ ...good, cron: cron('*/30 * * * *') }).cron, '0,30 * * * *');
  });

  test('H3 H5 dueInstants tells when a task is due, from its policy or from the text in the store', () => {
    const policy = { timeZone: 'Asia/Tokyo', days: lastDayOfMonth() };
    const due = dueInstants({ name: 'a', cron: '0 9 * * *', policy }, 'UTC');
    assert.equal(new Date(due.next(Date.UTC(2026, 1, 1))).toISOString(), '2026-02-28T00:00:00.000Z');
    const stored = dueInstants({ name: 'a', cron: '0 9 * * *', policy: JSON.stringify(policy) }, 'UTC');
    assert.equal(stored.next(Date.UTC(2026, 1, 1)), due.next(Date.UTC(2026, 1, 1)));
    const plain = dueInstants({ name: 'a', cron: '0 9 * * *', policy: null }, 'UTC');
    assert.equal(plain.next(Date.UTC(2026, 1, 1)), Date.UTC(2026, 1, 1) + hours(9));
  });
});
