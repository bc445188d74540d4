/**
 * What an engine does about the other instances of its store (K1, K7). Nothing here decides a start: the store does, by the claim. It decides
 * whom this instance asks for, and when, so a wrong view of the others costs time and nothing else.
 *
 * - A due falls to one instance by a hash of the task's name and the members. That one claims it at once. The others look after a grace
 *   whether it was served, and claim what was not. Where there is one member, everything falls to it.
 * - A refused claim brings the record as it is. The engine goes on from that. If another instance runs the task, that one also starts what
 *   comes due until its end is durable, and retries, for as long as it lives. So it looks at the task then, and asks the store about one that it
 *   takes for paused: another instance may have let it go on.
 * - Operators may have asked another instance (I). So a task that seems to be paused is looked at like one that falls to another, and what is
 *   asked for here is decided by what the store has then (`refresh`). The store brings a request again until it is answered: so a run that was
 *   asked for is claimed again when the one that another instance has begun is over.
 * - When a member has gone, whatever it was about to start is in the records: runs that were cut off, retries, dues that nobody has served.
 *   All are looked for then, also when a list changes nothing here, since its instance may have given names up, and now and then anyway.
 */
import { cutOffRunOf } from '../../core/cut-off-run.ts';
import type { TaskRecord } from '../../core/record.ts';
import { readable } from '../../core/stored.ts';
import type { Timer } from '../../time/clock.ts';
import type { SharedSession, StoreSession } from '../port.ts';
import type { ClusterView, News, ViewedScheduler } from './port.ts';
import { Refresh } from './refresh.ts';
import { Shares } from './shares.ts';

const GRACE_MS = 2000;
const SWEEP_MS = 5 * 60_000;
/** How many tasks are asked for at once. */
const SLICE = 10_000;
/** An offset of the host's clock below this is not worth a word (K6). */
const OFFSET_MS = 1000;

export class SharedView implements ClusterView {
  readonly #sharing: SharedSession;
  readonly #scheduler: ViewedScheduler;
  readonly #shares: Shares;
  readonly #refresh: Refresh;
  readonly #later = new Set<number>();
  /** Of these, the ones whose claim was refused though nothing had changed: a lease was over, or configurations were old. */
  readonly #again = new Set<number>();
  /** The tasks that another list has configured, until this one follows it. */
  readonly #outdated = new Set<number>();
  /** By task: since when the store had it paused, the last time that it was read. */
  readonly #pauses = new Map<number, number>();
  #laterTimer: Timer | undefined;
  #sweepTimer: Timer | undefined;
  #isSweeping = false;
  #isOver = false;
  #saidAheadMs = 0;
  #members: readonly string[];

  constructor(sharing: SharedSession, read: StoreSession['read'], scheduler: ViewedScheduler) {
    const { tasks, instanceId, clock } = scheduler;
    this.#refresh = new Refresh(read, clock);
    this.#sharing = sharing;
    this.#scheduler = scheduler;
    const names = Array.from({ length: tasks.count }, (_, task) => tasks.nameOf(task));
    this.#shares = new Shares(names, instanceId);
    this.#members = sharing.members;
    this.#shares.divide(this.#members);
    // A member that went while this one was initialized has announced nothing: the records were read before.
    this.#sweepLater(2 * GRACE_MS);
  }

