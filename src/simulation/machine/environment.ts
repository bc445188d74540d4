/** What happens to a machine from outside: its clock is set, its processes are held, its disk is spoilt, others want its store. */
import { notifyAll } from '../judges/judge.ts';
import type { Trouble } from '../scenario/scenario.ts';
import type { Disk } from './disk.ts';
import type { MachineParts } from './parts.ts';
import { SimulatedProcess } from './process.ts';

export class Environment {
  readonly #parts: MachineParts;
  readonly #disk: Disk;
  /** The process that lives now. */
  readonly #process: () => SimulatedProcess | undefined;

  constructor(parts: MachineParts, disk: Disk, process: () => SimulatedProcess | undefined) {
    this.#parts = parts;
    this.#disk = disk;
    this.#process = process;
  }

  /** Somebody sets the wall clock. */
  step(byMs: number): void {
    this.#parts.counts.steps++;
    this.#setClock(byMs);
  }

  freeze(ms: number, how: 'held' | 'asleep'): void {
    const { timeline, notify, recorder, counts } = this.#parts;
    counts.freezes++;
    const freeze = (): void => (how === 'held' ? timeline.burn(ms) : this.#setClock(ms));
    if (this.#process() === undefined) freeze();
    else recorder.frozenWhile(freeze); // to an active scheduler sleep is a clock step, and nothing is recorded here
    notify('computeWithheld');
  }

  trouble(kind: Trouble, ms: number): void {
    const { notify, counts } = this.#parts;
    counts.troubles++;
    notify('storeTroubled', ms);
    this.#disk.trouble(kind, ms);
  }

  /** Somebody else takes the store for a while. */
  rival(ms: number): void {
    this.#parts.counts.intruders++;
    this.#disk.hold(ms);
  }

  /** A second scheduler tries to take the same store. It must be refused, and the first must not notice. */
  intrude(): void {
    const { notify, counts, timeline, scenario } = this.#parts;
    const isActive = (): boolean => this.#process()?.isActive ?? false;
    if (!isActive()) return;
    counts.intruders++;
    const served = (): void => notify('intruderServed');
    const watch = notifyAll([{ batchSent: served, batchDurable: served }]);
    const intruder: SimulatedProcess = new SimulatedProcess({
      timeline,
      options: { timeZone: scenario.timeZone },
      store: (isAlive) => this.#disk.storeFor(watch, () => isAlive() && isActive()),
      trace() {},
      clockRead() {},
      clocksCompared() {},
      died() {},
    });
    intruder.scheduler
      .initialize([['intruder', '* * * * *', served, 1000]])
      .then(served, () => intruder.die());
  }

  #setClock(byMs: number): void {
    const { timeline, notify, recorder } = this.#parts;
    const process = this.#process();
    const isActive = process?.isActive ?? false;
    const from = timeline.now;
    timeline.step(byMs);
    const to = timeline.now;
    notify('clockSet', byMs);
    recorder.clockSet(byMs, isActive ? 'active' : 'not active');
    // Only an active scheduler looks for steps. Any other step is recorded by the world.
    if (!isActive && process !== undefined) recorder.write({ event: 'ClockStep', at: to, from, to });
  }
}
