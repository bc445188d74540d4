/** Checks what `createWorld` is given, before a world is made of it. An error names the part that is wrong. */
import { describeValue as shown } from '../../errors.ts';
import type { Action, CallbackMix, DiskMix, Scenario } from './scenario.ts';

/** The largest seed. Chance has 32 bits, so a larger seed would be the same world as a smaller one. */
const SEED_MAX = 2 ** 32 - 1;

const KINDS: Readonly<Record<Action['kind'], true>> = {
  start: true,
  crash: true,
  'crash at call': true,
  stop: true,
  step: true,
  freeze: true,
  trouble: true,
  intrude: true,
  rival: true,
  ask: true,
};
const WEIGHTS: Readonly<Record<keyof CallbackMix, true>> = {
  succeedAtOnce: true,
  succeedLater: true,
  failLater: true,
  throwAtOnce: true,
  hang: true,
  overrun: true,
  burn: true,
  stop: true,
};
/** Whether each value must be given, or has a default. */
const DISK: Readonly<Record<keyof DiskMix, 'needed' | 'optional'>> = {
  latencyMs: 'needed',
  refusedPerMille: 'needed',
  unansweredPerMille: 'needed',
  ungrantedPerMille: 'optional',
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const partOf = (value: unknown, name: string): unknown =>
  isObject(value) ? Reflect.get(value, name) : undefined;

/** A seed: a whole number from 0 to 4294967295. */
export function checkSeed(seed: unknown): void {
  if (typeof seed !== 'number') throw new TypeError(`seed must be a number, such as 42; got ${shown(seed)}`);
  checkCount('seed', seed, SEED_MAX);
}

/** A scenario that was kept as JSON has no type, so every part is checked here. */
export function checkScenario(scenario: unknown): asserts scenario is Scenario {
  if (!isObject(scenario))
    throw new TypeError(
      `scenario must be an object, such as "as a test" prints or drawScenario(seed) gives; got ${shown(scenario)}`,
    );
  checkCount('scenario.seed', partOf(scenario, 'seed'), SEED_MAX);
  const start = partOf(scenario, 'start');
  if (typeof start !== 'string' || Number.isNaN(Date.parse(start)))
    throw new TypeError(
      `scenario.start must be an instant, such as "2026-06-01T12:00:00Z"; got ${shown(start)}`,
    );
  const timeZone = partOf(scenario, 'timeZone');
  if (typeof timeZone !== 'string')
    throw new TypeError(`scenario.timeZone must be a name, such as "UTC"; got ${shown(timeZone)}`);
  checkCount('scenario.workers', partOf(scenario, 'workers'));
  checkCount('scenario.finalWriteMs', partOf(scenario, 'finalWriteMs'));
  for (const name of Object.keys(WEIGHTS))
    checkCount(`scenario.callbacks.${name}`, partOf(partOf(scenario, 'callbacks'), name));
  for (const [name, need] of Object.entries(DISK)) {
    const value = partOf(partOf(scenario, 'disk'), name);
    if (need === 'needed' || value !== undefined) checkCount(`scenario.disk.${name}`, value);
  }
  checkEvents(partOf(scenario, 'events'));
}

function checkEvents(events: unknown): void {
  if (!Array.isArray(events))
    throw new TypeError(`scenario.events must be an array of [atMs, action]; got ${shown(events)}`);
  for (const [index, event] of events.entries()) {
    const name = `scenario.events[${index}]`;
    const [atMs, action]: unknown[] = Array.isArray(event) ? event : [];
    checkCount(`${name}[0]`, atMs);
    const kind = partOf(action, 'kind');
    if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind))
      throw new TypeError(
        `${name}[1].kind must be one of ${Object.keys(KINDS).join(', ')}; got ${shown(kind)}`,
      );
    if (kind === 'start' && !Array.isArray(partOf(action, 'tasks')))
      throw new TypeError(`${name}[1].tasks must be an array of { name, cron, retryDelayMs }`);
  }
}

function checkCount(name: string, value: unknown, max = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max) return;
  const kind = typeof value === 'number' ? RangeError : TypeError;
  throw new kind(`${name} must be a whole number from 0 to ${max}; got ${shown(value)}`);
}
