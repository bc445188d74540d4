/**
 * The calls of `initialize` and `stop`, each a slice of its own: S5, L2 and L3 are quantified over them. There are few at a time,
 * so each is simply stepped. Starts and ends of a call are paired by its number; a foreign trace may leave it out, and then an
 * end belongs to the oldest call that is open.
 */
import type { TracedRegistration } from '../../trace/record.ts';
import { Automaton } from '../logic/automaton.ts';
import type { Monitorable } from '../logic/monitorable.ts';
import { compile } from '../logic/program.ts';

export interface Call {
  readonly kind: 'initialize' | 'stop';
  readonly id: number | undefined;
  readonly at: number;
  readonly line: number;
  readonly registrations: readonly TracedRegistration[];
  readonly timeZone: string;
  readonly workers: number;
  /** Why the list is not valid, as the checker reads it. */
  readonly invalid: string | undefined;
  /** A stop was called since it began (T7). */
  isStopped: boolean;
  /** The scheduler was active or stopping, or another initialization ran, at some position since it began (T6). */
  isBusy: boolean;
  state: number;
  openAt: readonly number[];
  /** What the clock showed when it began, and wherever it was set back to since: what it does goes by one of these, or by a later one. */
  readonly readings: number[];
}

/** A call as it begins; what is said of lists is for initializations. */
export type CallStart = Pick<Call, 'kind' | 'id' | 'at' | 'line'> &
  Partial<Pick<Call, 'registrations' | 'timeZone' | 'workers' | 'invalid' | 'isBusy'>>;

export interface CallListener {
  broken(mask: number, call: Call): void;
  closed(response: number, openAt: number, call: Call): void;
}

/** What was compiled before, with its tables. */
const automata = new WeakMap<readonly Monitorable[], Automaton>();

function automatonOf(parts: readonly Monitorable[]): Automaton {
  const before = automata.get(parts);
  if (before !== undefined) return before;
  const safety = parts.filter((part) => part.kind === 'safety');
  const responses = parts.filter((part) => part.kind === 'response');
  const broken = safety.map((part) => part.broken);
  const when = [...safety, ...responses].map((part) => part.when);
  const open = responses.map((part) => part.open);
  const program = compile([...broken, ...when, ...open]);
  const automaton = new Automaton(program, { broken, when, open, probes: [] });
  automata.set(parts, automaton);
  return automaton;
}

export class Calls {
  readonly #automaton: Automaton;
  readonly #listener: CallListener;
  readonly open: Call[] = [];
  seen = 0;

  constructor(parts: readonly Monitorable[], listener: CallListener) {
    this.#automaton = automatonOf(parts);
    this.#listener = listener;
  }

  begin(call: CallStart, mask: number): void {
    const { initial, responses } = this.#automaton;
    const begun: Call = {
      registrations: [],
      timeZone: '',
      workers: 0,
      invalid: undefined,
      isStopped: false,
      isBusy: false,
      ...call,
      state: initial,
      openAt: new Array(responses).fill(Number.NaN),
      readings: [call.at],
    };
    this.open.push(begun);
    this.step(begun, mask, call.at);
  }

  /** The open call that an end belongs to. */
  find(kind: Call['kind'], id: number | undefined): Call | undefined {
    return this.open.find((call) => call.kind === kind && (id === undefined || call.id === id));
  }

  end(call: Call, mask: number, now: number): void {
    this.step(call, mask, now);
    this.open.splice(this.open.indexOf(call), 1);
  }

  /** The clock was set back. */
  setClock(to: number): void {
    for (const call of this.open) {
      call.openAt = call.openAt.map((at) => Math.min(at, to));
      call.readings.push(to);
    }
  }

  /** All open calls see the same. */
  all(mask: number, now: number): void {
    for (const call of this.open) this.step(call, mask, now);
  }

  step(call: Call, mask: number, now: number): void {
    const automaton = this.#automaton;
    const edge = automaton.edge(call.state, automaton.letter(mask));
    this.seen |= automaton.seen[edge];
    if (automaton.broken[edge] !== 0) this.#listener.broken(automaton.broken[edge], call);
    const open = automaton.open[edge];
    const kept = automaton.kept[edge];
    call.openAt.forEach((at, i) => {
      if (!Number.isNaN(at) && !(kept & (1 << i))) this.#listener.closed(i, at, call);
    });
    call.openAt = call.openAt.map((at, i) =>
      open & (1 << i) ? (kept & (1 << i) && !Number.isNaN(at) ? at : now) : Number.NaN,
    );
    call.state = automaton.target[edge];
  }
}
