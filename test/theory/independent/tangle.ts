/** Random calls that overlap as they like, of `initialize` and of `stop`, with runs and crashes among them. */
import type { TracedRegistration, TraceRecord } from '../../../src/trace/record.ts';
import { callsOf } from './calls.ts';
import type { Dice } from './dice.ts';
import { historyOf, situationOf } from './macros.ts';
import { isValid, MINUTE_MS } from './schedule.ts';

const names = ['a', 'b'];
const crons = ['* * * * *', '* * * * *', '0 12 * * *', '0,2,4,6 * * * *', '0 0 1 1 *'];
const failures = [
  { error: 'SchedulerAlreadyActiveError', fault: 'active' },
  { error: 'ScheduleTaskError', fault: 'store' },
  { error: 'CronExpressionInvalidError', fault: 'list' },
] as const;

/** The calls and runs that are open, by number and name. */
interface Open {
  readonly inits: Map<number, { readonly at: number; readonly registrations: readonly TracedRegistration[] }>;
  readonly stops: Set<number>;
  readonly runs: Map<string, string>;
  readonly claims: Map<string, string>;
}

export class Tangle {
  readonly #records: TraceRecord[] = [];
  readonly #dice: Dice;
  readonly #durability: 'recorded' | 'unrecorded';
  readonly #open: Open = { inits: new Map(), stops: new Set(), runs: new Map(), claims: new Map() };
  #now: number;
  #number = 0;

  constructor(dice: Dice, durability: 'recorded' | 'unrecorded', from: number) {
    this.#dice = dice;
    this.#durability = durability;
    this.#now = from;
  }

  play(length: number): readonly TraceRecord[] {
    while (this.#records.length < length) this.#step();
    return this.#records;
  }

  #step(): void {
    const dice = this.#dice;
    const { inits, stops, runs } = this.#open;
    this.#now += dice.one([0, 0, 1, 300, 2000, 20_000]);
    if (dice.chance(0.12)) this.#now = (Math.floor(this.#now / MINUTE_MS) + 1) * MINUTE_MS;
    const roll = dice.next();
    if (roll < 0.16 && inits.size < 2) this.#initialize();
    else if (roll < 0.36 && inits.size > 0) this.#endInit(dice.one([...inits.keys()]));
    else if (roll < 0.42 && stops.size < 2) this.#stop();
    else if (roll < 0.5 && stops.size > 0) this.#endStop(dice.one([...stops]));
    else if (roll < 0.55) this.#crash();
    else if (roll < 0.7 && runs.size > 0) this.#end(dice.one([...runs.keys()]));
    else if (roll < 0.97) this.#startWhatIsOwed();
    else this.#start(dice.one(names));
  }

  #add(record: { event: TraceRecord['event'] } & Record<string, unknown>): void {
    this.#records.push({ at: this.#now, ...record } as TraceRecord);
  }

  #initialize(): void {
    const call = ++this.#number;
    const registrations = names
      .filter(() => this.#dice.chance(0.7))
      .map((name) => ({
        name,
        cron: this.#dice.one(crons),
        retryDelayMs: this.#dice.one([0, 5000, 90_000]),
      }));
    if (this.#dice.chance(0.05)) registrations.push({ name: 'd', cron: '*/5 * * * *', retryDelayMs: 0 });
    this.#open.inits.set(call, { at: this.#now, registrations });
    this.#add({ event: 'InitStart', call, registrations, timeZone: 'UTC' });
  }

  #endInit(call: number): void {
    const { at, registrations } = this.#open.inits.get(call) ?? { at: this.#now, registrations: [] };
    this.#open.inits.delete(call);
    const planned = this.#dice.chance(0.5) && { plannedAt: at + this.#dice.below(this.#now - at + 1) };
    if (this.#dice.chance(0.7)) this.#add({ event: 'InitSuccess', call, ...planned });
    else
      this.#add({ event: 'InitFailure', call, valid: isValid(registrations), ...this.#dice.one(failures) });
  }

  #stop(): void {
    const call = ++this.#number;
    this.#open.stops.add(call);
    this.#add({ event: 'StopStart', call });
  }

  #endStop(call: number): void {
    this.#open.stops.delete(call);
    this.#add({ event: 'StopEnd', call, ...(this.#dice.chance(0.1) && { error: 'StopSchedulerError' }) });
    this.#open.claims.clear();
  }

  #crash(): void {
    this.#add({ event: 'UnexpectedShutdown' });
    for (const open of Object.values(this.#open)) open.clear();
  }

  #end(task: string): void {
    const runId = this.#open.runs.get(task);
    this.#open.runs.delete(task);
    const event = this.#dice.one(['RunSuccess', 'RunSuccess', 'RunFailure', 'RunInterrupted'] as const);
    this.#add({ event, task, runId });
    if (this.#durability === 'recorded' && this.#dice.chance(0.6))
      this.#add({ event: 'EndDurable', task, runId });
  }

  #startWhatIsOwed(): void {
    const reading = { commits: [], atCrash: new Map() };
    const situation = situationOf(this.#records, callsOf(this.#records), reading);
    const owed = names.filter((name) => historyOf(situation, name, reading).obligation.at(-1));
    if (owed.length > 0) this.#start(this.#dice.one(owed));
  }

  #start(task: string): void {
    const { claims, runs } = this.#open;
    if (runs.has(task)) return;
    const runId = claims.get(task) ?? `r${++this.#number}`;
    if (this.#durability === 'recorded' && !claims.has(task)) {
      claims.set(task, runId);
      this.#add({ event: 'StartDurable', task, runId });
      if (this.#dice.chance(0.3)) return;
    }
    claims.delete(task);
    runs.set(task, runId);
    this.#add({ event: 'RunStart', task, runId });
  }
}
