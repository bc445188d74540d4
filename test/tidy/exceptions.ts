/** What may break the limits of tidy-limits.test.ts and tidy-shape.test.ts. An entry that is no longer needed fails the test. */

/** Functions of more than 40 lines, as `file: name`. */
export const longFunctions: Readonly<Record<string, string>> = {
  'scripts/api/entry.ts: entryOf': 'one case per kind of declaration',
  'scripts/live-view.ts: record': 'one recording from beginning to end',
  'src/executor/from.ts: pullInto': 'closures over one state',
  'src/executor/timers.ts: follow': 'closures over one state',
  'src/cli/run/describe-event.ts: describeEvent': 'one case per event',
  'src/simulation/judges/events.ts: EventsJudge.eventHeard': 'one case per event',
  'src/simulation/judges/batches.ts: applyBatch': 'one case per change',
  'src/theory/verdict/explain.ts: Explainer.broken': 'one case per axiom',
};

/** Exports that no import names, as `file: name`. */
export const usedOtherwise: Readonly<Record<string, string>> = {
  'bench/harness.ts: lastResult':
    'what can be read from outside keeps the measured work alive in the optimiser',
};

/** Files of `src` that import more than 12 others, with how many. The numbers may only fall. */
export const manyImports: Readonly<Record<string, number>> = {
  'src/cli/args/commands.ts': 24,
  'src/cli/commands/check.ts': 13,
  'src/cli/commands/init.ts': 18,
  'src/cli/commands/run.ts': 24,
  'src/cli/config/load.ts': 13,
  'src/cli/config/target.ts': 14,
  'src/cli/run/run-schedule.ts': 14,
  'src/command/command.ts': 13,
  'src/dashboard/dashboard.ts': 13,
  'src/dashboard/routes.ts': 15,
  'src/scheduler/caller.ts': 13,
  'src/scheduler/engine-options.ts': 13,
  'src/scheduler/engine.ts': 21,
  'src/scheduler/life.ts': 15,
  'src/scheduler/scheduler.ts': 22,
  'src/scheduler/settled-options.ts': 13,
  'src/simulation/cluster/host.ts': 14,
  'src/simulation/cluster/world.ts': 15,
  'src/simulation/judges/live-tasks.ts': 13,
  'src/simulation/judges/model.ts': 15,
  'src/simulation/machine/machine.ts': 14,
  'src/simulation/world.ts': 18,
  'src/store/maintenance/maintenance.ts': 18,
  'src/store/postgres/move.ts': 19,
  'src/store/postgres/session.ts': 18,
  'src/store/postgres/store.ts': 20,
  'src/store/sqlite-look.ts': 13,
  'src/store/sqlite-rows.ts': 13,
  'src/store/sqlite-serve.ts': 14,
  'src/store/sqlite-write.ts': 14,
  'src/theory/monitor.ts': 13,
  'src/theory/verdict/findings.ts': 17,
};

/** Object types of `src` that have more than 12 fields, as `file: name`, with how many. The numbers may only fall. */
export const manyFields: Readonly<Record<string, number>> = {
  'src/config.ts: Config': 13,
  'src/core/changes.ts: EndChange': 13,
  'src/core/record.ts: TaskRecord': 18,
  'src/dashboard/options.ts: DashboardOptions': 13,
  'src/dashboard/options.ts: Settings': 13,
  'src/dashboard/serve.ts: ServeOptions': 15,
  'src/executor/state.ts: ExecutorState': 13,
  'src/scheduler/engine-options.ts: EngineOptions': 19,
  'src/scheduler/events.ts: EventDetails': 29,
  'src/scheduler/options.ts: SchedulerOptions': 14,
  'src/scheduler/settled-options.ts: SettledOptions': 18,
  'src/scheduler/task.ts: TaskOptions': 16,
  'src/simulation/judges/judge.ts: Observations': 27,
  'src/simulation/machine/counts.ts: FaultCounts': 21,
  'src/store/cluster/decide.ts: ClusterBatch': 13,
  'src/store/postgres/run-rows.ts: EndRow': 16,
  'src/testing/clock.ts: TestClock': 14,
  'src/theory/tasks/calls.ts: Call': 16,
  'src/theory/tasks/calls.ts: CallStart': 13,
};
