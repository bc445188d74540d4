/**
 * The order of the site: four parts, and every page of `docs/` in one of them. A new page is one line here. A test fails for a page
 * that is missing, and for a line that has no page.
 */

export interface Part {
  readonly title: string;
  /** The pages, as `[path below docs/ without ".md", what the sidebar calls it]`. */
  readonly pages: readonly (readonly [path: string, title: string])[];
}

/** The page that the site begins with. It is in no part. */
export const FRONT_PAGE = 'README';

export const parts: readonly Part[] = [
  {
    title: 'Use',
    pages: [
      ['getting-started', 'Getting started'],
      ['tasks', 'Tasks and policies'],
      ['retries', 'Retries and giving up'],
      ['errors', 'Errors and logging'],
      ['scheduler', 'The scheduler in a program'],
      ['testing', 'Testing your schedules'],
      ['cli', 'The command line'],
      ['cli-commands', 'The other commands'],
      ['cluster', 'Several machines'],
      ['dashboard', 'The page'],
      ['telemetry', 'Telemetry'],
      ['operating', 'Operating'],
      ['recipes', 'Recipes'],
      ['migration', 'Migration'],
      ['executor', 'The executor'],
    ],
  },
  {
    title: 'Know',
    pages: [
      ['semantics', 'What happens when'],
      ['not-promised', 'What is not promised'],
      ['comparison', 'Compared with others'],
      ['cron', 'The cron language'],
      ['performance', 'What it costs'],
      ['security', 'Security'],
      ['upgrades', 'Upgrade policy'],
      ['store-schema', 'What is in the store'],
      ['troubleshooting', 'Troubleshooting'],
      ['faq', 'Questions'],
      ['glossary', 'Glossary'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['reference', 'What most programs need'],
      ['api', 'All exports'],
      ['api/obbligato', 'obbligato'],
      ['api/cron', 'obbligato/cron'],
      ['api/executor', 'obbligato/executor'],
      ['api/testing', 'obbligato/testing'],
      ['api/postgres', 'obbligato/postgres'],
      ['api/dashboard', 'obbligato/dashboard'],
      ['api/telemetry', 'obbligato/telemetry'],
      ['api/opentelemetry', 'obbligato/opentelemetry'],
      ['api/theory', 'obbligato/theory'],
      ['api/simulation', 'obbligato/simulation'],
    ],
  },
  {
    title: 'How it was checked',
    pages: [
      ['tests', 'How it is tested'],
      ['rules', 'The rules'],
      ['theory', 'The theory'],
      ['theory-proof', 'The proof'],
      ['errata', 'Errata of the theory'],
      ['oracle-internals', 'Inside the oracle'],
      ['cluster-campaigns', 'Campaigns on clusters'],
      ['cluster-proof', "The cluster's proof"],
      ['executor-proof', "The executor's proof"],
      ['simulation', 'A world in one thread'],
      ['attacks', 'Attacks on real processes'],
      ['findings', 'What broke once'],
      ['judging-others', 'Judging other schedulers'],
      ['judgements', 'Each verdict, with its proof'],
      ['dependencies', 'Dependencies'],
    ],
  },
];
