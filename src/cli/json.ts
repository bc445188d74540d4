/** What `--json` prints, where it is one document. */

/** One JSON document, for a program to read; lists of numbers stay on one line. */
export const json = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2).replace(/\[\n\s+(-?\d+(?:,\n\s+-?\d+)*)\n\s+\]/g, (list) => list.replace(/\s+/g, ''))}\n`;
