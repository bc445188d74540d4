/** What in the pages is not held to the rules, each with its reason. An entry that is not needed any more fails the test. */
export interface Exemption {
  readonly page: string;
  /** A part of the command line, of the sentence's command, or of the block's first line; empty for all of the page. */
  readonly text: string;
  readonly because: string;
}

const BEING_WRITTEN = 'the page is being written anew; its blocks then declare their helpers';

const GENERATED =
  'signatures, made from sources that the compiler has checked; test/docs/api.test.ts holds them up to date';

export const exemptions: readonly Exemption[] = [
  ...['obbligato', 'cron', 'executor', 'theory', 'simulation'].map((door) => ({
    page: `docs/api/${door}.md`,
    text: '',
    because: GENERATED,
  })),
  { page: 'README.md', text: '// obbligato.config.ts, run by: npx obbligato run', because: BEING_WRITTEN },
  { page: 'README.md', text: 'import { createScheduler, minutes, sqlite }', because: BEING_WRITTEN },
  {
    page: 'README.md',
    text: 'npx obbligato import crontab  ',
    because: 'it refuses to write over a configuration',
  },
];

const used = new Set<Exemption>();

const fitting = (page: string, text: string): Exemption[] =>
  exemptions.filter((each) => each.page === page && text.includes(each.text));

/** Whether something on a page is exempt. */
export const isExempt = (page: string, text: string): boolean => fitting(page, text).length > 0;

/** The same of something that is not as it should be, or cannot be run: remembers that the entry was needed. */
export function isExcused(page: string, text: string): boolean {
  const found = fitting(page, text);
  for (const each of found) used.add(each);
  return found.length > 0;
}

export const staleExemptions = (): Exemption[] => exemptions.filter((each) => !used.has(each));
