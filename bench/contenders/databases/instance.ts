/** One instance of a scheduler, in a process of its own. It says when it is ready, and then how many calls it has made, until it is stopped. */
import { wallClock } from '../measuring.ts';
import { driverOf, type Kind, type Setting } from './driver.ts';

export interface InstanceParams extends Setting {
  readonly kind: Kind;
}

export type InstanceMessage =
  | { readonly says: 'ready'; readonly readyAt: number }
  | { readonly says: 'called'; readonly calls: number; readonly lastAt: number }
  | { readonly says: 'stopped' };

const SAY_EVERY_MS = 10;

const say = (message: InstanceMessage): void => {
  process.send?.(message);
};
let calls = 0;
let lastAt = 0;
let said = 0;
const sayCalls = (): void => {
  if (calls === said) return;
  said = calls;
  say({ says: 'called', calls, lastAt });
};

process.once('disconnect', () => process.exit(1)); // without the measuring process nobody waits for it
const params: InstanceParams = JSON.parse(process.argv[2]);
const { register } = await driverOf(params.kind);
const stop = await register(params, () => {
  calls++;
  lastAt = wallClock();
});
say({ says: 'ready', readyAt: wallClock() });
setInterval(sayCalls, SAY_EVERY_MS);
process.once('message', async () => {
  await stop();
  sayCalls();
  process.send?.({ says: 'stopped' } satisfies InstanceMessage, () => process.exit(0));
});
