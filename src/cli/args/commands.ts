/** The commands there are, each loaded only when it is needed, so that `--version` and a typing error are answered at once. */
import type { Command } from './command.ts';

export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('../commands/run.ts')).run,
  next: async () => (await import('../commands/next.ts')).nextCommand,
  explain: async () => (await import('../commands/explain.ts')).explainCommand,
  preview: async () => (await import('../commands/preview.ts')).previewCommand,
  status: async () => (await import('../commands/status.ts')).statusCommand,
  history: async () => (await import('../commands/history.ts')).historyCommand,
  check: async () => (await import('../commands/check.ts')).checkCommand,
  import: async () => (await import('../commands/import.ts')).importCommand,
  doctor: async () => (await import('../commands/doctor.ts')).doctorCommand,
  repair: async () => (await import('../commands/repair.ts')).repairCommand,
  forget: async () => (await import('../commands/forget.ts')).forgetCommand,
  simulate: async () => (await import('../commands/simulate.ts')).simulateCommand,
  completion: async () =>
    (await import('../commands/completion.ts')).completionCommand(() =>
      Promise.all(Object.values(commands).map((load) => load())),
    ),
};
