/** What callbacks throw reaches the log, whatever it is: no failure vanishes, and no secret shows (G5). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeEvent } from '../../src/cli/run/describe-event.ts';
import { JsonReporter } from '../../src/cli/run/json-reporter.ts';
import { begin, project } from './kit.ts';

/** One task for each thing that libraries are known to throw, and for what nothing should. */
const thrown: Readonly<Record<string, string>> = {
  request: `Object.assign(new Error('401'), {
    name: 'AxiosError', code: 'ERR_BAD_REQUEST', config: { headers: { Authorization: 'Bearer SECRET' } },
    toJSON() { return { config: this.config }; },
  })`,
  password: `{ password: 'SECRET' }`,
  circular: `(() => { const response = { status: 500 }; response.self = response; return response; })()`,
  bigint: `{ count: 12n }`,
  toJSON: `Object.assign(new Error('no JSON'), { toJSON() { throw new Error('SECRET'); } })`,
  getters: `Object.defineProperty(new Error(), 'message', { get() { throw new Error('SECRET'); } })`,
  toString: `{ toString() { throw new Error('SECRET'); } }`,
  proxy: `new Proxy({}, { get() { throw new Error('SECRET'); }, getPrototypeOf() { throw new Error('SECRET'); } })`,
  nothing: 'undefined',
  address: `new Error('connect to postgres://admin:SECRET@db/jobs')`,
};
const names = Object.keys(thrown);
const throwing = Object.entries(thrown)
  .map(
    ([name, code]) =>
      `['${name}', '* * * * *', () => { globalThis.called += '.'; throw ${code}; }, minutes(5)]`,
  )
  .join(', ');
/** The last task ends when all the others have been called. */
const config = `(globalThis.called = '', { store: memory(), tasks: [${throwing}, ['last', '* * * * *', async () => {
  while (globalThis.called.length < ${names.length}) await sleep(5);
}, 0]] })`;

/** All that is said until every task has been called, and the schedule is stopped. */
async function log(form: '--json' | '--plain', last: RegExp): Promise<string> {
  const running = begin(['run', form], { cwd: project(config) });
  await running.says(last);
  running.child.kill('SIGTERM');
  const { code, stdout, stderr } = await running.ended;
  assert.equal(stderr, '');
  assert.equal(code, 0);
  return stdout;
}

describe('what callbacks throw', { concurrency: 2 }, () => {
  test('G5 --json has one TaskRunFailed for each, and no secret', async () => {
    const said = await log('--json', /"TaskRunCompleted".*"task":"last"/);
    assert.doesNotMatch(said, /SECRET/);
    const events = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const failures = events.filter(({ type }) => type === 'TaskRunFailed');
    // A minute that begins meanwhile starts tasks again, and each start fails once.
    const starts = events.filter(({ type, task }) => type === 'TaskRunStarted' && task !== 'last');
    assert.deepEqual(failures.map(({ runId }) => runId).sort(), starts.map(({ runId }) => runId).sort());
    assert.deepEqual([...new Set(failures.map(({ task }) => task))].sort(), [...names].sort());
    const { stack, ...error } = failures.find(({ task }) => task === 'request').error;
    assert.deepEqual(error, { name: 'AxiosError', message: '401', code: 'ERR_BAD_REQUEST' });
    assert.match(stack, /^AxiosError: 401\n {4}code: ERR_BAD_REQUEST\n {4}at /);
  });

  test('G5 --plain has a line for each failure, and no secret', async () => {
    const said = await log('--plain', / {2}last {2}done/);
    for (const name of names) assert.match(said, new RegExp(`  ${name}  failed after`));
    assert.doesNotMatch(said, /SECRET/);
    assert.match(said, / {2}address {2}failed after [^:]*: connect to postgres:\/\/\*\*\*@db\/jobs \(retry/);
  });

  test('a log of lines has the causes and the places below the failure, under the name of the task', async () => {
    const cwd = project(`{ store: memory(), tasks: [['fetch', '* * * * *', () => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:80') });
    }, minutes(5)]] }`);
    const running = begin(['run'], { cwd });
    await running.says(/fetch failed[\s\S]*caused by/);
    running.child.kill('SIGTERM');
    const { stdout } = await running.ended;
    assert.match(
      stdout,
      /fetch {2}failed after [^:]*: fetch failed \(retry.*\n\S+ {2}fetch {6}at \S*obbligato\.config\.ts:.*\n\S+ {2}fetch {4}caused by Error: connect ECONNREFUSED 127\.0\.0\.1:80\n/,
    );
  });

  test('an error of ours has no stack in the log: its message says it all', async () => {
    const { CommandFailedError } = await import('../../src/index.ts');
    const error = new CommandFailedError('backup', 'tar', 2, null);
    const event = {
      type: 'TaskRunFailed',
      at: 0,
      task: 'backup',
      runId: 'r',
      durationMs: 5,
      attempt: 1,
      outcome: 'failure' as const,
      error,
      pendingRetryUntil: 60_000,
    } as const;
    const { readZone } = await import('../../src/cli/args/values.ts');
    const description = describeEvent(event, readZone('UTC'));
    assert.match(description?.text ?? '', /Program "tar" of task "backup" exited with code 2/);
    assert.deepEqual(description?.stack, []);
  });

  test('each line of JSON has the time for people and a level, for collectors of logs', () => {
    const written: string[] = [];
    const reporter = new JsonReporter({ write: (text) => written.push(text) });
    reporter.event({ type: 'PollingStarted', at: 1000 });
    reporter.event({ type: 'ClockStepped', at: 2000, from: 0, to: 2000 });
    reporter.event({ type: 'SchedulerStopped', at: 3000 });
    reporter.event({ type: 'SchedulerStopped', at: 3000, error: new Error('late') });
    reporter.notice({ type: 'Trouble', at: 4000, message: 'no room' });
    assert.deepEqual(
      written.map((line) => JSON.parse(line)).map(({ at, time, level }) => [at, time, level]),
      [
        [1000, '1970-01-01T00:00:01.000Z', 'info'],
        [2000, '1970-01-01T00:00:02.000Z', 'warn'],
        [3000, '1970-01-01T00:00:03.000Z', 'info'],
        [3000, '1970-01-01T00:00:03.000Z', 'error'],
        [4000, '1970-01-01T00:00:04.000Z', 'error'],
      ],
    );
  });

  test('JSON has no control that acts on a terminal, and still means the same', () => {
    const evil = 'a\u009b2J\u007f\u202eb\u2028c\u{e0001}\ud800 時 👍';
    const written: string[] = [];
    const reporter = new JsonReporter({ write: (text) => written.push(text) });
    reporter.output({ task: evil, stream: 'stdout', line: evil }, 0);
    const [said] = written;
    assert.doesNotMatch(said.trimEnd(), /[\p{C}\p{Zl}\p{Zp}]/u);
    assert.ok(said.includes('\\u009b2J\\u007f\\u202eb\\u2028c\\udb40\\udc01\\ud800 時 👍'), said);
    const line = { type: 'Output', at: 0, task: evil, stream: 'stdout', line: evil };
    assert.deepEqual(JSON.parse(said), { ...line, time: '1970-01-01T00:00:00.000Z', level: 'info' });
  });
});
