/** `obbligato check`: real traces in real files, judged by a process of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import type { TraceRecord } from '../../src/index.ts';
import { checkRecord } from '../../src/trace/check.ts';
import { fc } from '../property.ts';
import { damageTo } from '../trace/damage.ts';
import { cli, environment, folder, main } from './kit.ts';
import { CTRL_C, Terminal } from './terminal.ts';

/** A time of 2 March 2027, in winter: Stockholm is an hour ahead. */
const at = (time: string): number => Date.parse(`2027-03-02T${time}Z`);
const registrations = [{ name: 'report', cron: '0 12 * * *', retryDelayMs: 5000 }];

const begun: readonly TraceRecord[] = [
  { event: 'InitStart', at: at('10:59:00'), registrations, timeZone: 'Europe/Stockholm' },
  { event: 'InitSuccess', at: at('10:59:00') },
];
const ran: readonly TraceRecord[] = [
  { event: 'RunStart', at: at('11:00:00.250'), task: 'report' },
  { event: 'RunSuccess', at: at('11:00:01'), task: 'report' },
];
const stopped: readonly TraceRecord[] = [
  { event: 'StopStart', at: at('11:05:00') },
  { event: 'StopEnd', at: at('11:05:00') },
];
const good = [...begun, ...ran, ...stopped];
/** A start that nothing asks for. */
const faulty = [...begun, ...ran, { event: 'RunStart', at: at('11:00:02'), task: 'report' }] as const;
/** An end without a start: the recorder's, or the world's. */
const unlucky = [...begun, { event: 'RunSuccess', at: at('10:59:30'), task: 'report' }, ...ran] as const;

