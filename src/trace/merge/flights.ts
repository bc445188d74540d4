/**
 * The runs of the tasks of a cluster, as the traces tell of them: of each task the last one that is not over for good.
 *
 *     granted ──StartDurable──▶ claimed ──RunStart──▶ called ──RunSuccess, RunFailure, RunInterrupted──▶ ended ──EndDurable──▶ over
 *                                  └─────────────────────┴──its instance is gone──▶ cut off
 *
 * *Granted* is a start that its instance has not heard of. The store has granted it before another list came, and the trace tells of it later. If
 * its instance is gone before that, it is dropped here: the store says which run was cut off (`isUnheard`).
 *
 * *A run goes on under the registration it was claimed under* (I5). Its instance may not know yet that another list counts, and until it does it
 * judges by its own what comes due meanwhile (H4, H9). So for a task that runs the next list counts from when that instance hears of it, or from
 * the end of the run. What the next list has due before that is not missed: it is after the cursor then, and pending at once (E4).
 */
import { type Configuration, isSameConfiguration } from './cluster-list.ts';

export interface Flight {
  readonly runId: string | undefined;
  readonly instance: string;
  stage: 'granted' | 'claimed' | 'called' | 'ended';
  /** The configuration that it goes on under, if that is not the one that is stored. */
  under?: Configuration;
}

export class Flights {
  readonly #byTask = new Map<string, Flight>();
  /** The runs that were cut off. */
  readonly #cutOffs = new Set<string>();
  #isOtherList = false;

  get size(): number {
    return this.#byTask.size;
  }

  has(task: string): boolean {
    return this.#byTask.has(task);
  }

  /** The run of a task that has not ended, if another instance has it. */
  rival(task: string, instance: string): Flight | undefined {
    const flight = this.#byTask.get(task);
    return flight === undefined || flight.stage === 'ended' || flight.instance === instance
      ? undefined
      : flight;
  }

  /** Of each task that runs under another configuration than the stored one, that configuration. */
  get configurations(): ReadonlyMap<string, Configuration> {
    const configurations = new Map<string, Configuration>();
    for (const [task, { stage, under }] of this.#byTask)
      if (stage !== 'ended' && under !== undefined) configurations.set(task, under);
    return configurations;
  }

  configurationOf(task: string): Configuration | undefined {
    const flight = this.#byTask.get(task);
    return flight?.stage === 'ended' ? undefined : flight?.under;
  }

  /** Whether `configurations` are others than when this was asked last. */
  takeChange(): boolean {
    const isOtherList = this.#isOtherList;
    this.#isOtherList = false;
    return isOtherList;
  }

  /** The store has granted a start that its instance hears of later. If a run goes on, the start comes after the end of that. */
  granted(task: string, runId: string | undefined, instance: string, under: Configuration): void {
    const { stage = 'ended' } = this.#byTask.get(task) ?? {};
    if (stage === 'ended') this.#set(task, { runId, instance, stage: 'granted', under });
  }

  /** An instance that stops calls nothing any more. */
  stopping(instance: string): void {
    for (const flight of this.#byTask.values()) {
      if (flight.instance !== instance || flight.stage !== 'claimed') continue;
      this.#isOtherList ||= flight.under !== undefined;
      delete flight.under;
    }
  }

  claimed(task: string, runId: string | undefined, instance: string, under: Configuration | undefined): void {
    this.#set(task, { runId, instance, stage: 'claimed', ...(under && { under }) });
  }

  called(task: string, runId: string | undefined, instance: string): void {
    const flight = this.#byTask.get(task);
    const under = flight?.runId === runId ? flight?.under : undefined;
    this.#set(task, { runId, instance, stage: 'called', ...(under && { under }) });
  }

  ended(task: string, runId: string | undefined): void {
    const flight = this.#byTask.get(task);
    if (flight === undefined || flight.runId !== runId) return;
    this.#isOtherList ||= this.configurationOf(task) !== undefined;
    flight.stage = 'ended';
  }

  over(task: string, runId: string | undefined): void {
    if (this.#byTask.get(task)?.runId === runId) this.#delete(task);
  }

  cutOff(task: string, runId: string | undefined): void {
    this.#delete(task);
    if (runId !== undefined) this.#cutOffs.add(runId);
  }

  /** Cuts off all runs, or those of one instance; answers their tasks. */
  cutOffAll(instance?: string): readonly string[] {
    const all = Array.from(this.#byTask).filter(
      ([, flight]) => instance === undefined || flight.instance === instance,
    );
    for (const [task, { runId, stage }] of all)
      if (stage === 'granted') this.#delete(task);
      else this.cutOff(task, runId);
    return all.filter(([, { stage }]) => stage !== 'granted').map(([task]) => task);
  }

  /** Whether no trace has told of a run that was cut off. Many may tell of that, and some when the task has long been started again. */
  isUnheard(task: string, runId: string): boolean {
    const flight = this.#byTask.get(task);
    const unheard = flight?.runId === runId ? 'granted' : 'ended';
    const isHeard = flight !== undefined && flight.stage !== unheard;
    return !isHeard && !this.#cutOffs.has(runId);
  }

  /** An instance has another list, and `stored` is what counts from now on. What others run goes on under what counted before. */
  listed(
    instance: string,
    has: (task: string) => boolean,
    before: (task: string) => Configuration | undefined,
    stored: (task: string) => Configuration | undefined,
  ): void {
    for (const [task, flight] of this.#byTask) {
      if (flight.stage === 'ended') continue;
      const isHeard = flight.instance === instance && has(task);
      const [counted, counts] = [flight.under ?? before(task), stored(task)];
      const isSame = counted === undefined || counts === undefined || isSameConfiguration(counted, counts);
      const under = isHeard || isSame ? undefined : counted;
      this.#isOtherList ||= under !== flight.under;
      if (under === undefined) delete flight.under;
      else flight.under = under;
    }
  }

  #set(task: string, flight: Flight): void {
    this.#isOtherList ||= this.configurationOf(task) !== flight.under;
    this.#byTask.set(task, flight);
  }

  #delete(task: string): void {
    this.#isOtherList ||= this.configurationOf(task) !== undefined;
    this.#byTask.delete(task);
  }
}
