/**
 * Sends the pings that tasks of a configuration ask for (`task({ ping })`). Another list brings other pings; who is told of a run that goes on meanwhile
 * is what the newest list says.
 *
 *     idle ──a list with pings──▶ sending ──close──▶ closed, once what is on its way has arrived, or after FLUSH_MS
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Config, pingsOf } from '../../config.ts';
import type { SchedulerEvent } from '../../index.ts';
import type { Pings, PingTrouble } from '../../telemetry/index.ts';

/** Who stops a schedule waits for so long at most that the end of the last run is told. */
const FLUSH_MS = 5000;

export class TaskPings {
  readonly #tell: (message: string) => void;
  #targets: ReturnType<typeof pingsOf> = new Map();
  #pings: Pings | undefined;

  /** `tell` hears of pings that do not arrive. */
  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** From now on these tasks count. What sends pings is loaded only if one of them asks for it. */
  async use(tasks: Config['tasks']): Promise<void> {
    this.#targets = pingsOf(tasks);
    if (this.#targets.size === 0 || this.#pings !== undefined) return;
    const { pings } = await import('../../telemetry/index.ts');
    this.#pings = pings({
      tasks: (name) => this.#targets.get(name),
      onTrouble: (trouble) => this.#tell(textOf(trouble)),
    });
  }

  readonly onEvent = (event: SchedulerEvent): void => this.#pings?.onEvent(event);

  async close(): Promise<void> {
    const enough = new AbortController();
    const { signal } = enough;
    await Promise.race([this.#pings?.flush(), delay(FLUSH_MS, undefined, { signal }).catch(() => {})]);
    enough.abort();
    this.#pings?.close();
  }
}

const textOf = ({ task, state, reason }: PingTrouble): string =>
  state === 'lost' ? `the pings of ${task} do not arrive: ${reason}` : `the pings of ${task} arrive again`;
