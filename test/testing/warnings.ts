/** Collects the warnings of a test clock. */
import type { TestContext } from 'node:test';

export interface Warnings {
  /** All that have come so far. */
  readonly all: readonly string[];
  /** The next warning that was not returned yet, as soon as it comes. */
  next(): Promise<string>;
}

export function warningsOf(t: TestContext): Warnings {
  const all: string[] = [];
  let asked = 0;
  let heard = (): void => {};
  const hear = (warning: Error): void => {
    if (warning.name !== 'TestClockWarning') return;
    all.push(warning.message);
    heard();
  };
  process.on('warning', hear);
  t.after(() => process.off('warning', hear));
  return {
    all,
    async next() {
      const index = asked++;
      while (all.length <= index) await new Promise<void>((resolve) => (heard = resolve));
      return all[index];
    },
  };
}
