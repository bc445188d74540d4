/** How far a run has come: a bar on a terminal, which is redrawn every second; elsewhere a line per turn. */
import { bar, ProgressLine } from '../../src/cli/terminal/progress.ts';
import { wholeDuration } from '../../src/cli/words.ts';
import { ContenderError } from './child.ts';
import type { Turn, Watcher } from './play.ts';
import type { Figures } from './scenario.ts';
import { shown } from './units.ts';

export class Progress implements Watcher {
  readonly #total: number;
  readonly #line: ProgressLine;
  readonly #startedAt = performance.now();
  readonly #redraw: NodeJS.Timeout;
  #done = 0;
  #doing = '';

  constructor(total: number) {
    this.#total = total;
    this.#line = new ProgressLine(process);
    this.#redraw = setInterval(() => this.#draw(), 1000).unref();
  }

  began({ scenario, contender, run, runs }: Turn): void {
    this.doing(`${scenario.name}, run ${run} of ${runs}: ${contender.name}`);
  }

  ended({ scenario, contender, run, runs }: Turn, outcome: Figures | ContenderError): void {
    this.#done++;
    const [first] = scenario.metrics.filter(({ key }) => outcome instanceof ContenderError || key in outcome);
    const says =
      outcome instanceof ContenderError
        ? `FAILED: ${outcome.message}`
        : first && `${first.title} ${shown(outcome[first.key], first.unit)}`;
    this.#say(`${scenario.name}, run ${run} of ${runs}: ${contender.name}: ${says}`);
  }

  /** Something begins that is not a turn. */
  doing(what: string): void {
    this.#doing = what;
    this.#draw();
  }

  didOne(): void {
    this.#done++;
  }

  /** What is printed next begins at the start of an empty line. */
  clear(): void {
    this.#line.end();
  }

  end(): void {
    clearInterval(this.#redraw);
    this.clear();
  }

  #draw(): void {
    const elapsed = wholeDuration(performance.now() - this.#startedAt);
    this.#line.draw(
      () =>
        `${bar(process, this.#done / this.#total)}, ${this.#done} of ${this.#total} in ${elapsed}  ${this.#doing}`,
    );
  }

  #say(text: string): void {
    if (!this.#line.isSeen) process.stderr.write(`${this.#done} of ${this.#total}  ${text}\n`);
  }
}
