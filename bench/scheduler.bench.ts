/**
 * Many tasks due at one instant: ours, durable on a real SQLite file, beside croner, node-cron, cron and node-schedule, which
 * keep nothing. Each in a process of its own, one after the other.
 *
 * Cost first: a start is one object, its share of a transaction of up to 5,000, and a call; an end likewise. Nothing is visited
 * that is not due.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Figures } from './scheduler/contender.ts';

const contender = join(import.meta.dirname, 'scheduler', 'contender.ts');
const PEERS = ['croner', 'node-cron', 'cron', 'node-schedule'];

function measure(name: string, count: number): Figures {
  const output = execFileSync(process.execPath, ['--expose-gc', contender, name, String(count)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '{}');
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;

function sideBySide(count: number): void {
  console.log(`\n${count.toLocaleString('en')} tasks due at one instant, beside the peers`);
  const us = measure('obbligato', count);
  const row = (name: string, figures: Figures): void => {
    const ratio = (value: number, ours: number): string =>
      figures === us ? '' : ` (${(value / ours).toFixed(value / ours < 10 ? 1 : 0)}×)`;
    const missed = count - figures.called;
    console.log(
      `  ${name.padEnd(14)} registered in ${ms(figures.registerMs)}${ratio(figures.registerMs, us.registerMs)}, ` +
        `${figures.heapBytes.toFixed(0)} B a task${ratio(figures.heapBytes, us.heapBytes)}, ` +
        `last call ${ms(figures.lastCallMs)} late${ratio(figures.lastCallMs, us.lastCallMs)}, ${missed === 0 ? 'none' : missed} not called` +
        (figures.endsDurableMs === undefined
          ? ', nothing durable'
          : `, all ends durable after ${ms(figures.endsDurableMs)}`),
    );
  };
  row('obbligato', us);
  for (const name of PEERS) row(name, measure(name, count));
}

function alone(count: number): void {
  const us = measure('obbligato', count);
  console.log(
    `\n${count.toLocaleString('en')} tasks, ours alone\n` +
      `  initialize on an empty file ${ms(us.registerMs)}, restart on a full one ${ms(us.restartMs ?? 0)}, ${us.heapBytes.toFixed(0)} B of heap a task\n` +
      `  all called ${ms(us.lastCallMs)} after the instant, starts durable before; all ends durable and stopped after ${ms(us.endsDurableMs ?? 0)}\n` +
      `  the event loop was held for at most ${ms(us.initializeHeldMs ?? 0)} in initialize (after its first tick), ${ms(us.runHeldMs ?? 0)} in the run`,
  );
}

sideBySide(Number(process.env.BENCH_PEER_TASKS ?? 5000));
for (const count of [10_000, 100_000, 1_000_000]) alone(count);
