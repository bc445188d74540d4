/**
 * The live view: keeps the model up to date, draws it at most ten times a second when something has happened, and once a second so
 * that the countdowns go on.
 *
 *     drawing ──SIGTSTP (Ctrl-Z)──▶ suspended ──SIGCONT──▶ drawing ──close──▶ closed
 *
 * On every way out of the process the terminal is given back as it was: `close`, the process's own exit, Ctrl-Z, and Ctrl-\ (SIGQUIT).
 * Only SIGKILL leaves no time for that.
 */

import type { Zone } from '../../cron/index.ts';
import type { SchedulerEvent, TaskRecord } from '../../index.ts';
import type { Output } from '../args/command.ts';
import type { Notice, Reporter, ScheduleFacts, WrittenLine } from '../run/reporter.ts';
import { Screen } from '../terminal/screen.ts';
import type { Style } from '../terminal/style.ts';
import { oneLine, truncate } from '../terminal/text.ts';
import { Model } from './model.ts';
import { createDues } from './next-due.ts';
import { lastWords, type RenderOptions, render } from './render.ts';

const FRAME_MS = 100;
/** Above this many tasks looking at each of them takes a while, and once a second must do. */
const MANY_TASKS = 2000;

export class LiveReporter implements Reporter {
  readonly #out: Output;
  readonly #style: Style;
  readonly #zone: Zone;
  readonly #now: () => number;
  readonly #model: Model;
  readonly #screen: Screen;
  readonly #dues: Pick<RenderOptions, 'nextDue' | 'dueAfter'>;
  readonly #frameMs: number;
  #timer: NodeJS.Timeout | undefined;
  #drawnAt = 0;
  #isClosed = false;

  readonly #close = (): void => this.close();
  readonly #resized = (): void => {
    this.#screen.resized();
    this.#draw();
  };
  readonly #suspend = (): void => {
    this.#screen.close();
    process.kill(process.pid, 'SIGSTOP');
  };
  /** Ctrl-\: gives the terminal back, and then dies of the signal as a process without a listener does. */
  readonly #quit = (): void => {
    this.#screen.close();
    process.off('SIGQUIT', this.#quit);
    process.kill(process.pid, 'SIGQUIT');
  };
  readonly #resume = (): void => {
    this.#screen.open();
    this.#draw();
  };

  constructor(out: Output, style: Style, zone: Zone, facts: ScheduleFacts, now: () => number) {
    this.#out = out;
    this.#style = style;
    this.#zone = zone;
    this.#now = now;
    this.#model = new Model(facts, zone);
    this.#screen = new Screen(out);
    this.#dues = createDues(facts.timeZone);
    this.#frameMs = facts.tasks.length > MANY_TASKS ? 10 * FRAME_MS : FRAME_MS;
    process.on('exit', this.#close);
    process.on('SIGTSTP', this.#suspend);
    process.on('SIGCONT', this.#resume);
    process.on('SIGQUIT', this.#quit);
    process.stdout.on('resize', this.#resized);
    this.#screen.open();
    this.#draw();
  }

  event(event: SchedulerEvent): void {
    this.#model.event(event);
    this.#drawSoon();
  }

  output(line: WrittenLine, at: number): void {
    this.#model.output(line, at);
    this.#drawSoon();
  }

  notice(notice: Notice): void {
    this.#model.notice(notice);
    this.#drawSoon();
  }

  remember(records: readonly TaskRecord[]): void {
    this.#model.remember(records);
    this.#drawSoon();
  }

  /** Leaves the tasks as they were on the terminal, and the last lines that the scheduler itself had to say. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    process.off('exit', this.#close);
    process.off('SIGTSTP', this.#suspend);
    process.off('SIGCONT', this.#resume);
    process.off('SIGQUIT', this.#quit);
    process.stdout.off('resize', this.#resized);
    this.#screen.close();
    const { size } = this.#screen;
    const said = this.#model.log
      .filter(({ task, isOutput }) => task === undefined && !isOutput)
      .slice(-2)
      .map(({ text }) => truncate(oneLine(text), size.columns - 1));
    this.#out.write(`${[...lastWords(this.#model, size, this.#options()), ...said].join('\n')}\n`);
  }

  #options(): RenderOptions {
    return { now: this.#now(), zone: this.#zone, style: this.#style, ...this.#dues };
  }

  #drawSoon(): void {
    if (this.#isClosed) return;
    this.#drawIn(Math.max(0, this.#drawnAt + this.#frameMs - performance.now()));
  }

  #drawIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), delayMs);
    this.#timer.unref(); // a view is no reason to stay
  }

  #draw(): void {
    if (this.#isClosed) return;
    this.#screen.draw(render(this.#model, this.#screen.size, this.#options()));
    this.#drawnAt = performance.now();
    // With the turn of the second, when the countdowns change.
    this.#drawIn(1000 - (this.#now() % 1000));
  }
}
