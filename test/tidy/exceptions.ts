/** What may break the limits of tidy-limits.test.ts, each with its reason. An entry that is no longer needed fails the test. */

/** Files of more than 250 lines. */
export const longFiles: Readonly<Record<string, string>> = {
  'src/errors.ts': 'every error in one place',
  'src/scheduler/engine.ts': 'one turn, read from top to bottom',
  'src/scheduler/scheduler.ts': 'the lifecycle, read from top to bottom',
  'src/simulation/machine/machine.ts': 'one machine, every event of its life',
  'src/testing/clock.ts': 'one public object, every method of it',
  'src/testing/work.ts': 'one argument about when time may pass',
  'src/theory/tasks/classes.ts': 'one data structure with its invariants',
  'src/theory/tasks/tasks.ts': 'what each event does to tasks, one after the other',
  'src/theory/verdict/ledger.ts': 'one book, with its copy for a verdict',
  'test/cli/check.test.ts': 'one command, every answer',
  'test/cli/import.test.ts': 'one command, every answer',
  'test/cli/render.test.ts': 'one screen, every state',
  'test/cli/status.test.ts': 'one command, every answer',
  'test/command/command.test.ts': 'one function, every way to end',
  'test/errors.test.ts': 'the contract of every error, as a table',
  'test/package.test.ts': 'one packed package, every way to use it',
  'test/scheduler/clock-steps.test.ts': 'one rule, every order of events',
  'test/scheduler/refused.test.ts': 'one answer of a store, every change',
  'test/simulation/blind-spots.ts': 'a table of planted faults',
  'test/simulation/mutants.ts': 'a table of planted faults',
  'test/store/broken-stores.test.ts': 'a table of planted faults',
  'test/testing/work.test.ts': 'one object, every way to wait',
  'test/tidy.test.ts': 'one rule of style per test',
  'test/theory/compute.test.ts': 'a table of cases',
  'test/theory/due.test.ts': 'a table of cases',
  'test/theory/independent/ideal.ts': 'a table of cases',
  'test/theory/malformed.test.ts': 'a table of broken traces',
  'test/theory/random-records.ts': 'a table of cases',
  'test/theory/random.ts': 'a table of cases',
  'test/theory/review.test.ts': 'one test per finding of the review',
};

/** Functions of more than 40 lines, as `file: name`. */
export const longFunctions: Readonly<Record<string, string>> = {
  'examples/judge-others/life.ts: play': 'one scenario from beginning to end',
  'scripts/api/entry.ts: entryOf': 'one case per kind of declaration',
  'scripts/live-view.ts: record': 'one recording from beginning to end',
  'src/cli/preview/page.ts: pageOf': 'one page of HTML',
  'src/executor/from.ts: pullInto': 'closures over one state',
  'src/executor/timers.ts: follow': 'closures over one state',
  'src/scheduler/life.ts: beginLife': 'one life, read from top to bottom',
  'src/simulation/judges/events.ts: EventsJudge.eventHeard': 'one case per event',
  'src/simulation/judges/rules.ts: applyBatch': 'one case per change',
  'src/theory/verdict/explain.ts: Explainer.broken': 'one case per axiom',
};

/** Exports that no import names, as `file: name`. */
export const usedOtherwise: Readonly<Record<string, string>> = {
  'bench/harness.ts: lastResult':
    'what can be read from outside keeps the measured work alive in the optimiser',
  'src/theory/logic/formula.ts: someTask': 'one constructor per operator',
  'src/executor/thread-runner.ts: runModule': 'Piscina calls it by this name in its threads',
};
