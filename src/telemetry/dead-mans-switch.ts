/**
 * The dead man's switch of a scheduler: a ping at regular intervals for as long as all is well. When it does not come, the service that waits for it
 * raises the alarm, also when the machine is gone.
 *
 *     silent ──initialized──▶ beating ──stopping, or the store is in trouble──▶ silent
 *
 * A beat is sent only if the event loop turns (a timer of the same loop sends it) and, where a store is given, if the store can be read, a scheduler
 * owns it, and nothing is overdue for longer than `lateAfterMs`. Each scheduler over one store sees the same records: if several of them beat
 * for one address, it is the switch of the whole cluster. It keeps silent for as long as the cluster does not serve what is owed, and goes on
 * while one scheduler lives.
 */
import type { SchedulerEvent } from '../index.ts';
import { METRICS } from './catalogue.ts';
import type { Surveyor } from './survey.ts';

export interface SwitchOptions {
  readonly everyMs: number;
  readonly lateAfterMs: number;
  readonly surveyor: Surveyor | undefined;
  beat(): void;
}

export class DeadMansSwitch {
  readonly #options: SwitchOptions;
  #isUp = false;
  #isTroubled = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SwitchOptions) {
    this.#options = options;
  }

  hear({ type }: SchedulerEvent): void {
    if (type === 'SchedulerInitializationCompleted') this.#begin();
    if (type === 'SchedulerStopRequested') this.close();
    if (type === 'StoreTroubleStarted' || type === 'StoreLost') this.#isTroubled = true;
    if (type === 'StoreTroubleEnded' || type === 'SchedulerStopped') this.#isTroubled = false;
  }

  close(): void {
    this.#isUp = false;
    clearInterval(this.#timer);
  }

  #begin(): void {
    if (this.#isUp) return; // a reload
    this.#isUp = true;
    // The scheduler keeps the process alive; this need not.
    this.#timer = setInterval(() => void this.#look(), this.#options.everyMs).unref();
    void this.#look();
  }

  async #look(): Promise<void> {
    const isWell = await this.#isWell();
    // It may have been stopped meanwhile.
    if (isWell && this.#isUp && !this.#isTroubled) this.#options.beat();
  }

  async #isWell(): Promise<boolean> {
    const { surveyor, lateAfterMs } = this.#options;
    if (surveyor === undefined) return true;
    const findings = await surveyor.findings();
    const worst = (metric: (typeof METRICS)[keyof typeof METRICS]): number =>
      Math.max(0, ...(findings.get(metric) ?? []).map(({ point }) => Number(point)));
    return (
      worst(METRICS.readable) === 1 &&
      worst(METRICS.owned) === 1 &&
      worst(METRICS.overdue) * 1000 <= lateAfterMs
    );
  }
}
