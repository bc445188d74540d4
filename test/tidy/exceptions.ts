/** What may break the limits of tidy-limits.test.ts, each with its reason. An entry that is no longer needed fails the test. */

/** Files of more than 250 lines. */
export const longFiles: Readonly<Record<string, string>> = {
  'publishing/test/package.test.ts': 'one packed package, every way to use it',
  'src/core/tasks.ts': 'one state machine, every transition',
  'src/errors.ts': 'every error in one place',
  'src/scheduler/engine.ts': 'one life put together from its parts, and one turn of it',
  'src/scheduler/scheduler.ts': 'the lifecycle, read from top to bottom',
  'src/simulation/judges/model.ts': 'one model, one method per observation',
  'src/simulation/machine/machine.ts': 'one machine, every event of its life',
  'src/testing/clock.ts': 'one public object, every method of it',
  'src/testing/work.ts': 'one argument about when time may pass',
  'src/telemetry/catalogue.ts': 'a table of every metric',
  'src/trace/merge/one-scheduler.ts': 'one state machine, every item',
  'test/cli/check.test.ts': 'one command, every answer',
  'test/cli/import.test.ts': 'one command, every answer',
  'test/cli/render.test.ts': 'one screen, every state',
  'test/command/command.test.ts': 'one function, every way to end',
  'test/errors.test.ts': 'the contract of every error, as a table',
  'test/scheduler/clock-steps.test.ts': 'one rule, every order of events',
  'test/scheduler/policies.test.ts': 'one group of rules, every policy',
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
  'test/theory/mutants-scheduler.ts': 'a table of planted faults',
  'test/theory/random-records.ts': 'a table of cases',
  'test/theory/random.ts': 'a table of cases',
  'test/theory/reference/naive.ts': 'one evaluator, every operator and every atom',
  'test/theory/review.test.ts': 'one test per finding of the review',
  'test/theory/traces.ts': 'one builder, every record',
  'test/trace/continuation.test.ts': 'one file, every way to end',
};

/** Functions of more than 40 lines, as `file: name`. */
export const longFunctions: Readonly<Record<string, string>> = {
  'scripts/api/entry.ts: entryOf': 'one case per kind of declaration',
  'scripts/live-view.ts: record': 'one recording from beginning to end',
  'src/cli/preview/page.ts: pageOf': 'one page of HTML',
  'src/executor/from.ts: pullInto': 'closures over one state',
  'src/executor/timers.ts: follow': 'closures over one state',
  'src/cli/run/describe-event.ts: describeEvent': 'one case per event',
  'src/scheduler/life.ts: planLife': 'one life, read from top to bottom',
  'src/simulation/judges/events.ts: EventsJudge.eventHeard': 'one case per event',
  'src/simulation/judges/batches.ts: applyBatch': 'one case per change',
  'src/theory/verdict/explain.ts: Explainer.broken': 'one case per axiom',
};

/** Exports that no import names, as `file: name`. */
export const usedOtherwise: Readonly<Record<string, string>> = {
  'bench/harness.ts: lastResult':
    'what can be read from outside keeps the measured work alive in the optimiser',
  'src/executor/thread-runner.ts: runModule': 'Piscina calls it by this name in its threads',
};
