/**
 * How `run` and `simulate` end.
 *
 *     running ──SIGINT, SIGTERM, SIGHUP, or no reader of the output──▶ stopping ──all ended──▶ over
 *                                                                         └──SIGINT again──▶ left at once (130)
 *
 * Where there is no terminal that could hang up, SIGHUP is a wish to load the configuration again.
 *
 * A SIGTERM while stopping changes nothing: service managers repeat themselves. A SIGINT directly after the first one is the same
 * Ctrl-C: a wrapper that passes signals on to its child sends again what the terminal has already sent to everybody.
 */
const SAME_KEY_PRESS_MS = 500;

export interface Ending {
  /** The first wish to stop, or nothing reads the output any more. */
  stop(why: 'asked' | 'unread'): void;
  /** The second: leaves, and does not come back. */
  leave(): void;
  /** SIGHUP, where it does not mean that the terminal has gone. */
  reload?(): void;
}

export class Shutdown {
  readonly #ending: Ending;
  readonly #monotonic: () => number;
  #stoppingSince: number | undefined;
  #isOver = false;

  constructor(ending: Ending, monotonic: () => number = () => performance.now()) {
    this.#ending = ending;
    this.#monotonic = monotonic;
  }

  listen(): void {
    process.on('SIGINT', () => this.#interrupted());
    process.on('SIGTERM', () => this.#stop('asked'));
    process.on('SIGHUP', () => this.#hungUp());
    process.on('SIGPIPE', () => this.#stop('unread'));
  }

  /**
   * From here on signals do nothing. They are still listened to: otherwise one more Ctrl-C would kill the process right while it gives
   * the terminal back.
   */
  finish(): void {
    this.#isOver = true;
  }

  #interrupted(): void {
    if (this.#stoppingSince === undefined) this.#stop('asked');
    else if (!this.#isOver && this.#monotonic() - this.#stoppingSince > SAME_KEY_PRESS_MS)
      this.#ending.leave();
  }

  #hungUp(): void {
    if (this.#ending.reload === undefined) this.#stop('asked');
    else if (!this.#isOver && this.#stoppingSince === undefined) this.#ending.reload();
  }

  #stop(why: 'asked' | 'unread'): void {
    if (this.#isOver || this.#stoppingSince !== undefined) return;
    this.#stoppingSince = this.#monotonic();
    this.#ending.stop(why);
  }
}
