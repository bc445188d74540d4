/** What in the pages is not held to the rules, each with its reason. An entry that is not needed any more fails the test. */
export interface Exemption {
  readonly page: string;
  /** A part of the command line, of the sentence's command, or of the block's first line; empty for all of the page. */
  readonly text: string;
  readonly because: string;
}

const KILLS = 'it kills whatever runs; in the scene a scheduler of its own was killed';
const SERVICE = 'it is for a service of the machine; "doctor" alone is run elsewhere';

const GENERATED =
  'signatures, made from sources that the compiler has checked; test/docs/api.test.ts holds them up to date';

const exemptions: readonly Exemption[] = [
  ...[
    'obbligato',
    'cron',
    'executor',
    'postgres',
    'dashboard',
    'telemetry',
    'opentelemetry',
    'theory',
    'testing',
    'simulation',
  ].map((door) => ({ page: `docs/api/${door}.md`, text: '', because: GENERATED })),
  { page: 'docs/reference.md', text: '', because: GENERATED },
  { page: 'docs/getting-started.md', text: 'kill -9', because: KILLS },
  { page: 'docs/operating.md', text: 'sqlite3 ', because: 'not every machine has it' },
  { page: 'docs/operating.md', text: 'systemctl ', because: SERVICE },
  { page: 'docs/operating.md', text: 'docker run', because: 'it needs an image, and Docker' },
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

/** Entries of these pages that nothing has needed. */
export const staleExemptions = (pages: ReadonlySet<string>): Exemption[] =>
  exemptions.filter((each) => pages.has(each.page) && !used.has(each));
