import { scheduleJob } from 'node-schedule';
import type { Register } from '../peer.ts';

export const register: Register = (expression, call) => {
  const job = scheduleJob(expression, call);
  return { stop: () => job.cancel() };
};
