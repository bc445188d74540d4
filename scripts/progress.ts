/** The progress bar of the command line, for the long campaigns. */
import * as cli from '../src/cli/terminal/progress.ts';

export const createProgress = (total: number, label: string): cli.Progress =>
  cli.createProgress(process, total, label);
