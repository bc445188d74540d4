/**
 * A little scheduler of rule A1 in a random environment, which writes down what it does. It has a store that outlives it, and what
 * is durable when it dies is decided by chance, as far as the rules leave that open. Its traces are conformant, but for delays.
 */
import type { TracedRegistration, TraceRecord } from '../../../src/trace/record.ts';
import type { Dice } from './dice.ts';
import { isDue, isValid, MINUTE_MS } from './schedule.ts';

/** What kind of trace is wanted. */
export interface Wish {
  readonly length: number;
  /** Whether the trace has durability records. */
  readonly durability: 'recorded' | 'unrecorded';
  readonly timeZone: string;
  readonly from: number;
  readonly workers?: number;
  /** How often a start waits for longer than it should. */
  readonly sloppiness: number;
  /** Whether operators ask for things (I), and some dues may become too old (H4). */
  readonly hasOperators: boolean;
}

/** What the store has of a name. */
interface Stored {
  registration: TracedRegistration;
  cursor: number;
  retryAt?: number | undefined;
  run?: string | undefined;
  isOrphaned: boolean;
  isPaused: boolean;
  isAskedFor: boolean;
}

/** What the process knows of a name. */
interface Known extends Stored {
  claim?: string | undefined;
  isUnsaved: boolean;
  isCancelled?: boolean;
}

type State = 'down' | 'idle' | 'initializing' | 'active' | 'stopping';

const crons = [
  '* * * * *',
  '* * * * *',
  '* * * * *',
  '0 12 * * *',
  '0,3 12 * * *',
  '1-4 * * * *',
  '0,2,4,6,8,10,15,30,45 * * * *',
  '30 * * * *',
  '0 * * * *',
  '59 11 * * *',
  '0 0 1 1 *',
  '0,1 * * * 1',
  '2 * 31 * 1,3',
];
const badCrons = ['*/5 * * * *', '0 0 30 2 *', '60 * * * *', '* * * *'];
const delays = [0, 0, 500, 5000, 5000, 60_000, 90_000, 600_000, 3_600_000];
const names = ['a', 'b', 'c'];
const storeErrors = ['ScheduleTaskError', 'StoreClosedError', 'StoreBusyError'];

export class Ideal {
  readonly records: TraceRecord[] = [];
  readonly #dice: Dice;
  readonly #wish: Wish;
  readonly #store = new Map<string, Stored>();
  readonly #memory = new Map<string, Known>();
  #now: number;
  #state: State = 'down';
  #calls = 0;
  #runs = 0;
  #list: readonly TracedRegistration[] = [];
  #openInit: { call: number; plannedAt?: number } | undefined;
  #openStop: number | undefined;
  /** Whether the open stop has a life to end; one before any initialization writes nothing. */
  #stopsALife = false;

  constructor(dice: Dice, wish: Wish) {
    this.#dice = dice;
    this.#wish = wish;
    this.#now = wish.from;
  }

