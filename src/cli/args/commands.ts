/** The commands there are, each loaded only when it is needed, so that `--version` and a typing error are answered at once. */
import type { Command, Io } from './command.ts';

export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('../commands/init.ts')).initCommand,
  demo: async () => (await import('../commands/demo.ts')).demoCommand,
  run: async () => (await import('../commands/run.ts')).run,
  next: async () => (await import('../commands/next.ts')).nextCommand,
  explain: async () => (await import('../commands/explain.ts')).explainCommand,
  preview: async () => (await import('../commands/preview.ts')).previewCommand,
  plan: async () => (await import('../commands/plan.ts')).planCommand,
  list: async () => (await import('../commands/list.ts')).listCommand,
  status: async () => (await import('../commands/status.ts')).statusCommand,
  dashboard: async () => (await import('../commands/dashboard.ts')).dashboardCommand,
  health: async () => (await import('../commands/health.ts')).healthCommand,
  history: async () => (await import('../commands/history.ts')).historyCommand,
  logs: async () => (await import('../commands/logs.ts')).logsCommand,
  trigger: async () => (await import('../commands/controls.ts')).triggerCommand,
  pause: async () => (await import('../commands/controls.ts')).pauseCommand,
  resume: async () => (await import('../commands/controls.ts')).resumeCommand,
  cancel: async () => (await import('../commands/controls.ts')).cancelCommand,
  check: async () => (await import('../commands/check.ts')).checkCommand,
  import: async () => (await import('../commands/import.ts')).importCommand,
  doctor: async () => (await import('../commands/doctor.ts')).doctorCommand,
  repair: async () => (await import('../commands/repair.ts')).repairCommand,
  forget: async () => (await import('../commands/forget.ts')).forgetCommand,
  move: async () => (await import('../commands/move.ts')).moveCommand,
  schema: async () => (await import('../commands/schema.ts')).schemaCommand,
  simulate: async () => (await import('../commands/simulate.ts')).simulateCommand,
  completion: async () => (await import('../commands/completion.ts')).completionCommand,
};

export const allCommands = (): Promise<Command[]> =>
  Promise.all(Object.values(commands).map((load) => load()));

/** Answers the completion scripts. */
export const complete = async (io: Io, words: readonly string[]): Promise<number> =>
  (await import('../commands/completion.ts')).complete(io, words, await allCommands());
