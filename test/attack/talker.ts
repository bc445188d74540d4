/** A process that answers each line of its standard input with one line of JSON. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bounded } from '../patience.ts';
import type { Ground } from './ground.ts';

export class Talker<Answer> {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  /** `fixture` is a file of this folder. */
  constructor(ground: Ground, fixture: string, ...words: readonly string[]) {
    const program = join(import.meta.dirname, fixture);
    this.#child = ground.spawn(process.execPath, [program, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#child.stdout === null) throw new Error('it answers on its standard output');
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  async ask(line: string): Promise<Answer> {
    this.#child.stdin?.write(`${line}\n`);
    const { value, done } = await bounded(`the answer to "${line}"`, this.#answers.next());
    if (done === true) throw new Error(`the process ended at "${line}"`);
    return JSON.parse(value);
  }

  end(): void {
    this.#child.stdin?.end();
  }
}