let files = 0;
const written = (text: string): string => {
  const path = join(folder, `trace-${++files}.jsonl`);
  writeFileSync(path, text);
  return path;
};
const textOf = (records: readonly TraceRecord[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const trace = (records: readonly TraceRecord[]): string => written(textOf(records));

/** Many days of one run a minute. */
function large(days: number): string {
  const each = { name: 'poll', cron: '* * * * *', retryDelayMs: 5000 };
  const start = at('00:00:30');
  const lines = [
    { event: 'InitStart', at: start, registrations: [each], timeZone: 'UTC' },
    { event: 'InitSuccess', at: start },
    ...Array.from({ length: days * 1440 }, (_, minute) => [
      { event: 'RunStart', at: start + minute * 60_000 + (minute === 0 ? 0 : -30_000), task: 'poll' },
      { event: 'RunSuccess', at: start + minute * 60_000 + 10, task: 'poll' },
    ]).flat(),
  ];
  return written(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

describe('obbligato check', { concurrency: 2 }, () => {
  test('a conformant trace: every axiom in a line, and the smallest lag that would do', async () => {
    const file = trace(good);
    const { code, stdout, stderr } = await cli(['check', basename(file)]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^trace-\d+\.jsonl: 6 records, 1 task {2}Europe\/Stockholm\n✓ conformant\n\n/);
    assert.match(stdout, /^ {2}S1 {3}Start safety +holds$/m);
    assert.match(stdout, /^ {2}L1 {3}Obligation fulfillment +holds$/m);
    assert.match(stdout, /^ {2}WA {3}Write-ahead +vacuous$/m);
    assert.match(stdout, /^ {2}EA4 {2}Unlimited freeze +undecided {2}no finite trace can break it/m);
    assert.match(stdout, /judged by a lag of 1 min; on this trace a lag of 250 ms would do\.\n$/);
    assert.doesNotMatch(stdout, /^ {2}(?:EN3|Q1|P1) /m);
  });

  test('a scheduler at fault: what broke, in a sentence, with its events, lines and local time', async () => {
    const { code, stdout } = await cli(['check', trace(faulty)]);
    assert.equal(code, 1);
    assert.match(stdout, /^✗ not conformant: the scheduler is at fault: S1$/m);
    assert.match(stdout, /^ {2}S1 {3}Start safety +violated$/m);
    const told = stdout.replace(/\n {2}(?! )/g, ' ');
    assert.match(
      told,
      /^S1 Start safety, task "report", at 2027-03-02T12:00:02\.000\+01:00: the fault of the scheduler "report" was started at 2027-03-02T12:00:02\.000\+01:00, but nothing was owed/m,
    );
    assert.match(stdout, /^ {4}line 5 +2027-03-02T12:00:02\.000\+01:00 {2}RunStart +report$/m);
  });

  test('an environment at fault, and no scheduler: another exit code', async () => {
    const { code, stdout } = await cli(['check', trace(unlucky)]);
    assert.equal(code, 3);
    assert.match(stdout, /^⚠ conformant; the environment is at fault: S4$/m);
    assert.match(stdout, /^S4 Ends follow starts, task "report", .*: the fault of the environment$/m);
  });

  test('a last line that was cut off is the environment’s, and named by its number', async () => {
    const { code, stdout } = await cli(['check', written(textOf(good).slice(0, -20))]);
    assert.equal(code, 3);
    assert.match(stdout, /5 records, 1 task, 1 malformed line/);
    assert.match(stdout, /the last line was cut off/);
    assert.match(stdout, /line 6/);
  });

  test('a rotated trace: each line with the file in which it is counted, also as JSON', async () => {
    const path = trace([...ran.slice(1), faulty[4]]);
    const name = basename(path);
    writeFileSync(`${path}.2`, textOf(begun));
    writeFileSync(`${path}.3`, `${textOf(ran.slice(0, 1))}{"event":\n`);
    const { code, stdout } = await cli(['check', name]);
    assert.equal(code, 1);
    assert.ok(stdout.startsWith(`${name}: 5 records, 1 task, 1 malformed line`), stdout);
    const where = [...stdout.matchAll(/^ {4}(\S+, line \d+) .* (RunStart|RunSuccess|malformed)/gm)];
    assert.deepEqual(
      where.map(([, place, event]) => [place, event]),
      [
        [`${name}.3, line 1`, 'RunStart'],
        [`${name}, line 1`, 'RunSuccess'],
        [`${name}, line 2`, 'RunStart'],
        [`${name}.3, line 2`, 'malformed'],
      ],
    );
    assert.match(
      stdout.replace(/\s+/g, ' '),
      /The trace is malformed: trace-\d+\.jsonl\.3, line 2: the line is not JSON/,
    );
    const { traces } = JSON.parse((await cli(['check', '--json', path])).stdout);
    const { file, line } = traces[0].axioms.S1.violations[0].events.at(-1);
    assert.deepEqual([file, line], [path, 2]);
  });

  test('what is no trace, or not there, is told on standard error', async () => {
    const picture = written('\u0089PNG\r\n\u001b[2J\n');
    for (const [words, message] of [
      [[picture], /is not a trace: line 1: the line is not JSON: .*obbligato run --trace/],
      [[written('')], /holds no record/],
      [['missing.jsonl'], /missing\.jsonl" does not exist: is the path right\?/],
      [['.'], /is a directory/],
    ] as const) {
      const { code, stdout, stderr } = await cli(['check', ...words]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr.replaceAll(/\p{Cc}\[\d+m/gu, ''), /[^\P{Cc}\n]/u);
    }
  });

  test('instants in other units: what they seem to be, and no stack trace', async () => {
    const times = (factor: number): string =>
      written(textOf(good.map((record) => ({ ...record, at: record.at * factor }))));
    const { stdout, stderr } = await cli(['check', times(1000), times(1e6), times(1e-3)]);
    const [micro, nano, ...more] = stderr.trimEnd().split('\n');
    assert.match(micro, /is not a trace: line 1: .*"at".*: are these microseconds\? Divide by 1,000\./);
    assert.match(nano, /is not a trace: line 1: .*: are these nanoseconds\? Divide by 1,000,000\./);
    assert.deepEqual(more, []);
    assert.match(stdout, /WF .* begins in 1970-01: are its instants seconds\?/);
  });

  test('far away and long ago: years of six digits, in sentences and in rows', async () => {
    const moved = (byMs: number): string =>
      trace(faulty.map((record) => ({ ...record, at: record.at + byMs })));
    const beyond = trace([...good, { event: 'StopStart', at: 8.64e15 }]);
    const { code, stdout, stderr } = await cli(['check', moved(9e14), moved(-9e14), beyond]);
    assert.deepEqual([code, stderr], [1, '']);
    const told = [...stdout.matchAll(/^S1 .*, at (\S+): .*\n +"report" was started at (\S+),/gm)];
    for (const [, head, sentence] of told) assert.equal(sentence, head);
    assert.deepEqual([...new Set(told.map(([, head]) => head.slice(0, 4)))], ['+030', '-026']);
    assert.match(stdout, /^⚠ conformant; the environment is at fault: WF$/m);
    assert.match(stdout, /line 7: StopStart: the field "at"/);
  });

  test('a name that looks like an instant that cannot be is told as it is', async () => {
    const names = ['2027-13-41T99:00:00.000Z', '+275760-09-13T00:00:00.000Z', '-000000-01-01T00:00:00.000Z'];
    const started = names.map((task) => trace([...begun, { event: 'RunStart', at: at('10:59:30'), task }]));
    const { code, stdout, stderr } = await cli(['check', ...started]);
    assert.deepEqual([code, stderr], [1, '']);
    for (const name of names) assert.ok(stdout.includes(`"${name}" was started`), stdout);
  });

  test('a malformed first line has no instant, and a scheduler that is blamed as well is told so', async () => {
    const [lucky, unhappy] = [good, faulty].map((records) => written(`garbage\n${textOf(records)}`));
    const { code, stdout } = await cli(['check', lucky, unhappy]);
    assert.equal(code, 1);
    const [first, second] = stdout.split(/^(?=\S*trace-)/m);
    assert.match(first, /^WF Well-formed trace: the fault of the environment$/m);
    assert.match(first, /^ {4}line 1 +malformed$/m);
    assert.doesNotMatch(first, /1970|repair the recorder/);
    assert.match(second.replace(/\s+/g, ' '), /Malformed lines were left out, .* repair the recorder first/);
    const { traces } = JSON.parse((await cli(['check', '--json', lucky])).stdout);
    assert.deepEqual(traces[0].axioms.WF.violations[0].events, [{ event: 'malformed', line: 1 }]);
  });

  test('a trace whose beginning is gone says so where it blames the scheduler', async () => {
    const middle = good.slice(good.findIndex(({ event }) => event === 'RunStart'));
    const file = written(textOf(middle));
    const { code, stdout } = await cli(['check', file]);
    assert.equal(code, 1);
    assert.match(stdout.replace(/\s+/g, ' '), /The trace begins in the middle, with RunStart: what was owed/);
    const { traces } = JSON.parse((await cli(['check', '--json', file])).stdout);
    assert.equal(traces[0].beginsInTheMiddle, true);
    assert.doesNotMatch((await cli(['check', written(textOf(faulty))])).stdout, /in the middle/);
  });

  test('any fault in any record: a verdict, or an error in a line, and never a stack trace', async () => {
    const traces = fc
      .sample(damageTo(good), 150)
      .map(({ place, record }) =>
        written(good.map((own, index) => `${JSON.stringify(index === place ? record : own)}\n`).join('')),
      );
    const { code, stdout, stderr } = await cli(['check', ...traces]);
    assert.ok([0, 1, 2, 3].includes(code ?? -1), `exit code ${code}`);
    for (const line of stderr.split('\n')) assert.match(line, /^$|^error: \S+trace-\d+\.jsonl /);
    assert.doesNotMatch(stdout, /^\s+at .*[:(]\d+/m);
    const document = JSON.parse((await cli(['check', '--json', ...traces])).stdout);
    assert.deepEqual(
      document.traces.map(({ trace: name }: { trace: string }) => name),
      traces,
    );
  });

  test('a record that is none, beside all the others: the environment’s, whatever is wrong with it', async () => {
    const faults = fc
      .sample(damageTo(good), 200)
      .map(({ place, record }) => ({ place, text: JSON.stringify(record) }))
      .filter(({ text }) => !('event' in checkRecord(JSON.parse(text))));
    assert.ok(faults.length > 30, `only ${faults.length} are malformed`);
    const lines = textOf(good).split('\n');
    const names = faults.map(({ place, text }) => written(lines.toSpliced(place, 0, text).join('\n')));
    const { code, stdout, stderr } = await cli(['check', '--json', ...names]);
    assert.deepEqual([code, stderr], [3, '']);
    for (const [index, { blame, axioms }] of JSON.parse(stdout).traces.entries()) {
      const { place, text } = faults[index];
      assert.deepEqual([blame, axioms.WF.count], ['environment', 1], text);
      assert.equal(axioms.WF.violations[0].events[0].line, place + 1, text);
    }
  });

  test('several traces are judged one after the other, whatever comes of each', async () => {
    const { code, stdout, stderr } = await cli(['check', trace(good), 'missing.jsonl', trace(faulty)]);
    assert.equal(code, 1);
    assert.match(stderr, /missing\.jsonl/);
    assert.deepEqual(stdout.match(/^[✓✗].*$/gm), [
      '✓ conformant',
      '✗ not conformant: the scheduler is at fault: S1',
    ]);
    assert.equal((await cli(['check', trace(unlucky), 'missing.jsonl'])).code, 2);
    assert.equal((await cli(['check', trace(good), trace(unlucky)])).code, 3);
  });

  test('as JSON, with everything that the library tells', async () => {
    const file = trace(faulty);
    const { code, stdout } = await cli(['check', '--json', file, 'missing.jsonl']);
    assert.equal(code, 1);
    const { traces } = JSON.parse(stdout);
    const [{ axioms, ...verdict }, missing] = traces;
    assert.deepEqual(
      [verdict.trace, verdict.timeZone, verdict.conformant, verdict.blame, verdict.fitted],
      [file, 'Europe/Stockholm', false, 'scheduler', { a: 0, b: 0, lagMs: 250 }],
    );
    assert.equal(axioms.S1.violations[0].events.at(-1).line, 5);
    assert.match(missing.error, /does not exist/);
  });

  test('the witnesses are yours, and the informative parts are there for the asking', async () => {
    const file = trace(good);
    const strict = await cli(['check', '--lag', '0.1', file]);
    assert.equal(strict.code, 1);
    assert.match(strict.stdout, /not conformant: the scheduler is at fault: L1/);
    assert.match(strict.stdout, /judged by a lag of 100 ms/);
    const generous = await cli(['check', '--lag', '0.1', '--b', '500', '--all', file]);
    assert.equal(generous.code, 0);
    assert.match(generous.stdout, /a lag of 100 ms, b = 500;/);
    for (const id of ['EN3', 'Q1', 'P17']) assert.match(generous.stdout, new RegExp(`^ {2}${id} `, 'm'));
    const wrong = await cli(['check', '--lag', 'soon', file]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--lag takes a number of 0 or more, such as --lag 1\.5; got "soon"/);
    assert.equal((await cli(['check'])).code, 2);
  });

  test('from standard input', async () => {
    const child = spawn(process.execPath, [main, 'check', '-'], {
      cwd: folder,
      env: environment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(textOf(good));
    const [[code], said] = await Promise.all([once(child, 'close'), child.stdout.toArray()]);
    assert.equal(code, 0);
    assert.match(said.join(''), /^-: 6 records, 1 task .*\n✓ conformant\n/);
  });

  test('a large file shows on a terminal how far it is, and nothing of that stays', async () => {
    const terminal = new Terminal(['check', basename(large(20))], { columns: 100, rows: 40 });
    assert.equal(await terminal.exited, 0);
    assert.match(terminal.raw, /judging trace-\d+\.jsonl │█* *│ \d+ % \(\d+\.\d of \d+\.\d MB\)/);
    assert.match(terminal.screen, /^trace-\d+\.jsonl: 57,602 records, 1 task {2}UTC\n✓ conformant\n/);
    assert.doesNotMatch(terminal.screen, /judging/);
  });

  test('Ctrl-C leaves at once, while it waits for more', async () => {
    const terminal = new Terminal(['check', basename(trace(good)), '-'], { rows: 40 });
    await terminal.shows(/a lag of 250 ms would do/);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 130);
  });
});
