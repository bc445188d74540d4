/**
 * The dashboard of a hundred thousand tasks, in the process of their scheduler, which is the worst place for it: how soon it answers, what it costs while
 * pages are open, and what the starts of the scheduler notice of ten of them. Windows without and with pages take turns.
 *
 * Most tasks are due once per day. Some fail and are retried after a second, so that there are starts all the time: a retry is due at a millisecond.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildPage } from '../scripts/page.ts';
import { serveDashboard } from '../src/dashboard/index.ts';
import { control, createScheduler, type Registration, sqlite } from '../src/index.ts';
import { type Seen, seenIn } from './contenders/browser-page.ts';
import { type Held, heldOver } from './contenders/dashboard-memory.ts';
import type { ViewersArguments } from './contenders/viewers.ts';
import { machine } from './harness.ts';

const TASKS = 100_000;
const BUSY = 200;
const RETRY_MS = 1000;
const PAGES = 10;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 4);
const WINDOW_MS = 8000;
/** Pages that have just been opened ask for everything at once; what is measured is what comes after. */
const SETTLE_MS = 4000;
const FIRST_ANSWER_MS = 2000;
const FACT_MS = 2000;
const FACTS = 6;
const LONGEST_TASK_MS = 100;
const LOOKS = Number(process.env.BENCH_LOOKS ?? 600);
/** What may be held after the first half of the looks and not before: runs of the past, up to their bound, and noise. */
const MOST_GROWTH_BYTES = 24e6;
/** What a dashboard may hold when it has forgotten: noise of the scheduler that goes on. */
const MOST_LEFT_BYTES = 8e6;
/** What ten pages may take of the main thread per second, in milliseconds: a twentieth. It says more than lateness where the machine has other work. */
const MOST_MAIN_MS = 50;
/** At most so many times as late with pages as without. */
const MOST_TIMES_LATE = 1.5;

const late: number[] = [];
const folder = await mkdtemp(join(tmpdir(), 'obbligato-bench-'));
const store = sqlite(join(folder, 'jobs.db'));
const scheduler = createScheduler({
  store,
  logger: false,
  onEvent: (event) => {
    if (event.type === 'TaskRetryStarted') late.push(event.lateMs);
  },
});

/** The tasks that fail are due every minute too, so that they begin. */
const tasks = Array.from({ length: TASKS }, (_, index): Registration => {
  const isBusy = index % (TASKS / BUSY) === 0;
  const cron = isBusy ? '* * * * *' : `${index % 60} ${Math.floor(index / 60) % 24} * * *`;
  const name = `customer-${String(index).padStart(6, '0')}/nightly report`;
  return [name, cron, isBusy ? fails : () => {}, RETRY_MS];
});

function fails(): never {
  throw new Error('on purpose');
}

interface Window {
  readonly median: number;
  readonly worstInHundred: number;
  readonly cpu: number;
  /** The part of it that the main thread used. */
  readonly main: number;
  readonly starts: number;
}

/** What happens in a while. */
async function measured(): Promise<Window> {
  await delay(SETTLE_MS);
  late.length = 0;
  const [begun, used, mainUsed] = [performance.now(), process.cpuUsage(), process.threadCpuUsage()];
  await delay(WINDOW_MS);
  const perMs = ({ user, system }: NodeJS.CpuUsage): number =>
    (user + system) / 1000 / (performance.now() - begun);
  const [cpu, main] = [perMs(process.cpuUsage(used)), perMs(process.threadCpuUsage(mainUsed))];
  const sorted = late.toSorted((a, b) => a - b);
  return {
    median: sorted[sorted.length >> 1] ?? Number.NaN,
    worstInHundred: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    cpu,
    main,
    starts: sorted.length,
  };
}

interface Answered {
  readonly ms: number;
  readonly cpuMs: number;
}

const answer = (port: number, path: string): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const [begun, used] = [performance.now(), process.cpuUsage()];
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume().once('end', () => {
        const { user, system } = process.cpuUsage(used);
        resolve({ ms: performance.now() - begun, cpuMs: (user + system) / 1000 });
      });
    }).once('error', reject);
  });

function openPages(port: number): ChildProcess {
  const given: ViewersArguments = [String(port), String(PAGES)];
  return fork(join(import.meta.dirname, 'contenders', 'viewers.ts'), given);
}

const mean = (windows: readonly Window[], key: keyof Window): number =>
  windows.reduce((sum, window) => sum + window[key], 0) / windows.length;
const inMb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

function say(name: string, text: string, isMet?: boolean): void {
  if (isMet === false) process.exitCode = 1;
  const verdict = isMet === undefined ? '' : isMet ? '  (bound: met)' : '  (bound: MISSED)';
  console.log(`  ${name.padEnd(46)} ${text}${verdict}`);
}

