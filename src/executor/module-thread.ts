/** The program of a thread of `inThread`: it runs one module after the other, as it is asked. */
import { parentPort } from 'node:worker_threads';
import { startedWith } from '../thread.ts';
import { type Job, type Report, runModule } from './thread-runner.ts';

startedWith('inThread');
parentPort?.on('message', async (job: Job) => {
  const report: Report = { obbligato: await runModule(job) };
  parentPort?.postMessage(report);
});
