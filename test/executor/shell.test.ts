/** The asynchronous shell against the pure function: arbitrary triggers, ends, stops, and orders of promises. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createExecutor, type Executor, type Sink } from '../../src/executor/index.ts';
import { SUBSCRIBER, TIMER } from '../../src/executor/state.ts';
import { fc } from '../property.ts';
import { turns } from '../testing/moved-clock.ts';
import { Possible } from './possible.ts';

const TASKS_MAX = 5;
/** After so many runs no callback triggers itself any more, or the executor might never come to rest. */
const RUNS_MAX = 30;

/** What a callback does: end at once, well or badly; return a promise that is settled, or will be; trigger itself. */
const manners = ['now', 'throws', 'later', 'later', 'later', 'resolved', 'rejected', 'again'] as const;
type Manner = (typeof manners)[number];

interface Member {
  readonly sink: Sink<void>;
  isOpen: boolean;
  readonly number: number;
  run: { resolve: () => void; reject: (error: unknown) => void } | undefined;
}

/** The shell, with everything that can be seen of it told to the model. */
class Shell {
  readonly possible: Possible;
  readonly members: Member[] = [];
  readonly #executor: Executor;
  readonly #manners: readonly Manner[];
  #runs = 0;
  #errors = 0;
  #failures = 0;
  /** Whether a source was still open when it was stopped. */
  #cutShort = false;
  outcome: string | undefined;
  stopping: Promise<void> | undefined;

  constructor(workers: number, sliceMs: number, given: readonly Manner[]) {
    this.#executor = createExecutor({ workers, slice: sliceMs, onError: () => this.#errors++ });
    this.#executor.done.then((outcome) => (this.outcome = outcome));
    this.possible = new Possible(workers);
    this.#manners = given;
  }

  add(kind: 'timer' | 'subscriber'): void {
    if (this.outcome !== undefined || this.stopping !== undefined || this.members.length === TASKS_MAX)
      return;
    const sinks: Sink<void>[] = [];
    const number = this.possible.added(kind === 'timer' ? TIMER : SUBSCRIBER);
    const attach = (sink: Sink<void>): object => {
      sinks.push(sink);
      return {};
    };
    this.#executor.add('t', { kind, attach }, () => this.#call(member));
    const member: Member = { sink: sinks[0], number, isOpen: true, run: undefined };
    this.members.push(member);
  }

  trigger(member: Member): void {
    const counted = member.sink.trigger();
    assert.equal(counted, member.isOpen && this.stopping === undefined);
    if (member.isOpen) this.possible.triggered(member.number, counted);
  }

  end(member: Member): void {
    member.sink.end();
    if (member.isOpen) this.possible.sourceEnded(member.number);
    member.isOpen = false;
  }

  settle(member: Member, how: 'resolve' | 'reject'): void {
    const { run } = member;
    if (run === undefined) return;
    member.run = undefined;
    this.possible.over(member.number);
    if (how === 'reject') this.#failures++;
    run[how](undefined);
  }

  stop(): void {
    this.stopping = this.#executor.stop();
    this.#cutShort ||= this.members.some(({ isOpen }) => isOpen);
    this.possible.stopped();
    for (const member of this.members.filter(({ isOpen }) => isOpen)) this.end(member);
  }

  async rest(): Promise<void> {
    for (let runs = 0; runs < RUNS_MAX; runs += 10) await turns(); // a turn of the loop for every possible run
    this.possible.rested();
    assert.equal(this.#errors, this.#failures);
    const running = this.members.some(({ run }) => run !== undefined);
    if (running) assert.equal(this.outcome, undefined);
    // It may have finished just before the stop; then every source had ended, and nothing was dropped.
    else if (this.outcome === 'finished') assert.ok(this.possible.isDone && !this.#cutShort);
    else if (this.stopping !== undefined) assert.equal(this.outcome, 'stopped');
    else assert.equal(this.outcome, this.members.length > 0 && this.possible.isDone ? 'finished' : undefined);
  }

  #call(member: Member): unknown {
    this.possible.started(member.number);
    const manner = this.#manners[this.#runs++ % this.#manners.length];
    if (manner === 'later') {
      return new Promise<void>((resolve, reject) => {
        member.run = { resolve, reject };
      });
    }
    if (manner === 'again' && this.#runs < RUNS_MAX) this.trigger(member);
    this.possible.over(member.number);
    if (manner === 'throws' || manner === 'rejected') this.#failures++;
    if (manner === 'throws') throw undefined;
    if (manner === 'resolved') return Promise.resolve();
    return manner === 'rejected' ? Promise.reject(new Error('expected')) : 'now';
  }
}

type Command = fc.AsyncCommand<object, Shell>;
const command = (name: string, run: (shell: Shell) => unknown): Command => ({
  check: () => true,
  async run(_, shell) {
    await run(shell);
  },
  toString: () => name,
});
/** Something done to one of the tasks, if there are any. */
const onMember = (what: string, act: (shell: Shell, member: Member) => void): fc.Arbitrary<Command> =>
  fc.nat(TASKS_MAX - 1).map((index) =>
    command(`${what} ${index}`, (shell) => {
      if (shell.members.length > 0) act(shell, shell.members[index % shell.members.length]);
    }),
  );

const triggering = onMember('trigger', (shell, member) => shell.trigger(member));
const commands = [
  fc
    .constantFrom('timer' as const, 'subscriber' as const)
    .map((kind) => command(`add ${kind}`, (shell) => shell.add(kind))),
  triggering,
  triggering,
  onMember('end', (shell, member) => shell.end(member)),
  onMember('resolve', (shell, member) => shell.settle(member, 'resolve')),
  onMember('reject', (shell, member) => shell.settle(member, 'reject')),
  // Several in one tick: the commands as such are a few microtasks apart.
  fc.array(fc.nat(TASKS_MAX - 1), { maxLength: 6 }).map((indices) =>
    command(`trigger and resolve ${indices}`, (shell) => {
      for (const index of indices.filter((index) => index < shell.members.length)) {
        shell.trigger(shell.members[index]);
        shell.settle(shell.members[index], 'resolve');
      }
    }),
  ),
  fc.constant(command('rest', (shell) => shell.rest())),
];
/** Rare, for it ends all the fun. */
const stopping = fc.constant(command('stop', (shell) => shell.stop()));

/** Lets everything end, and looks at the end. */
async function conclude(shell: Shell): Promise<void> {
  await shell.rest();
  for (const member of shell.members) shell.end(member);
  while (shell.members.some(({ run }) => run !== undefined)) {
    for (const member of shell.members) shell.settle(member, 'resolve');
    await shell.rest();
  }
  await shell.rest();
  if (shell.stopping !== undefined) await shell.stopping;
  else if (shell.members.length > 0) assert.equal(shell.outcome, 'finished');
}

describe('the shell does what the pure function can do, and all that it must', () => {
  for (const [title, given] of [
    ['without a stop', commands],
    ['with stops', [...commands, stopping]],
  ] as const) {
    test(title, async () => {
      const property = fc.asyncProperty(
        fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY),
        fc.constantFrom(0, 1, Number.POSITIVE_INFINITY),
        fc.array(fc.constantFrom(...manners), { minLength: 1, maxLength: 8 }),
        fc.commands([...given], { maxCommands: 40, size: 'max' }),
        async (workers, sliceMs, given, run) => {
          const shell = new Shell(workers, sliceMs, given);
          await fc.asyncModelRun(() => ({ model: {}, real: shell }), run);
          await conclude(shell);
        },
      );
      await fc.assert(property, { numRuns: 300 });
    });
  }
});
