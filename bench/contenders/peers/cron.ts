import { CronJob } from 'cron';
import type { Register } from '../peer.ts';

export const register: Register = (expression, call) =>
  CronJob.from({ cronTime: expression, onTick: call, start: true });
