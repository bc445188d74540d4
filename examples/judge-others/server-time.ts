/**
 * Simulated time for a scheduler whose database is real. Time here waits for every answer of the database, and the clock of the database
 * follows the one here:
 *
 * - PostgreSQL: `now()` is found along the search path, so a function of ours that reads a table comes before the built-in one.
 * - Redis has no clock that can be set. Whenever time moves by so much here, every key that expires does so that much earlier there; and a
 *   command that blocks for some seconds blocks until it is unblocked, as by its own limit, after these seconds here.
 */
import { Redis } from 'ioredis';
import pg from 'pg';
import type { ServerKind } from './servers.ts';
import type { Follower, SimulatedTime } from './time.ts';

type Callback = (...given: unknown[]) => unknown;
type Method = (this: unknown, ...given: unknown[]) => unknown;

export function followerOf(server: ServerKind, url: string, time: SimulatedTime): Promise<Follower> {
  return server === 'postgres' ? postgresFollower(url, time) : redisFollower(url, time);
}

/** The method, with simulated time waiting for the promise or for the callback. */
const awaited = (method: Method, time: SimulatedTime): Method =>
  function (this: unknown, ...given) {
    const callback = given.at(-1);
    if (typeof callback !== 'function') {
      const answer = method.apply(this, given);
      if (answer instanceof Promise) time.awaiting(answer).catch(() => {});
      return answer;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    time.awaiting(promise);
    const answering: Callback = (...answer) => {
      resolve();
      return callback(...answer);
    };
    return method.apply(this, [...given.slice(0, -1), answering]);
  };

async function postgresFollower(url: string, time: SimulatedTime): Promise<Follower> {
  const client = new pg.Client(url);
  await client.connect();
  // The compiler knows their overloads, not that any of them is only passed on.
  const methods = pg.Client.prototype as unknown as Record<'connect' | 'query', Method>;
  const plain = methods.query;
  for (const name of ['connect', 'query'] as const) methods[name] = awaited(methods[name], time);
  return async (wall) => {
    await plain.call(client, 'UPDATE simulated.clock SET at = to_timestamp($1::float8 / 1000)', [wall]);
  };
}

const EXPIRE_EARLIER = `for _, key in ipairs(redis.call('keys', 'bull:*')) do
  local left = redis.call('pttl', key)
  if left >= 0 then redis.call('pexpire', key, left - ARGV[1]) end
end`;

/** As much of a command of ioredis as is needed here. */
interface Sent {
  readonly name: string;
  readonly args: unknown[];
}

async function redisFollower(url: string, time: SimulatedTime): Promise<Follower> {
  const control = new Redis(url, { maxRetriesPerRequest: null });
  const methods = Redis.prototype as unknown as Record<'sendCommand', Method>;
  const plain = methods.sendCommand;
  methods.sendCommand = function (this: unknown, ...given) {
    const command = given[0] as Sent; // it is what ioredis calls this with
    if (command.name === 'bzpopmin' && this instanceof Redis) return blocking(this, command);
    return awaited(plain, time).apply(this, given);
  };
  const blocking = (redis: Redis, command: Sent): unknown => {
    const id = redis.client('ID'); // it is answered before the command that follows it blocks
    const seconds = Number(command.args.pop());
    command.args.push('0');
    const answer = plain.call(redis, command);
    const timer = setTimeout(async () => control.client('UNBLOCK', await id), seconds * 1000);
    if (answer instanceof Promise) answer.catch(() => {}).finally(() => clearTimeout(timer));
    id.catch(() => clearTimeout(timer));
    return answer;
  };
  let followedTo = time.now;
  return async (wall) => {
    const passed = wall - followedTo;
    followedTo = wall;
    await control.eval(EXPIRE_EARLIER, 0, passed);
  };
}
