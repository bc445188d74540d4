/** The program of the thread that looks whether the runner still lives. */
import { startedWith } from '../../src/thread.ts';

const runner = startedWith<number>('benchmark guard');

setInterval(() => {
  if (process.ppid !== runner) process.kill(process.pid, 'SIGKILL');
}, 1000);
