/**
 * The conversations of those who ask something of a file's owner (I1). All of one store share one thread.
 *
 *     none ──the first asks──▶ open ──the last has let go──▶ none
 *                               └──it cannot be opened, or its thread has died──▶ none, and the next one opens another
 */
import type { AskedRequest, ControlRequest } from './port.ts';
import { Channel } from './sqlite-channel.ts';
import type { ThreadOptions } from './sqlite-messages.ts';

/** One thread, and how many talk through it. */
interface Line {
  readonly channel: Promise<Channel>;
  users: number;
}

export class Asks {
  readonly #options: ThreadOptions;
  #line: Line | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  async ask(request: ControlRequest): Promise<AskedRequest> {
    this.#line ??= { channel: Channel.open(this.#options).then(({ channel }) => channel), users: 0 };
    const line = this.#line;
    line.users++;
    try {
      const channel = await line.channel;
      const { owner } = await channel.using(() => channel.ask({ kind: 'ask', request }, 'asked'));
      return conversation(channel, request.id, owner, () => this.#letGo(line));
    } catch (error) {
      this.#leave(line);
      await this.#letGo(line);
      throw error;
    }
  }

  /** Nobody else begins to talk through it. */
  #leave(line: Line): void {
    if (this.#line === line) this.#line = undefined;
  }

  async #letGo(line: Line): Promise<void> {
    if (--line.users > 0) return;
    this.#leave(line);
    const channel = await line.channel.catch(() => undefined);
    await channel?.close();
  }
}

function conversation(
  channel: Channel,
  id: string,
  owner: AskedRequest['owner'],
  letGo: () => Promise<void>,
): AskedRequest {
  let closing: Promise<void> | undefined;
  return {
    owner,
    answer: () =>
      channel.using(async () => {
        const { answer } = await channel.ask({ kind: 'answerTo', request: id }, 'answered');
        return answer;
      }),
    close() {
      closing ??= letGo();
      return closing;
    },
  };
}
