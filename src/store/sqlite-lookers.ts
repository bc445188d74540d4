/**
 * The threads that look into files. To start one takes longer than a look, so who looks again and again gets the thread of the former look.
 *
 *     none ──take──▶ in use ──give back──▶ resting ──take──▶ in use
 *      ▲               │                      │
 *      └──give back────┘                      └──nobody has taken it for KEPT_MS──▶ none
 *
 * A thread that rests has no file open: a scheduler that closes the file meanwhile is its last user, and leaves one whole file behind. It does not
 * keep the process alive. One thread rests per file at most; a second one that is given back ends. A look of its own (`once`) takes a thread
 * that rests, but leaves none behind where there was none.
 */
import { Channel, type Opened } from './sqlite-channel.ts';
import type { ThreadOptions } from './sqlite-messages.ts';

const KEPT_MS = 5000;

/** By path. */
const resting = new Map<string, Channel>();

/** A thread that has its file open for a look. */
export interface Looker extends Opened {
  /** To be called once, when the look is over. */
  giveBack(): Promise<void>;
}

export async function takeLooker(options: ThreadOptions, use: 'once' | 'again'): Promise<Looker> {
  const { path } = options;
  const woken = resting.get(path);
  resting.delete(path);
  // If a thread that rests cannot go on, a new one says why.
  const opened = (woken && (await wake(woken))) ?? (await Channel.open(options));
  const { channel } = opened;
  const isKept = woken !== undefined || use === 'again';
  return { ...opened, giveBack: () => (isKept ? rest(path, channel) : channel.close()) };
}

async function wake(channel: Channel): Promise<Opened | undefined> {
  try {
    const { looked, identity } = await channel.using(() => channel.ask({ kind: 'again' }, 'opened'));
    return { channel, looked, identity };
  } catch {
    await end(channel);
    return undefined;
  }
}

async function rest(path: string, channel: Channel): Promise<void> {
  const hasRest = await channel.using(() => channel.ask({ kind: 'rest' }, 'done')).catch(() => undefined);
  if (hasRest === undefined || resting.has(path)) return end(channel);
  resting.set(path, channel);
  setTimeout(() => {
    if (resting.get(path) !== channel) return;
    resting.delete(path);
    void end(channel);
  }, KEPT_MS).unref();
}

/** A thread that has died is as good as one that has ended. */
const end = (channel: Channel): Promise<void> => channel.close().catch(() => {});
