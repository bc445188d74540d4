/** A reporter of `node --test`, next to another one: prints the files that took longest, once all have ended. */
import { relative } from 'node:path';

const SHOWN = 10;

interface Event {
  readonly type: string;
  readonly data: unknown;
}

/** The end of a file; without a file, the end of all. */
interface Summary extends Event {
  readonly data: { readonly file?: string | undefined; readonly duration_ms: number };
}

const isSummary = (event: Event): event is Summary => event.type === 'test:summary';

/** By default, as Node wants a reporter. */
export default async function* (events: AsyncIterable<Event>): AsyncGenerator<string> {
  const files: Array<{ readonly file: string; readonly seconds: number }> = [];
  for await (const event of events) {
    if (!isSummary(event) || event.data.file === undefined) continue;
    files.push({ file: event.data.file, seconds: event.data.duration_ms / 1000 });
  }
  if (files.length <= SHOWN) return;
  yield `\nThe ${SHOWN} slowest of ${files.length} files:\n`;
  for (const { file, seconds } of files.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN))
    yield `${seconds.toFixed(1).padStart(8)} s  ${relative(process.cwd(), file)}\n`;
}
