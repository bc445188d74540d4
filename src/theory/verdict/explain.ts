/** Says what went wrong in one sentence, with the few events that prove it. It remembers the last ones of each task for that. */

import type { Axiom } from '../axioms/axiom.ts';
import { bits } from '../logic/atoms.ts';
import { probes } from '../logic/compiled.ts';
import type { Call } from '../tasks/calls.ts';
import type { Population } from '../tasks/population.ts';
import { type DatedEvidence as Evidence, iso } from './verdict.ts';

export interface Explanation {
  readonly because: string;
  readonly events: readonly Evidence[];
}

/** How a demand ended: by the start that it asked for, or because nobody may ask any more. */
export type DemandEnd = { readonly by: 'start'; readonly line: number } | { readonly by: 'other' };

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

function evidence(event: string, at: number, line: number, task?: string): Evidence {
  return { event, at, ...(task === undefined ? {} : { task }), ...(line > 0 ? { line } : {}) };
}

export class Explainer {
  readonly #population: Population;
  readonly #startedAt: number[] = [];
  readonly #startLine: number[] = [];
  readonly #endedAt: number[] = [];
  readonly #endLine: number[] = [];
  readonly #isFailure: boolean[] = [];
  readonly #last = new Map<string, { readonly at: number; readonly line: number }>();

  constructor(population: Population) {
    this.#population = population;
  }

  add(task: number): void {
    this.#startedAt[task] = Number.NaN;
    this.#startLine[task] = 0;
    this.#endedAt[task] = Number.NaN;
    this.#endLine[task] = 0;
    this.#isFailure[task] = false;
  }

  started(task: number, at: number, line: number): void {
    this.#startedAt[task] = at;
    // Live, there are no lines.
    if (line > 0) this.#startLine[task] = line;
  }

