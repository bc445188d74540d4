/** One line for each event: the timestamp, the task, and what happened. For log files, pipes, and `--plain`. */

import type { Zone } from '../../cron/index.ts';
import type { SchedulerEvent } from '../../index.ts';
import type { Output } from '../args/command.ts';
import type { Style } from '../terminal/style.ts';
import { oneLine, printable } from '../terminal/text.ts';
import { timestamp } from '../words.ts';
import { type Description, describeEvent, describeNotice } from './describe-event.ts';
import type { Notice, Reporter, ScheduleFacts, WrittenLine } from './reporter.ts';

export class LineReporter implements Reporter {
  readonly #out: Output;
  readonly #style: Style;
  readonly #zone: Zone;
  readonly #facts: ScheduleFacts;

  constructor(out: Output, style: Style, zone: Zone, facts: ScheduleFacts) {
    this.#out = out;
    this.#style = style;
    this.#zone = zone;
    this.#facts = facts;
  }

  event(event: SchedulerEvent): void {
    if (event.type === 'SchedulerInitializationStarted') {
      const { config, store, timeZone, pid, tasks } = this.#facts;
      const count = `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`;
      this.#say(event.at, {
        text: `${count} of ${config}, store ${store}, time zone ${timeZone}, pid ${pid}`,
        tone: 'plain',
      });
    }
    const description = describeEvent(event, this.#zone, this.#facts.afterwards);
    if (description !== undefined) this.#say(event.at, description);
  }

  notice(notice: Notice): void {
    this.#say(notice.at, describeNotice(notice, this.#zone, this.#facts.afterwards));
  }

  output({ task, line }: WrittenLine, at: number): void {
    const { dim, symbols } = this.#style;
    this.#line(at, task, `${dim(symbols.bar)} ${oneLine(line)}`);
  }

  close(): void {}

  #say(at: number, { task, text, tone, stack = [] }: Description): void {
    const { dim, green, red, yellow } = this.#style;
    const paint = { plain: (text: string) => text, good: green, bad: red, warn: yellow }[tone];
    this.#line(at, task, paint(oneLine(text)));
    for (const line of stack) this.#line(at, task, dim(line));
  }

  #line(at: number, task: string | undefined, text: string): void {
    const { bold, dim } = this.#style;
    const who = task === undefined ? dim('obbligato') : bold(printable(task));
    this.#out.write(`${dim(timestamp(at, this.#zone))}  ${who}  ${text}\n`);
  }
}
