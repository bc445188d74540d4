/** Says what went wrong in one sentence, with the few events that prove it. */
import type { Axiom } from '../axioms/axiom.ts';
import type { Delay, ShownTask } from '../delays/delay.ts';
import { bits } from '../logic/atoms.ts';
import { probes } from '../logic/compiled.ts';
import type { Call } from '../tasks/calls.ts';
import type { Task } from '../tasks/task.ts';
import { type DatedEvidence, evidence, type Sentence, sentence, type Violation } from './verdict.ts';

type Events = readonly DatedEvidence[];
type Explanation = Sentence & { readonly events: Events };

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

const explanation = (words: Sentence, ...events: Events): Explanation => ({ ...words, events });

/** What a task sees where an axiom breaks: the letter, what the probes say, and the record. */
type Seen = Readonly<Record<'letter' | 'probed' | 'now' | 'line', number>>;

export class Explainer {
  readonly #last = new Map<string, DatedEvidence>();

  /** The last of each event that concerns all tasks. */
  happened(evidence: DatedEvidence): void {
    this.#last.set(evidence.event, evidence);
  }

  /** A safety axiom breaks for a task. Some axioms have two halves: the letter says which. */
  broken(axiom: Axiom, task: Task, { letter, probed, now, line }: Seen): Explanation {
    const { name } = task;
    const start = evidence('RunStart', now, line, name);
    const end = evidence(letter & bits.REf ? 'RunFailure' : 'RunSuccess', now, line, name);
    const [at, since] = [{ at: now }, { at: task.startedAt }];
    switch (axiom.id) {
      case 'S1':
      case 'P3':
        return this.#unowed(task, probed, start);
      case 'Q2':
      case 'P2':
        return this.#overlap(task, start);
      case 'S2':
        return explanation(
          sentence`"${name}" succeeded at ${at} for the second time for one due: its start at ${since} came after a run that had already succeeded`,
          ...this.#lastEnd(task),
          ...this.#lastStart(task),
          end,
        );
      case 'S6':
        return this.#unrightful(task, letter, evidence('DueSkipped', now, line, name));
      case 'S4':
      case 'P1':
        return explanation(
          sentence`A run of "${name}" ended at ${at}, but none was running`,
          ...this.#lastEnd(task),
          end,
        );
      case 'EA6':
      case 'P14':
      case 'P6':
      case 'Q1': {
        const started = sentence`"${name}" was started at ${at}, after a crash and before any initialization`;
        const ended = sentence`A run of "${name}" ended at ${at}, after a crash had cut it off`;
        const [words, event] = letter & bits.RS ? [started, start] : [ended, end];
        return explanation(words, ...this.#lastOf('UnexpectedShutdown'), event);
      }
      case 'S3':
      case 'P9':
      case 'Q3':
      case 'P5': {
        const started = sentence`"${name}" was started at ${at}, after stop() had returned`;
        if (letter & bits.RS) return explanation(started, ...this.#lastOf('StopEnd'), start);
        const words = sentence`stop() returned at ${at} while "${name}" was running since ${since}`;
        return explanation(words, ...this.#lastStart(task), evidence('StopEnd', now, line));
      }
      default:
        return explanation(
          sentence`"${name}" was started at ${at} once more, though nothing had come due, failed or crashed since its start at ${since}`,
          ...this.#lastStart(task),
          start,
        );
    }
  }

  #unrightful(task: ShownTask, letter: number, skip: DatedEvidence): Explanation {
    const skipped = sentence`A due of "${task.name}" was skipped at ${{ at: skip.at }},`;
    const why =
      letter & bits.Rightful
        ? 'but no due was waiting'
        : 'though it was not its last due, or was neither too old nor due during a run that skips';
    return explanation(sentence`${skipped} ${why}`, ...this.#lastStart(task), ...this.#lastEnd(task), skip);
  }

  #overlap(task: ShownTask, start: DatedEvidence): Explanation {
    const since = { at: task.startedAt };
    return explanation(
      sentence`"${task.name}" was started at ${{ at: start.at }} while its run of ${since} had not ended`,
      ...this.#lastStart(task),
      start,
    );
  }

  #unowed(task: Task, seen: number, start: DatedEvidence): Explanation {
    if (seen & probes.wasRunning) return this.#overlap(task, start);
    const started = sentence`"${task.name}" was started at ${{ at: start.at }},`;
    if (!(seen & probes.wasRegistered))
      return explanation(
        sentence`${started} but it is in no registration list in force`,
        ...this.#lastOf('InitSuccess'),
        start,
      );
    if (seen & probes.wasPaused)
      return explanation(sentence`${started} but it was paused, and nobody had asked for a run`, start);
    return seen & probes.wasActive
      ? this.#alreadyServed(task, seen, started, start)
      : this.#inactive(started, start);
  }

  #inactive(started: Sentence, start: DatedEvidence): Explanation {
    const events = ['StopStart', 'UnexpectedShutdown', 'InitSuccess'].flatMap((event) => this.#lastOf(event));
    const last = events.toSorted((a, b) => b.at - a.at)[0];
    // An initialization that left the scheduler inactive is one that a stop was called during (T7).
    const stopped = last?.event === 'InitSuccess' ? this.#lastOf('StopStart')[0] : undefined;
    const cause = stopped ?? last;
    const why =
      cause === undefined
        ? sentence`before any initialization`
        : sentence`after ${cause.event} at ${{ at: cause.at }}`;
    return explanation(sentence`${started} ${why}: the scheduler was not active`, ...events, start);
  }

  #alreadyServed(task: Task, seen: number, started: Sentence, start: DatedEvidence): Explanation {
    const { matcher } = task.past.group;
    const due = matcher?.previous(start.at, Number.NEGATIVE_INFINITY) ?? Number.NEGATIVE_INFINITY;
    const dues = Number.isFinite(due) ? [evidence('Due', due, 0, task.name)] : [];
    const lastDue = Number.isFinite(due) ? sentence`, ${{ at: due }},` : '';
    const last = task.startedAt;
    const served =
      seen & probes.wasUnserved
        ? sentence`its last due${lastDue} was too old, or came during a run that skips`
        : Number.isNaN(last)
          ? 'it has not come due since it was first registered'
          : sentence`its last due${lastDue} was served by the start at ${{ at: last }}, no retry was due, and no crash had cut it off`;
    const before = [...dues, ...this.#lastStart(task), ...this.#lastEnd(task)];
    return explanation(
      sentence`${started} but nothing was owed: ${served}`,
      // The start itself comes last, also where the clock was set back before it.
      ...before.toSorted((a, b) => a.at - b.at),
      start,
    );
  }

  #lastStart(task: ShownTask): Events {
    const at = task.startedAt;
    return Number.isNaN(at) ? [] : [evidence('RunStart', at, task.startLine, task.name)];
  }

