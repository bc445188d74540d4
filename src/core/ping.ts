/**
 * Who is pinged for a task (`task({ ping })`). The address is a secret: it is kept next to the task object and not in it, so that nothing that prints,
 * stores, traces or shows a task can have it. The scheduler does not know of it; `pings` asks for it.
 */

/** What there is to tell. */
export interface Ping {
  /** `alive` is the dead man's switch of the whole scheduler; the others are about a run. */
  readonly kind: 'start' | 'success' | 'fail' | 'alive';
  /** The task; empty for `alive`. */
  readonly task: string;
  /** The same for the start and the end of a run, and different for each run. */
  readonly id: string;
  /** What the callback threw, with its stack and its causes, 4 KB at most; empty but for `fail`. */
  readonly error: string;
}

/** One request. Its address may be a secret: it is in no message of ours. */
export interface PingRequest {
  readonly url: string | URL;
  /** `POST` by default. */
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Makes the request for a ping; undefined for none. */
export type PingAdapter = (ping: Ping) => PingRequest | undefined;
/** An address, as healthchecks.io understands it, or what `healthchecks`, `sentry` or a function of your own makes of one. */
export type PingTarget = string | URL | PingAdapter;

const targets = new WeakMap<object, PingTarget>();

/** Says who is pinged for a task object. */
export function setPing(task: object, target: PingTarget | undefined): void {
  if (target !== undefined) targets.set(task, target);
}

export const pingOf = (task: object): PingTarget | undefined => targets.get(task);

/** Who is pinged for the tasks of a list, by their names. */
export function pingsOf(tasks: readonly object[]): ReadonlyMap<string, PingTarget> {
  const found = new Map<string, PingTarget>();
  for (const task of tasks) {
    const target = pingOf(task);
    if (target !== undefined && 'name' in task) found.set(String(task.name), target);
  }
  return found;
}

/** An address of the web; undefined for anything else. */
export function webAddress(given: unknown): URL | undefined {
  const isUrl = typeof given === 'string' ? URL.canParse(given) : given instanceof URL;
  const url = isUrl ? new URL(given as string | URL) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}