function report(
  none: readonly Window[],
  some: readonly Window[],
  answers: readonly [Answered, Answered],
): void {
  const [first, later] = answers;
  say('first answer', `${first.ms.toFixed(0)} ms`, first.ms < FIRST_ANSWER_MS);
  say('first answer: processor', `${first.cpuMs.toFixed(0)} ms`);
  say('the next answer', `${later.ms.toFixed(0)} ms`);
  for (const [name, windows] of [
    ['no page open', none],
    [`${PAGES} pages open`, some],
  ] as const) {
    say(`${name}: starts late by, median`, `${mean(windows, 'median').toFixed(2)} ms`);
    say(`${name}: starts late by, 99 of 100`, `${mean(windows, 'worstInHundred').toFixed(2)} ms`);
    say(`${name}: processor per second`, `${(1000 * mean(windows, 'cpu')).toFixed(0)} ms`);
    say(`${name}: of that, the main thread`, `${(1000 * mean(windows, 'main')).toFixed(0)} ms`);
    say(`${name}: starts measured`, String(windows.reduce((sum, { starts }) => sum + starts, 0)));
  }
  const more = 1000 * (mean(some, 'main') - mean(none, 'main'));
  say('main thread for ten pages, per second', `${more.toFixed(0)} ms`, more < MOST_MAIN_MS);
  const times = mean(some, 'median') / mean(none, 'median');
  say('median lateness with pages, as a multiple', `${times.toFixed(2)}×`, times <= MOST_TIMES_LATE);
  say('memory of the process', inMb(process.memoryUsage().rss));
}

/** How long after a task is paused or resumed a viewer is told so, at worst. */
async function factsSeen(port: number): Promise<number> {
  const [[name]] = tasks.slice(1);
  const kinds = Array.from({ length: FACTS }, (_, index) => (index % 2 === 0 ? 'pause' : 'resume'));
  let worst = 0;
  for (const kind of kinds) {
    await control(store)[kind](name);
    const begun = performance.now();
    const isSeen = async (): Promise<boolean> => {
      const answered = await fetch(`http://127.0.0.1:${port}/api/task?name=${encodeURIComponent(name)}`);
      const { state } = Object(await answered.json());
      return (state === 'paused') === (kind === 'pause');
    };
    while (!(await isSeen())) await delay(20);
    worst = Math.max(worst, performance.now() - begun);
  }
  return worst;
}

function reportLooks(factMs: number, { firstPaintMs, firstRowMs, longestTaskMs }: Seen): void {
  say(`a fact is seen after, worst of ${FACTS}`, `${factMs.toFixed(0)} ms`, factMs < FACT_MS);
  say('in a browser: first paint', `${firstPaintMs.toFixed(0)} ms`, firstPaintMs < FIRST_ANSWER_MS);
  say('in a browser: first tasks', `${firstRowMs.toFixed(0)} ms`, firstRowMs < FIRST_ANSWER_MS);
  const isFluid = longestTaskMs <= LONGEST_TASK_MS;
  say('in a browser: longest task while scrolling', `${longestTaskMs.toFixed(0)} ms`, isFluid);
}

function reportMemory({ before, first, half, end, gone }: Held): void {
  const per = (bytes: number): string => `${inMb(bytes)} (${Math.round(bytes / TASKS)} bytes per task)`;
  say('held for viewers, after the first look', per(first - before));
  say(`held for viewers, after ${LOOKS / 2} looks`, per(half - before));
  say(`held for viewers, after ${LOOKS} looks`, per(end - before), end - half < MOST_GROWTH_BYTES);
  say('held when all have gone', inMb(gone - before), gone - before < MOST_LEFT_BYTES);
}

console.log(machine());
console.log(`\n${TASKS.toLocaleString('en')} tasks, ${BUSY} of them started about once per second`);
await scheduler.initialize(tasks);
await buildPage(join(import.meta.dirname, '..', 'src', 'dashboard'));
const server = await serveDashboard({ store, port: 0 });
try {
  await delay(SETTLE_MS);
  const answers = [
    await answer(server.port, '/api/tasks?limit=50'),
    await answer(server.port, '/api/state'),
  ] as const;
  const [none, some]: [Window[], Window[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    none.push(await measured());
    const pages = openPages(server.port);
    try {
      some.push(await measured());
    } finally {
      pages.kill();
    }
  }
  report(none, some, answers);
  reportLooks(await factsSeen(server.port), await seenIn(server.url));
  await server.close();
  reportMemory(await heldOver(store, LOOKS));
} finally {
  await server.close();
  await scheduler.stop();
  await rm(folder, { recursive: true, force: true });
}
