/** A reporter of `node --test`, next to another one: prints the files that took longest, once all have ended. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const SHOWN = 10;

export default async function* slowest(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: Array<{ readonly file: string; readonly seconds: number }> = [];
  for await (const { type, data } of events) {
    if (type !== 'test:summary' || data.file === undefined) continue;
    files.push({ file: data.file, seconds: data.duration_ms / 1000 });
  }
  if (files.length <= SHOWN) return;
  yield `\nThe ${SHOWN} slowest of ${files.length} files:\n`;
  for (const { file, seconds } of files.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN))
    yield `${seconds.toFixed(1).padStart(8)} s  ${relative(process.cwd(), file)}\n`;
}
