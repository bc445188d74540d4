/** Every benchmark there is, in the order in which they run. */
import { join } from 'node:path';
import type { Benchmarks, Program } from './runner/arguments.ts';
import type { Documents } from './runner/command.ts';
import { allDue } from './scenarios/all-due.ts';
import { controls } from './scenarios/controls.ts';
import { minuteOf1000, minuteOf10000, minuteOf100000 } from './scenarios/database-minute.ts';
import { databaseIdle, databaseQueue, databaseSize } from './scenarios/database-rest.ts';
import { growth } from './scenarios/growth.ts';
import { history } from './scenarios/history.ts';
import { million } from './scenarios/million.ts';
import { peers } from './scenarios/peers.ts';
import { scattered } from './scenarios/scattered.ts';

const program = (name: string, title: string): Program => ({
  name,
  title,
  file: join(import.meta.dirname, `${name}.bench.ts`),
});

export const benchmarks: Benchmarks = {
  scenarios: [
    scattered,
    allDue,
    million,
    controls,
    peers,
    growth,
    history,
    minuteOf1000,
    minuteOf10000,
    minuteOf100000,
    databaseIdle,
    databaseSize,
    databaseQueue,
  ],
  programs: [
    program('cron', 'next, parsing and memory of the cron engine, with croner and cron-schedule'),
    program(
      'dashboard',
      'the page of 100,000 tasks: first answer, cost, and the lateness of starts with ten pages open',
    ),
    program('executor', 'a million tasks that do nothing, with the queues that people use'),
    program('simulation', 'how fast time passes in a simulated world'),
    program('store', 'the embedded store: starts, ends, opening, reading, a single commit'),
    program('theory', 'the oracle: records per second, memory, cost of a live monitor'),
    program('trace', 'recording and reading a trace'),
  ],
};

const root = join(import.meta.dirname, '..');

export const documents: Documents = {
  folder: join(root, 'docs', 'benchmarks'),
  pages: [join(root, 'docs', 'performance.md')],
};
