/** A question before something that cannot be undone. Without a terminal to ask on, the answer must be on the command line. */
import { createInterface } from 'node:readline';
import { CliError } from '../errors.ts';
import type { Arguments, Io } from './command.ts';
import { isGiven } from './values.ts';

/** Whether to go on: `--yes`, or a "y" typed on the terminal. */
export async function confirm(io: Io, args: Arguments, question: string): Promise<boolean> {
  if (isGiven(args, 'yes')) return true;
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true) {
    throw new CliError(
      'usage',
      `There is no terminal to ask on (${question}): say it with --yes. Nothing was changed`,
    );
  }
  // It listens before it asks, so that a quick Ctrl-C does not end the process without a word.
  const answered = readLine(io.stdin);
  io.stdout.write(`${question} [y/N] `);
  const answer = await answered;
  // Ctrl-C and Ctrl-D are a no, and leave the cursor behind the question.
  if (answer === undefined) io.stdout.write('\n');
  return answer !== undefined && /^y(es)?$/i.test(answer.trim());
}

/** A line as it was typed; undefined if there comes none, or Ctrl-C comes first. */
function readLine(input: NodeJS.ReadStream): Promise<string | undefined> {
  const lines = createInterface({ input });
  return new Promise((resolve) => {
    const end = (line?: string): void => {
      process.off('SIGINT', interrupt);
      resolve(line);
      lines.close();
    };
    const interrupt = (): void => end();
    process.once('SIGINT', interrupt);
    lines.once('line', end);
    lines.once('close', () => end());
  });
}