  #lastEnd(task: ShownTask): Events {
    const at = task.endedAt;
    return Number.isNaN(at) ? [] : [evidence(task.endedBy, at, task.endLine, task.name)];
  }

  #lastOf(event: string): Events {
    const last = this.#last.get(event);
    return last === undefined ? [] : [last];
  }
}

/** Something was owed for too long. If it came, `line` is its record. */
export function late({ what, from, to, isStarted, line }: Delay): Omit<Violation, 'axiom' | 'blame'> {
  if ('kind' in what) return { at: to, ...lateCall(what, from, to, line) };
  const { name: task } = what;
  const since = sentence`"${task}" was owed a run from ${{ at: from }} on and`;
  const words = isStarted
    ? sentence`${since} was started only at ${{ at: to }}, ${seconds(to - from)} later`
    : sentence`${since} was not started by ${{ at: to }}, ${seconds(to - from)} later`;
  const start = isStarted ? evidence('RunStart', to, line, task) : evidence('no RunStart', to, 0, task);
  return { task, at: to, ...explanation(words, evidence('Obligation', from, 0, task), start) };
}

function lateCall({ kind, at, line: begun }: Call, from: number, to: number, line: number): Explanation {
  const isInitialize = kind === 'initialize';
  const since = isInitialize ? 'initialize() was called' : 'stop() had nothing to wait for';
  return explanation(
    sentence`${since} at ${{ at: from }} and had not returned ${seconds(to - from)} later`,
    evidence(isInitialize ? 'InitStart' : 'StopStart', at, begun),
    evidence('end of the wait', to, line),
  );
}

/** An initialization that should have ended otherwise (S5). */
export function inconsistent({ invalid, at, line }: Call, now: number, endLine: number): Explanation {
  const words =
    invalid === undefined
      ? sentence`initialize() rejected a valid list at ${{ at: now }}`
      : sentence`initialize() accepted a list that is not valid at ${{ at: now }}: ${invalid}`;
  const end = evidence(invalid === undefined ? 'InitFailure' : 'InitSuccess', now, endLine);
  return explanation(words, evidence('InitStart', at, line), end);
}
