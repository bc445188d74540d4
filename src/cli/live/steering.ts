/** The keys of the live view at work: what they have chosen, and what is looked up or done because of them. */
import type { PastRun } from '../../index.ts';
import { messageOf } from '../terminal/text.ts';
import type { TaskDeed } from './deeds.ts';
import type { Past } from './details.ts';
import { type Deed, HANDS_OFF, type Hands, press, type Shown } from './hands.ts';
import { Keyboard } from './keyboard.ts';
import type { Key } from './keys.ts';

/** What the steering needs from outside the view. */
export interface Helm {
  readonly input: NodeJS.ReadStream;
  /** The last runs of a task, the newest first; undefined if the store keeps none. */
  pastOf(task: string): Promise<readonly PastRun[] | undefined>;
  /** Asks for something, as from elsewhere (I1). Answers why it is not done; undefined if it is, or will be. */
  ask(deed: TaskDeed): Promise<string | undefined>;
}

/** What the steering needs from the view. */
export interface Deck {
  shown(): Shown;
  /** The screen is to be drawn again. */
  changed(): void;
  /** Something could not be done. */
  complain(text: string): void;
}

/** An end is an event a moment before the history has it. */
const SETTLING_MS = 500;

export class Steering {
  hands: Hands = HANDS_OFF;
  /** The past of the task whose screen is shown. */
  past: Past;
  readonly keyboard: Keyboard;
  readonly #helm: Helm;
  readonly #deck: Deck;
  /** When a run of the shown task has ended last. */
  #endedAt = 0;
  #later: NodeJS.Timeout | undefined;

  constructor(helm: Helm, deck: Deck) {
    this.#helm = helm;
    this.#deck = deck;
    this.keyboard = new Keyboard(helm.input, (key) => this.#pressed(key));
  }

  /** A run of a task has ended: if the task is shown, its past is looked up until it has that run. */
  ended(task: string, at: number): void {
    if (this.#shownTask !== task) return;
    this.#endedAt = at;
    this.#lookUpSoon(task);
  }

  #lookUpSoon(task: string): void {
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.#lookUp(task), SETTLING_MS).unref();
  }

  /** The task whose screen is shown, or would be without the question. */
  get #shownTask(): string | undefined {
    const { screen, selected } = this.hands;
    return (screen.kind === 'question' ? screen.from : screen).kind === 'task' ? selected : undefined;
  }

  #pressed(key: Key): void {
    const shownBefore = this.#shownTask;
    const { hands, deed } = press(this.hands, key, this.#deck.shown());
    this.hands = hands;
    const task = this.#shownTask;
    if (task !== undefined && task !== shownBefore) {
      this.past = undefined;
      this.#endedAt = 0;
      this.#lookUp(task);
    }
    if (deed !== undefined) this.#do(deed);
    this.#deck.changed();
  }

  /** As if somebody asked from elsewhere: it is the same way to stop, to run, to pause. What is done shows as an event. */
  #do(deed: Deed): void {
    if (deed.kind === 'stop') {
      process.kill(process.pid, 'SIGTERM');
      return;
    }
    const complain = (why: string): void =>
      this.#deck.complain(`${deed.task} is asked to ${deed.kind}, and that is not done: ${why}`);
    this.#helm.ask(deed).then(
      (why) => {
        if (why !== undefined) complain(why);
      },
      (error: unknown) => complain(messageOf(error)),
    );
  }

  #lookUp(task: string): void {
    const take = (past: Past): void => {
      if (this.#shownTask !== task) return;
      this.past = past;
      this.#deck.changed();
      const isBehind = Array.isArray(past) && (past[0]?.endedAt ?? 0) < this.#endedAt;
      if (isBehind) this.#lookUpSoon(task);
    };
    this.#helm.pastOf(task).then(
      (past) => take(past ?? 'not kept'),
      () => take('not kept'),
    );
  }
}