  /** The list was edited (I5): these tasks are others than before, and those are gone. */
  edited(changed: readonly number[], gone: readonly number[]): void {
    const { tasks } = this.#scheduler;
    for (const task of [...changed, ...gone])
      for (const marks of [this.#later, this.#again, this.#outdated, this.#pauses]) marks.delete(task);
    for (const task of changed) this.#shares.add(task, tasks.nameOf(task), this.#members);
  }

  /** Whether another instance is the first to start a task that is due (K7), or this one does not know whether it may. */
  isOthers(task: number): boolean {
    return !this.#shares.isOwn(task) || this.#scheduler.tasks.isPaused(task);
  }

  /** Looks after a grace whether a due was served. */
  lookLater(task: number): void {
    this.#later.add(task);
    this.#laterTimer ??= this.#scheduler.clock.setTimer(() => {
      this.#laterTimer = undefined;
      const [tasks, again] = [[...this.#later], [...this.#again]];
      this.#later.clear();
      this.#again.clear();
      void this.#lookAt(tasks).then(() => this.#claimAgain(again));
    }, GRACE_MS);
  }

  /** A change was refused, and this is the record. If it has the version that the change was decided by, only time can help. */
  refused(task: number, record: TaskRecord | undefined): void {
    if (record === undefined || this.#isOver) return;
    const { tasks } = this.#scheduler;
    const before = tasks.versionOf(task);
    const isPaused = tasks.isPaused(task);
    this.#follow(task, record);
    const { run } = record;
    if (run?.cutOffAt === null) {
      // Its instance may be one that this one does not know yet, or does not know to be gone.
      if (!this.#sharing.members.includes(run.instanceId)) this.lookLater(task);
      return;
    }
    const isNew = tasks.versionOf(task) !== before || tasks.isPaused(task) !== isPaused;
    // A look right away would decide the same by the same list, and the store would refuse it again.
    if (isNew && !this.#outdated.has(task)) this.#scheduler.look(task);
    else if (this.#scheduler.isPending(task, this.#scheduler.clock.now())) {
      this.#again.add(task);
      this.lookLater(task);
    }
  }

  /** Resolves when the tasks are as the store has them; not at all if this view is over before. */
  refresh(names: readonly string[]): Promise<void> {
    return this.#refresh.read(names, (record) => this.#refreshed(record));
  }

  #refreshed(record: TaskRecord): void {
    const task = this.#scheduler.tasks.find(record.name);
    if (task < 0) return;
    if (this.#scheduler.isIdle(task) && record.run?.cutOffAt !== null) {
      this.#follow(task, record);
      this.#scheduler.look(task);
    } else this.#followPause(task, record);
  }

  /** A retry is in no list of what is due: whether it is still owed, the next claim tells. */
  #claimAgain(tasks: readonly number[]): void {
    for (const task of tasks) if (!this.#isOver && this.#scheduler.isIdle(task)) this.#scheduler.look(task);
  }

  news({ members, aheadMs }: News): void {
    if (this.#isOver) return;
    const isOff = Math.abs((aheadMs ?? 0) - this.#saidAheadMs) > OFFSET_MS;
    if (isOff) this.#sayOffset(aheadMs ?? 0);
    if (members === undefined) return;
    const before = this.#members;
    this.#members = this.#sharing.members;
    for (const instance of before) if (!this.#members.includes(instance)) this.#scheduler.gone({ instance });
    this.#shares.divide(this.#members);
    if (members.gone > 0) this.lookForLeft();
  }

  lookForLeft(): void {
    if (!this.#isOver) this.#sweepLater(0);
  }

  #sayOffset(aheadMs: number): void {
    this.#saidAheadMs = aheadMs;
    const by = `${Math.abs(Math.round(aheadMs))} ms ${aheadMs > 0 ? 'behind' : 'ahead of'}`;
    this.#scheduler.warn(`the clock of this host is ${by} that of the store, which counts`);
  }

  stop(): void {
    this.#isOver = true;
    this.#laterTimer?.cancel();
    this.#sweepTimer?.cancel();
    this.#refresh.stop();
  }

  #sweepLater(delayMs: number): void {
    this.#sweepTimer?.cancel();
    this.#sweepTimer = this.#scheduler.clock.setTimer(() => {
      this.#sweepLater(SWEEP_MS);
      void this.#sweep();
    }, delayMs);
  }

  /**
   * Looks for everything that an instance may have left. What this one knows to be served needs no look: a cursor that goes back is that of
   * a run that was cut off, or of a clock that was set back, and both are seen here. So an idle cluster is asked one thing.
   */
  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      this.#adopt(await this.#sharing.leftBehind());
      const { tasks, clock } = this.#scheduler;
      const now = clock.now();
      const isServed = (task: number): boolean => this.#scheduler.lastDue(task, now) <= tasks.cursorOf(task);
      const all = Array.from({ length: tasks.count }, (_, task) => task);
      await this.#lookAt(all.filter((task) => tasks.isListed(task) && !isServed(task)));
    } catch {
      if (!this.#isOver) this.#sweepLater(GRACE_MS);
    } finally {
      this.#isSweeping = false;
    }
  }

  async #lookAt(tasks: readonly number[]): Promise<void> {
    const now = this.#scheduler.clock.now();
    for (let from = 0; from < tasks.length && !this.#isOver; from += SLICE) {
      const some = tasks.slice(from, from + SLICE).filter((task) => this.#scheduler.isIdle(task));
      const dues = some.map((task) => ({
        name: this.#scheduler.tasks.nameOf(task),
        dueAt: this.#scheduler.lastDue(task, now),
      }));
      try {
        this.#adopt(await this.#sharing.unserved(dues));
      } catch {
        // The store is in trouble, which the writer reports, or this instance is fenced.
        if (!this.#isOver) for (const task of some) this.lookLater(task);
      }
    }
  }

  #adopt(records: readonly unknown[]): void {
    for (const value of records) {
      if (this.#isOver) return;
      const record = readable(value);
      const task = record === undefined ? -1 : this.#scheduler.tasks.find(record.name);
      if (record === undefined || task < 0 || !this.#scheduler.isIdle(task)) continue;
      this.#follow(task, record);
      this.#scheduler.look(task);
    }
  }

  /** A run that was cut off is the store's word that its instance is gone; what this one does about it comes after that in the trace. */
  #follow(task: number, record: TaskRecord): void {
    const cutOff = cutOffRunOf(record);
    if (cutOff !== undefined) this.#scheduler.gone(cutOff);
    const { tasks } = this.#scheduler;
    const isPaused = tasks.isPaused(task);
    tasks.follow(task, record);
    // While another instance runs it, and by an old configuration (K5), there is nothing to decide.
    const isOutdated = !tasks.hasConfigurationOf(task, record);
    if (isOutdated) this.#outdated.add(task);
    if (isOutdated || record.run?.cutOffAt === null) tasks.setVersion(task, Number.NaN);
    if (isPaused) tasks.pause(task);
    else tasks.resume(task);
    this.#followPause(task, record);
  }

  /**
   * What was asked for here, and the store does not know yet, counts more than what it knows. Each pause that the store has is told: who paused the
   * task may have died before it could say so, or say so when it is over. A task that is paused here may have gone on and been paused again.
   */
  #followPause(task: number, { name, pausedAt }: TaskRecord): void {
    const { tasks } = this.#scheduler;
    if (this.#scheduler.isTurning(task)) return;
    if (pausedAt === null) tasks.resume(task);
    else {
      const isKnown = tasks.isPaused(task) && this.#pauses.get(task) === pausedAt;
      if (!tasks.isPaused(task)) tasks.pause(task);
      this.#pauses.set(task, pausedAt);
      if (!isKnown) this.#scheduler.paused(name, pausedAt);
    }
  }
}
