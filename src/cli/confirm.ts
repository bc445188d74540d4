/** A question before something that cannot be undone. Where there is nobody to ask, the answer must have been given already. */
import { createInterface } from 'node:readline';
import type { Arguments, Io } from './command.ts';
import { UsageError } from './usage-error.ts';
import { isGiven } from './values.ts';

/** Whether to go on: `--yes`, or a "y" typed on the terminal. */
export async function confirm(io: Io, args: Arguments, question: string): Promise<boolean> {
  if (isGiven(args, 'yes')) return true;
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true) {
    throw new UsageError(
      `There is no terminal to ask on (${question}): say it with --yes. Nothing was changed`,
    );
  }
  io.stdout.write(`${question} [y/N] `);
  const answer = await readLine(io.stdin);
  return /^y(es)?$/i.test(answer.trim());
}

function readLine(input: NodeJS.ReadStream): Promise<string> {
  const lines = createInterface({ input });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(''));
  });
}
