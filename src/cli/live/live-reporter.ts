/**
 * The live view: keeps the model up to date, draws it at most ten times a second when something has happened, and once a second so
 * that the countdowns go on.
 *
 *     drawing ──SIGTSTP (Ctrl-Z)──▶ suspended ──SIGCONT──▶ drawing ──close──▶ closed
 *
 * Keys choose what is shown (steering.ts). On every way out of the process the terminal is given back as it was: `close`, the process's own exit, Ctrl-Z, and Ctrl-\ (SIGQUIT).
 * Only SIGKILL leaves no time for that.
 */

import type { Zone } from '../../cron/index.ts';
import type { SchedulerEvent, TaskRecord } from '../../index.ts';
import type { Output } from '../args/command.ts';
import {
  isEndOfRun,
  type Notice,
  type Reporter,
  type ScheduleFacts,
  type WrittenLine,
} from '../run/reporter.ts';
import { Screen } from '../terminal/screen.ts';
import type { Style } from '../terminal/style.ts';
import { oneLine, truncate } from '../terminal/text.ts';
import { Model } from './model.ts';
import { createDues } from './next-due.ts';
import { lastWords, orderOf, type RenderOptions, render } from './render.ts';
import { type Helm, Steering } from './steering.ts';

/**
 * The wheel of the mouse sends the arrow keys, on the alternate screen. That is all of the mouse that is free: a view that heard of clicks
 * would take away the terminal's own selection of text, with which one copies an error.
 */
const WHEEL_ON = '\u001b[?1007h';
const WHEEL_OFF = '\u001b[?1007l';
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
  readonly #steering: Steering;
  #timer: NodeJS.Timeout | undefined;
  #drawnAt = 0;
  #isClosed = false;

  readonly #close = (): void => this.close();
  readonly #resized = (): void => {
    this.#screen.resized();
    this.#draw();
  };
  readonly #suspend = (): void => {
    this.#giveBack();
    process.kill(process.pid, 'SIGSTOP');
  };
  /** Ctrl-\: gives the terminal back, and then dies of the signal as a process without a listener does. */
  readonly #quit = (): void => {
    this.#giveBack();
    process.off('SIGQUIT', this.#quit);
    process.kill(process.pid, 'SIGQUIT');
  };
  readonly #resume = (): void => {
    this.#takeOver();
    this.#draw();
  };

  constructor(out: Output, style: Style, zone: Zone, facts: ScheduleFacts, now: () => number, helm: Helm) {
    this.#out = out;
    this.#style = style;
    this.#zone = zone;
    this.#now = now;
    this.#model = new Model(facts, zone);
    this.#screen = new Screen(out);
    this.#dues = createDues(facts.timeZone);
    this.#frameMs = facts.tasks.length > MANY_TASKS ? 10 * FRAME_MS : FRAME_MS;
    this.#steering = new Steering(helm, {
      shown: () => ({
        names: orderOf(this.#model, this.#options()),
        page: Math.max(1, this.#screen.size.rows - 10),
        isPaused: (name) => this.#model.isPaused(name),
      }),
      changed: () => this.#draw(),
      complain: (message) => this.notice({ type: 'Trouble', at: now(), message }),
    });
    process.on('exit', this.#close);
    process.on('SIGTSTP', this.#suspend);
    process.on('SIGCONT', this.#resume);
    process.on('SIGQUIT', this.#quit);
    process.stdout.on('resize', this.#resized);
    this.#takeOver();
    this.#draw();
  }

  event(event: SchedulerEvent): void {
    this.#model.event(event);
    if (isEndOfRun(event)) this.#steering.ended(event.task, event.at);
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

  relist(tasks: ScheduleFacts['tasks']): void {
    this.#model.relist(tasks);
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
    this.#giveBack();
    const { size } = this.#screen;
    const said = this.#model.log
      .filter(({ task, isOutput }) => task === undefined && !isOutput)
      .slice(-2)
      .map(({ text }) => truncate(oneLine(text), size.columns - 1));
    this.#out.write(`${[...lastWords(this.#model, size, this.#options()), ...said].join('\n')}\n`);
  }

  #options(): RenderOptions {
    const { hands, past } = this.#steering;
    return { now: this.#now(), zone: this.#zone, style: this.#style, ...this.#dues, hands, past };
  }

  #takeOver(): void {
    this.#screen.open();
    this.#steering.keyboard.open();
    if (this.#steering.keyboard.isOpen) this.#out.write(WHEEL_ON);
  }

  #giveBack(): void {
    if (this.#steering.keyboard.isOpen) this.#out.write(WHEEL_OFF);
    this.#steering.keyboard.close();
    this.#screen.close();
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
    const park = this.#steering.keyboard.isOpen ? 'bottom' : 'corner';
    this.#screen.draw(render(this.#model, this.#screen.size, this.#options()), park);
    this.#drawnAt = performance.now();
    // With the turn of the second, when the countdowns change.
    this.#drawIn(1000 - (this.#now() % 1000));
  }
}