  play(): readonly TraceRecord[] {
    while (this.records.length < this.#wish.length) this.#step();
    return this.records;
  }

  #step(): void {
    if (this.#state === 'down' || this.#state === 'idle') this.#stepIdle();
    else if (this.#state === 'initializing') this.#stepInitializing();
    else if (this.#state === 'stopping') this.#stepStopping();
    else this.#stepActive();
  }

  #stepIdle(): void {
    const roll = this.#dice.next();
    if (roll < 0.08) this.#pass();
    else if (roll < 0.12 && this.#state === 'idle') this.#crash();
    else if (roll < 0.15) this.#stop();
    else this.#initialize();
  }

  #stepInitializing(): void {
    const init = this.#openInit;
    if (init === undefined) throw new Error('no initialization is open');
    const roll = this.#dice.next();
    if (roll < 0.15) this.#passALittle();
    else if (roll < 0.16) this.#pass();
    else if (roll < 0.21) this.#crash();
    else if (roll < 0.24 && this.#openStop === undefined) this.#stop();
    else if (roll < 0.27) this.#callInVain();
    else if (roll < 0.3 && init.plannedAt === undefined) this.#failInitialization();
    else if (init.plannedAt === undefined) init.plannedAt = this.#commit();
    else this.#succeed(init.call, init.plannedAt);
  }

  #stepActive(): void {
    const next = this.#dice.next();
    if (this.#isBetweenRecords() && this.#dice.chance(0.12)) {
      this.#crash();
      return;
    }
    const pending = [...this.#memory.values()].filter((one) => this.#isPending(one));
    const wantsToStart = pending.length > 0 && this.#hasWorker();
    if (wantsToStart && !this.#dice.chance(this.#wish.sloppiness)) {
      this.#start(this.#dice.one(pending));
      return;
    }
    const busy = [...this.#memory.values()].filter(({ run }) => run !== undefined);
    const unsaved = [...this.#memory.values()].filter(({ isUnsaved }) => isUnsaved);
    if (busy.length > 0 && next < 0.45) this.#end(this.#dice.one(busy));
    else if (unsaved.length > 0 && next < 0.7) this.#save(this.#dice.one(unsaved));
    else if (next < 0.74) this.#crash();
    else if (next < 0.8) this.#stop();
    else if (next < 0.82) this.#callInVain();
    else if (next < 0.835) this.#stepForward();
    else if (next < 0.89 && this.#wish.hasOperators && this.#memory.size > 0)
      this.#ask(this.#dice.one([...this.#memory.values()]));
    else this.#pass();
  }

  /** I1: an operator asks for something, which is durable at once. */
  #ask(one: Known): void {
    const { name } = one.registration;
    const inStore = this.#store.get(name);
    if (inStore === undefined) return;
    const kind = this.#dice.one(['RunRequested', 'pause', 'pause', 'CancelRequested'] as const);
    if (kind === 'RunRequested') {
      inStore.isAskedFor = one.isAskedFor = true;
      this.#add({ event: kind, task: name });
    } else if (kind === 'CancelRequested') {
      if (one.run === undefined) return;
      one.isCancelled = true;
      this.#add({ event: kind, task: name });
    } else if (one.isPaused) {
      const catchUp = this.#dice.chance(0.5);
      inStore.isPaused = one.isPaused = false;
      if (!catchUp) inStore.cursor = one.cursor = this.#now;
      this.#add({ event: 'Resumed', task: name, catchUp });
    } else {
      inStore.isPaused = one.isPaused = true;
      this.#add({ event: 'Paused', task: name });
    }
  }

  /** A start is durable and not called, or a run has ended and that is not durable. */
  #isBetweenRecords(): boolean {
    return [...this.#memory.values()].some(({ claim, isUnsaved }) => claim !== undefined || isUnsaved);
  }

  #stepStopping(): void {
    const busy = [...this.#memory.values()].filter(({ run }) => run !== undefined);
    const roll = this.#dice.next();
    if (roll < 0.12) this.#crash();
    else if (roll < 0.2) this.#passALittle();
    else if (roll < 0.24) this.#callInVain();
    else if (busy.length > 0) this.#end(this.#dice.one(busy));
    else this.#endStop();
  }

  #add(record: { event: TraceRecord['event'] } & Record<string, unknown>): void {
    this.records.push({ at: this.#now, ...record } as TraceRecord);
  }

  #passALittle(): void {
    this.#now += this.#dice.one([0, 1, 20, 400, 1700]);
  }

  /** Somebody sets the clock forward, and the trace says so (B5). */
  #stepForward(): void {
    const from = this.#now;
    this.#now += 2000 + this.#dice.below(this.#dice.one([60_000, 3_600_000]));
    this.#add({ event: 'ClockStep', from, to: this.#now });
  }

  /** Time passes; sometimes the machine was frozen, or the store in trouble, and the trace says so. */
  #pass(): void {
    const from = this.#now;
    const nextMinute = (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS;
    const roll = this.#dice.next();
    if (roll < 0.2) this.#now = nextMinute;
    else if (roll < 0.5) this.#now = nextMinute + this.#dice.below(3000);
    else if (roll < 0.75) this.#now += this.#dice.below(120_000);
    else if (roll < 0.9) this.#now += this.#dice.below(900_000);
    else this.#passALittle();
    if (this.#now - from < 20_000 || !this.#dice.chance(0.35)) return;
    const stretch = { from: from + this.#dice.below(5000), to: this.#now - this.#dice.below(5000) };
    if (this.#dice.chance(0.6)) this.#add({ event: 'Frozen', ...stretch });
    else this.#add({ event: 'StoreTrouble', error: 'SQLITE_BUSY', ...stretch });
  }

  #initialize(): void {
    this.#passALittle();
    if (this.records.length > 0 && this.#dice.chance(0.3)) this.#pass();
    const list = this.#drawList();
    const call = this.#startCall(list);
    if (!isValid(list)) {
      this.#passALittle();
      this.#add({
        event: 'InitFailure',
        call,
        valid: false,
        error: 'CronExpressionInvalidError',
        fault: 'list',
      });
      if (this.#state === 'down') this.#state = 'idle';
      return;
    }
    this.#list = list;
    this.#openInit = { call };
    this.#state = 'initializing';
  }

  #startCall(registrations: readonly TracedRegistration[]): number {
    const call = ++this.#calls;
    const { timeZone, workers } = this.#wish;
    this.#add({ event: 'InitStart', call, registrations, timeZone, ...(workers && { workers }) });
    return call;
  }

  #drawList(): readonly TracedRegistration[] {
    const dice = this.#dice;
    if (this.#list.length > 0 && dice.chance(0.6)) return this.#list;
    const list = names
      .filter((name) => dice.chance(name === 'a' ? 0.9 : 0.35))
      .map((name) => ({ name, cron: dice.one(crons), retryDelayMs: dice.one(delays), ...this.#limit() }));
    if (!dice.chance(0.06)) return list;
    return dice.one<TracedRegistration[]>([
      [
        ...list,
        { name: 'a', cron: '* * * * *', retryDelayMs: 0 },
        { name: 'a', cron: '0 * * * *', retryDelayMs: 0 },
      ],
      [...list, { name: 'd', cron: dice.one(badCrons), retryDelayMs: 0 }],
      [...list, { name: 'd', cron: '* * * * *', retryDelayMs: dice.one([-1, 0.5]) }],
      [...list, { name: '', cron: '* * * * *', retryDelayMs: 0 }],
    ]);
  }

  #limit(): Pick<TracedRegistration, 'policy'> {
    if (!this.#wish.hasOperators || !this.#dice.chance(0.25)) return {};
    return { policy: { startWithinMs: this.#dice.one([2000, 20_000, 45_000, 300_000]) } };
  }

  /** D4: a call while another is open, or while the scheduler is active, has no effect. */
  #callInVain(): void {
    const list = this.#dice.chance(0.5) ? this.#list : this.#drawList();
    const call = this.#startCall(list);
    this.#passALittle();
    this.#add({
      event: 'InitFailure',
      call,
      valid: isValid(list),
      error: 'SchedulerAlreadyActiveError',
      fault: 'active',
    });
  }

  #failInitialization(): void {
    this.#passALittle();
    const error = this.#dice.one(storeErrors);
    this.#add({ event: 'InitFailure', call: this.#openInit?.call, valid: true, error, fault: 'store' });
    this.#openInit = undefined;
    this.#state = this.#openStop === undefined ? 'idle' : 'stopping';
    this.#memory.clear();
  }

  /** E4 and E5: the whole list becomes durable at once. Answers by which instant. */
  #commit(): number {
    const kept = new Set(this.#list.map(({ name }) => name));
    for (const name of this.#store.keys()) if (!kept.has(name)) this.#store.delete(name);
    for (const registration of this.#list) {
      const old = this.#store.get(registration.name);
      if (old === undefined)
        this.#store.set(registration.name, {
          registration,
          cursor: this.#beforeMinute(),
          isOrphaned: false,
          isPaused: false,
          isAskedFor: false,
        });
      else
        this.#store.set(registration.name, {
          ...old,
          registration,
          run: undefined,
          isOrphaned: old.isOrphaned || old.run !== undefined,
        });
    }
    this.#newNames = this.#list.filter(({ name }) => this.#store.get(name)?.cursor === this.#beforeMinute());
    return this.#now;
  }

  #newNames: readonly TracedRegistration[] = [];

  #beforeMinute(): number {
    return Math.floor(this.#now / MINUTE_MS) * MINUTE_MS - 1;
  }

  /** First comings are of the instant of the plan (D6). A foreign scheduler that does not tell it goes by that of its record (T24). */
  #succeed(call: number, plannedAt: number): void {
    const isTold = this.#dice.chance(0.7);
    for (const { name } of isTold ? [] : this.#newNames) {
      const one = this.#store.get(name);
      if (one) one.cursor = Math.max(one.cursor, this.#beforeMinute());
    }
    this.#memory.clear();
    for (const [name, one] of this.#store) this.#memory.set(name, { ...one, isUnsaved: false });
    this.#add({ event: 'InitSuccess', call, ...(isTold && { plannedAt }) });
    this.#openInit = undefined;
    this.#state = this.#openStop === undefined ? 'active' : 'stopping';
  }

  #isPending(one: Known): boolean {
    if (one.run !== undefined) return false;
    if (one.claim !== undefined || one.isAskedFor) return true;
    if (one.isPaused) return false;
    if (one.isOrphaned) return true;
    if (one.retryAt !== undefined && one.retryAt <= this.#now) return true;
    for (let at = Math.floor(this.#now / MINUTE_MS) * MINUTE_MS; at > one.cursor; at -= MINUTE_MS)
      if (isDue(one.registration.cron, this.#wish.timeZone, at))
        return this.#now - at <= (one.registration.policy?.startWithinMs ?? this.#now);
    return false;
  }

  #hasWorker(): boolean {
    const running = [...this.#memory.values()].filter(({ run }) => run !== undefined).length;
    return running < (this.#wish.workers ?? Number.POSITIVE_INFINITY);
  }

  /** A4: first durable, then called; each is a step of its own if the trace tells of durability. */
  #start(one: Known): void {
    this.#passALittle();
    const { name } = one.registration;
    const inStore = this.#store.get(name);
    if (inStore === undefined) throw new Error(`${name} is not in the store`);
    if (one.claim === undefined) {
      if (one.isUnsaved) this.#save(one);
      one.claim = `r${++this.#runs}`;
      inStore.run = one.claim;
      if (this.#wish.durability === 'recorded') {
        this.#add({ event: 'StartDurable', task: name, runId: one.claim });
        return;
      }
    }
    this.#add({ event: 'RunStart', task: name, runId: one.claim });
    Object.assign(one, {
      run: one.claim,
      claim: undefined,
      cursor: this.#now,
      retryAt: undefined,
      isOrphaned: false,
      isAskedFor: false,
      isCancelled: false,
    });
  }

  #end(one: Known): void {
    this.#passALittle();
    if (this.#dice.chance(0.1)) this.#pass();
    const { name, retryDelayMs } = one.registration;
    const isGood = this.#dice.chance(0.6);
    // A13: what a stop interrupts has not failed, and is owed again.
    const isInterrupted = this.#state === 'stopping' && !isGood && this.#dice.chance(0.6);
    const event = isGood ? 'RunSuccess' : isInterrupted ? 'RunInterrupted' : 'RunFailure';
    this.#add({ event, task: name, runId: one.run });
    if (!isGood && one.isCancelled !== true) {
      if (isInterrupted) one.isOrphaned = true;
      else one.retryAt = this.#now + retryDelayMs;
    }
    this.#endedRun.set(name, one.run ?? '');
    one.run = undefined;
    one.isUnsaved = true;
    if (this.#wish.durability === 'unrecorded') this.#save(one);
  }

  readonly #endedRun = new Map<string, string>();

  #save(one: Known): void {
    const { name } = one.registration;
    one.isUnsaved = false;
    this.#store.set(name, stored(one));
    if (this.#wish.durability === 'unrecorded') return;
    this.#passALittle();
    if (this.#dice.chance(0.9))
      this.#add({ event: 'EndDurable', task: name, runId: this.#endedRun.get(name) });
  }

  /** From here on nothing starts; what was not called is taken back. */
  #stop(): void {
    this.#passALittle();
    this.#openStop = ++this.#calls;
    this.#add({ event: 'StopStart', call: this.#openStop });
    this.#stopsALife = this.#state === 'active' || this.#state === 'initializing';
    if (this.#state === 'active' || this.#state === 'idle' || this.#state === 'down')
      this.#state = 'stopping';
  }

  #endStop(): void {
    this.#passALittle();
    if (!this.#stopsALife) {
      this.#add({ event: 'StopEnd', call: this.#openStop });
      this.#openStop = undefined;
      this.#state = 'idle';
      return;
    }
    const claimed = [...this.#memory.values()].some(({ claim }) => claim !== undefined);
    const hasMore = claimed || [...this.#memory.values()].some(({ isUnsaved }) => isUnsaved);
    const fails = this.#wish.durability === 'recorded' && hasMore && this.#dice.chance(0.15);
    if (!fails)
      for (const one of this.#memory.values()) {
        if (one.isUnsaved) this.#save(one);
        one.claim = undefined;
        this.#store.set(one.registration.name, stored(one));
      }
    if (fails) this.#loseSome();
    this.#add({ event: 'StopEnd', call: this.#openStop, ...(fails && { error: 'StopSchedulerError' }) });
    this.#openStop = undefined;
    this.#state = 'idle';
    this.#memory.clear();
  }

  #crash(): void {
    this.#passALittle();
    this.#loseSome();
    this.#add({ event: 'UnexpectedShutdown' });
    const from = this.#now;
    if (this.#dice.chance(0.4)) this.#pass();
    else this.#now += 1000;
    if (this.#dice.chance(0.9)) this.#add({ event: 'Frozen', from, to: this.#now });
    this.#memory.clear();
    this.#openInit = undefined;
    this.#openStop = undefined;
    this.#state = 'down';
  }

  /** What was on its way to the store has arrived there, or has not. */
  #loseSome(): void {
    for (const one of this.#memory.values()) {
      const isTakenBack = one.claim === undefined && one.run === undefined && !one.isUnsaved;
      const mayArrive =
        one.isUnsaved || isTakenBack || (one.claim !== undefined && this.#state === 'stopping');
      if (mayArrive && this.#dice.chance(0.5))
        this.#store.set(one.registration.name, stored({ ...one, claim: undefined }));
    }
  }
}

const stored = ({ claim: _, isUnsaved: __, isCancelled: ___, ...kept }: Known): Stored => kept;