  ended(task: number, at: number, line: number, isFailure: boolean): void {
    this.#endedAt[task] = at;
    if (line > 0) this.#endLine[task] = line;
    if (this.#isFailure[task] !== isFailure) this.#isFailure[task] = isFailure;
  }

  happened(event: string, at: number, line: number): void {
    this.#last.set(event, { at, line });
  }

  /** A safety axiom breaks for a task at the edge that it is about to take. Some have two halves: what happened says which. */
  broken(axiom: Axiom, task: number, edge: number, now: number, line: number): Explanation {
    const name = this.#population.names[task];
    const { automaton } = this.#population;
    const seen = automaton.probes[edge];
    const letter = automaton.maskOf(edge);
    const start = evidence('RunStart', now, line, name);
    const end = evidence(letter & bits.REf ? 'RunFailure' : 'RunSuccess', now, line, name);
    switch (axiom.id) {
      case 'S1':
      case 'P3':
        return this.#unowed(task, name, seen, start);
      case 'Q2':
      case 'P2':
        return this.#overlap(task, name, start);
      case 'S2':
        return this.#twice(task, name, now, line);
      case 'S3':
        return this.#unawaited(task, name, now, line);
      case 'S4':
      case 'P1':
        return {
          because: `A run of "${name}" ended at ${iso(now)}, but none was running`,
          events: [...this.#lastEnd(task), end],
        };
      case 'EA6':
      case 'P14':
        return this.#endedAfterCrash(name, end);
      case 'P6':
        return letter & bits.RS ? this.#startedAfterCrash(name, start) : this.#endedAfterCrash(name, end);
      case 'Q1':
        return this.#startedAfterCrash(name, start);
      case 'P9':
        return letter & bits.RS
          ? this.#startedAfterStop(name, start)
          : this.#unawaited(task, name, now, line);
      case 'Q3':
      case 'P5':
        return this.#startedAfterStop(name, start);
      default:
        return {
          because: `"${name}" was started at ${iso(now)} once more, though nothing had come due, failed or crashed since its start at ${iso(this.#startedAt[task])}`,
          events: [...this.#lastStart(task), start],
        };
    }
  }

  #unawaited(task: number, name: string, now: number, line: number): Explanation {
    return {
      because: `stop() returned at ${iso(now)} while "${name}" was running since ${iso(this.#startedAt[task])}`,
      events: [...this.#lastStart(task), evidence('StopEnd', now, line)],
    };
  }

  #startedAfterStop(name: string, start: Evidence): Explanation {
    return {
      because: `"${name}" was started at ${iso(start.at)}, after stop() had returned`,
      events: [...this.#lastOf('StopEnd'), start],
    };
  }

  #startedAfterCrash(name: string, start: Evidence): Explanation {
    return {
      because: `"${name}" was started at ${iso(start.at)}, after a crash and before any initialization`,
      events: [...this.#lastOf('UnexpectedShutdown'), start],
    };
  }

  #endedAfterCrash(name: string, end: Evidence): Explanation {
    return {
      because: `A run of "${name}" ended at ${iso(end.at)}, after a crash had cut it off`,
      events: [...this.#lastOf('UnexpectedShutdown'), end],
    };
  }

  #unowed(task: number, name: string, seen: number, start: Evidence): Explanation {
    const at = iso(start.at);
    if (seen & probes.wasRunning) return this.#overlap(task, name, start);
    if (!(seen & probes.wasRegistered))
      return {
        because: `"${name}" was started at ${at}, but it is in no registration list in force`,
        events: [...this.#lastOf('InitSuccess'), start],
      };
    if (!(seen & probes.wasActive)) {
      const events = ['StopStart', 'UnexpectedShutdown', 'InitSuccess'].flatMap((event) =>
        this.#lastOf(event),
      );
      const last = events.toSorted((a, b) => b.at - a.at)[0];
      // An initialization that left the scheduler inactive is one that a stop was called during (T7).
      const stopped = last?.event === 'InitSuccess' ? this.#lastOf('StopStart')[0] : undefined;
      const cause = stopped ?? last;
      const why =
        cause === undefined ? 'before any initialization' : `after ${cause.event} at ${iso(cause.at)}`;
      return {
        because: `"${name}" was started at ${at}, ${why}: the scheduler was not active`,
        events: [...events, start],
      };
    }
    const { matcher } = this.#population.groupOf(task);
    const due = matcher?.previous(start.at, Number.NEGATIVE_INFINITY) ?? Number.NEGATIVE_INFINITY;
    const dues = Number.isFinite(due) ? [evidence('Due', due, 0, name)] : [];
    const last = this.#startedAt[task];
    const served = Number.isNaN(last)
      ? 'it has not come due since it was first registered'
      : `its last due${Number.isFinite(due) ? `, ${iso(due)},` : ''} was served by the start at ${iso(last)}, no retry was due, and no crash had cut it off`;
    return {
      because: `"${name}" was started at ${at}, but nothing was owed: ${served}`,
      // The start itself comes last, also where the clock was set back before it.
      events: [
        ...[...dues, ...this.#lastStart(task), ...this.#lastEnd(task)].toSorted((a, b) => a.at - b.at),
        start,
      ],
    };
  }

  #overlap(task: number, name: string, start: Evidence): Explanation {
    return {
      because: `"${name}" was started at ${iso(start.at)} while its run of ${iso(this.#startedAt[task])} had not ended`,
      events: [...this.#lastStart(task), start],
    };
  }

  #twice(task: number, name: string, now: number, line: number): Explanation {
    return {
      because: `"${name}" succeeded at ${iso(now)} for the second time for one due: its start at ${iso(this.#startedAt[task])} came after a run that had already succeeded`,
      events: [...this.#lastEnd(task), ...this.#lastStart(task), evidence('RunSuccess', now, line, name)],
    };
  }

  /** Something was owed to a task for too long. */
  late(task: number, from: number, to: number, end: DemandEnd): Explanation {
    const name = this.#population.names[task];
    const isStarted = end.by === 'start';
    const what = isStarted ? `was started only at ${iso(to)}` : `was not started by ${iso(to)}`;
    return {
      because: `"${name}" was owed a run from ${iso(from)} on and ${what}, ${seconds(to - from)} later`,
      events: [
        evidence('Obligation', from, 0, name),
        evidence(isStarted ? 'RunStart' : 'no RunStart', to, isStarted ? end.line : 0, name),
      ],
    };
  }

  lateCall(call: Call, from: number, to: number, line: number): Explanation {
    const method = call.kind === 'initialize' ? 'initialize()' : 'stop()';
    const since = call.kind === 'initialize' ? 'was called' : 'had nothing to wait for';
    return {
      because: `${method} ${since} at ${iso(from)} and had not returned ${seconds(to - from)} later`,
      events: [
        evidence(call.kind === 'initialize' ? 'InitStart' : 'StopStart', call.at, call.line),
        evidence('end of the wait', to, line),
      ],
    };
  }

  /** An initialization that should have ended otherwise (S5). */
  inconsistent({ invalid, at, line }: Call, now: number, endLine: number): Explanation {
    const [because, end] =
      invalid === undefined
        ? [`initialize() rejected a valid list at ${iso(now)}`, 'InitFailure']
        : [`initialize() accepted a list that is not valid at ${iso(now)}: ${invalid}`, 'InitSuccess'];
    return { because, events: [evidence('InitStart', at, line), evidence(end, now, endLine)] };
  }

  /** Whether the trace has a start or an end of this task. */
  hasActed(task: number): boolean {
    return !(Number.isNaN(this.#startedAt[task]) && Number.isNaN(this.#endedAt[task]));
  }

  #lastStart(task: number): readonly Evidence[] {
    const at = this.#startedAt[task];
    return Number.isNaN(at)
      ? []
      : [evidence('RunStart', at, this.#startLine[task], this.#population.names[task])];
  }

  #lastEnd(task: number): readonly Evidence[] {
    const at = this.#endedAt[task];
    if (Number.isNaN(at)) return [];
    const event = this.#isFailure[task] ? 'RunFailure' : 'RunSuccess';
    return [evidence(event, at, this.#endLine[task], this.#population.names[task])];
  }

  #lastOf(event: string): readonly Evidence[] {
    const last = this.#last.get(event);
    return last === undefined ? [] : [evidence(event, last.at, last.line)];
  }
}
