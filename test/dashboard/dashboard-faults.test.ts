/** Faults planted into the server of the dashboard, and the test that finds each. */
import { describeFaults } from '../planted-fault.ts';

const access = 'dashboard/attack-access.test.ts';
const attack = 'dashboard/attack.test.ts';
const answers = 'dashboard/answers.test.ts';
const foreign = 'another site: its pages can neither read nor change';

describeFaults('the dashboard', [
  {
    name: 'any name is ours',
    file: 'dashboard/guard.ts',
    find: '!(hosts.has(name) || isAddress(name))',
    replace: 'false',
    foundBy: [access, 'DNS rebinding: a name that is not ours is answered nothing'],
  },
  {
    name: 'the origin is not compared',
    file: 'dashboard/guard.ts',
    find: 'headers.origin !== undefined && !isOurs(headers.origin, headers.host)',
    replace: 'false',
    foundBy: [access, foreign],
  },
  {
    name: 'a form may change something',
    file: 'dashboard/guard.ts',
    find: 'headers[HEADER] === undefined',
    replace: 'false',
    foundBy: [access, foreign],
  },
  {
    name: 'any token will do',
    file: 'dashboard/guard.ts',
    find: 'given !== undefined && isSame(given, token)',
    replace: 'given !== undefined',
    foundBy: [access, 'a token: nothing without it, not in addresses, a session that scripts cannot read'],
  },
  {
    name: 'an answer that is not a clear yes lets in',
    file: 'dashboard/guard.ts',
    find: '(await authorize(request)) === true',
    replace: 'await authorize(request)',
    foundBy: [access, 'a program that decides itself is asked each time, and its mistakes let nobody in'],
  },
  {
    name: 'anybody may scrape',
    file: 'dashboard/dashboard.ts',
    find: 'if (stranger !== undefined) return stranger;',
    replace: "if (stranger !== undefined && asked.path !== 'metrics') return stranger;",
    foundBy: [
      'dashboard/metrics.test.ts',
      'nobody scrapes without the token, under a name that is not ours, or from a page of another site',
    ],
  },
  {
    name: 'metrics hear nothing of the scheduler next to them',
    file: 'telemetry/sources.ts',
    find: 'if (event.store === store.location) this.#recorder.hear(event);',
    replace: '',
    foundBy: [
      'dashboard/metrics.test.ts',
      'with a scheduler in the same process they have what its events say, and what the store knows',
    ],
  },
  {
    name: 'streams have no bound',
    file: 'dashboard/streams.ts',
    find: 'return this.#open.size >= MOST_STREAMS;',
    replace: 'return false;',
    foundBy: [attack, 'slow and idle readers are dropped or refused, and hold nobody up'],
  },
  {
    name: 'what a viewer does not read is kept',
    file: 'dashboard/streams.ts',
    find: 'if (response.writableLength > MOST_WAITING_BYTES) response.destroy();',
    replace: '',
    foundBy: [
      'dashboard/attack-streams.test.ts',
      'a viewer that does not read is dropped, and the others hear on',
    ],
  },
  {
    name: 'a message has every name',
    file: 'dashboard/streams.ts',
    find: 'const MOST_NAMED = 4000;',
    replace: 'const MOST_NAMED = 4_000_000;',
    foundBy: [attack, 'names of ten thousand characters cost no viewer its stream'],
  },
  {
    name: 'a search has no bound',
    file: 'dashboard/query.ts',
    find: 'value.length > longest',
    replace: 'false',
    foundBy: [attack, 'malformed everything: each is refused, and the next viewer is answered'],
  },
  {
    name: 'controls are always on',
    file: 'dashboard/routes.ts',
    find: '!settings.control)',
    replace: 'false)',
    foundBy: [
      answers,
      'I1 a control is asked of the scheduler through the store, and only where controls are on',
    ],
  },
  {
    name: 'what a later run has served too is not shown',
    file: 'dashboard/timeline.ts',
    find: 'due < before && left > 0',
    replace: 'false',
    foundBy: [
      answers,
      'lanes have bars, the starts to come, and due instants that a later run has served too',
    ],
  },
  {
    name: 'an outage does not count as lateness',
    file: 'dashboard/lateness.ts',
    find: 'before === undefined ? scheduledFor - 1 : servedUntil(before, entry)',
    replace: 'scheduledFor - 1',
    foundBy: [
      'dashboard/lateness.test.ts',
      'of the latest due run counts from the first due since the start before',
    ],
  },
  {
    name: 'a task that has changed stays where it was in a list',
    file: 'dashboard/orders.ts',
    find: 'if (isChanged[place] === 1) continue;',
    replace: '',
    foundBy: [
      'dashboard/orders.test.ts',
      'is as if it were made anew: entries, counts, and orders of every kind',
    ],
  },
  {
    name: 'time makes no task owed',
    file: 'dashboard/entries.ts',
    find: ' || laid.owedFrom[index] < context.at',
    replace: '',
    foundBy: [
      'dashboard/orders.test.ts',
      'is as if it were made anew: entries, counts, and orders of every kind',
    ],
  },
  {
    name: 'an address that is wrong is shown',
    file: 'scheduler/task.ts',
    find: "throw name === 'ping' ?",
    replace: 'throw Boolean(0) ?',
    foundBy: [
      'telemetry/task-ping.test.ts',
      'H1 what is no address is refused at the call, and the error does not show it',
    ],
  },
]);
