import { schedule } from 'node-cron';
import type { Register } from '../peer.ts';

export const register: Register = (expression, call) => schedule(expression, call);
