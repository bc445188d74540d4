import { Cron } from 'croner';
import type { Register } from '../peer.ts';

export const register: Register = (expression, call) => new Cron(expression, call);
