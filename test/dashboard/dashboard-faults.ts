/** Faults planted into the server of the dashboard, and the test that finds each. */
import type { PlantedFault } from '../faults/fault.ts';

const access = 'dashboard/attack-access.test.ts';
const attack = 'dashboard/attack.test.ts';
const answers = 'dashboard/answers.test.ts';
const foreign = 'another site: its pages can neither read nor change';

export const DASHBOARD_FAULTS: readonly PlantedFault[] = [
  {
    name: 'with a token any name is ours',
    in: 'hostProblem',
    find: '!(hosts.has(name) || isAddress(name))',
    replace: '(token === undefined && !(hosts.has(name) || isAddress(name)))',
    foundBy: [access, 'DNS rebinding: a name that is not ours is answered nothing, whatever token it brings'],
  },
  {
    name: 'a session never ends',
    in: 'Sessions.has',
    find: '(this.#ends.get(value) ?? 0) > this.#now()',
    replace: 'this.#ends.has(value)',
    foundBy: [
      'dashboard/sessions.test.ts',
      'a session ends after twelve hours on the server too, whatever the browser keeps',
    ],
  },
  {
    name: 'J2 runs that the store has let go are kept',
    in: 'Past.refresh',
    find: 'if (!isMet) this.#forgetAll(found.length === this.#most);',
    foundBy: [
      'dashboard/past.test.ts',
      'J2 runs that the store has let go, the newest of them too, are none any more',
    ],
  },
  {
    name: 'a run that was cut off has taken until that was found out',
    in: 'tookMs',
    find: "outcome === 'cut off' ? 0 : endedAt - calledAt",
    replace: 'endedAt - calledAt',
    foundBy: ['dashboard/past.test.ts', 'nobody knows how long a run took that was cut off'],
  },
  {
    name: 'any name is ours',
    in: 'hostProblem',
    find: '!(hosts.has(name) || isAddress(name))',
    replace: 'false',
    foundBy: [access, 'DNS rebinding: a name that is not ours is answered nothing'],
  },
  {
    name: 'the origin is not compared',
    in: 'originProblem',
    find: 'headers.origin !== undefined && !isOurs(headers.origin, headers.host)',
    replace: 'false',
    foundBy: [access, foreign],
  },
  {
    name: 'a form may change something',
    in: 'changeProblem',
    find: 'headers[HEADER] === undefined',
    replace: 'false',
    foundBy: [access, foreign],
  },
  {
    name: 'any token will do',
    in: 'tokenProblem',
    find: '&& isSame(given, token)',
    foundBy: [access, 'a token: nothing without it, not in addresses, a session that scripts cannot read'],
  },
  {
    name: 'an answer that is not a clear yes lets in',
    in: 'viewerProblem',
    find: '(await authorize(request)) === true',
    replace: 'await authorize(request)',
    foundBy: [access, 'a program that decides itself is asked each time, and its mistakes let nobody in'],
  },
  {
    name: 'anybody may scrape',
    in: 'Handler.#answer',
    find: 'stranger !== undefined',
    replace: "stranger !== undefined && asked.path !== 'metrics'",
    foundBy: [
      'dashboard/metrics.test.ts',
      'nobody scrapes without the token, under a name that is not ours, or from a page of another site',
    ],
  },
  {
    name: 'metrics hear nothing of the scheduler next to them',
    in: 'Sources.#listener',
    find: 'if (event.store === store.location) this.#recorder.hear(event);',
    foundBy: [
      'dashboard/metrics.test.ts',
      'with a scheduler in the same process they have what its events say, and what the store knows',
    ],
  },
  {
    name: 'streams have no bound',
    in: 'Streams.isFull',
    find: 'this.#open.size >= MOST_STREAMS',
    replace: 'false',
    foundBy: [attack, 'slow and idle readers are dropped or refused, and hold nobody up'],
  },
  {
    name: 'what a viewer does not read is kept',
    in: 'Streams.#send',
    find: 'if (response.writableLength > MOST_WAITING_BYTES) response.destroy();',
    foundBy: [
      'dashboard/attack-streams.test.ts',
      'a viewer that does not read is dropped, and the others hear on',
    ],
  },
  {
    name: 'a message has every name',
    in: 'MOST_NAMED',
    find: '4000',
    replace: '4_000_000',
    foundBy: [attack, 'names of ten thousand characters cost no viewer its stream'],
  },
  {
    name: 'a search has no bound',
    in: 'text',
    find: 'value.length > longest',
    replace: 'false',
    foundBy: [attack, 'malformed everything: each is refused, and the next viewer is answered'],
  },
  {
    name: 'controls are always on',
    in: 'ask',
    find: '!settings.control',
    replace: 'false',
    foundBy: [
      answers,
      'I1 a control is asked of the scheduler through the store, and only where controls are on',
    ],
  },
  {
    name: 'what a later run has served too is not shown',
    in: 'sharedOf',
    find: 'due < before && left > 0',
    replace: 'false',
    foundBy: [
      answers,
      'lanes have bars, the starts to come, and due instants that a later run has served too',
    ],
  },
  {
    name: 'an outage does not count as lateness',
    in: 'latenessOf',
    find: 'before === undefined ? scheduledFor - 1 : servedUntil(before, entry)',
    replace: 'scheduledFor - 1',
    foundBy: [
      'dashboard/lateness.test.ts',
      'of the latest due run counts from the first due since the start before',
    ],
  },
  {
    name: 'a task that has changed stays where it was in a list',
    in: 'merged',
    find: 'if (isChanged[place] === 1) continue;',
    foundBy: [
      'dashboard/orders.test.ts',
      'is as if it were made anew: entries, counts, and orders of every kind',
    ],
  },
  {
    name: 'time makes no task owed',
    in: 'Entries.update',
    find: '|| laid.changesAt[index] < context.at',
    foundBy: [
      'dashboard/orders.test.ts',
      'is as if it were made anew: entries, counts, and orders of every kind',
    ],
  },
  {
    name: 'an address that is wrong is shown',
    in: 'task',
    find: "name === 'ping'",
    replace: 'Boolean(0)',
    foundBy: [
      'telemetry/task-ping.test.ts',
      'H1 what is no address is refused at the call, and the error does not show it',
    ],
  },
  {
    name: 'a retry is owed while it runs',
    in: 'outlookOf',
    find: 'run === null ? (pendingRetryUntil ?? NEVER) : NEVER',
    replace: 'pendingRetryUntil ?? NEVER',
    foundBy: [
      'status/readers-agree.test.ts',
      'A1 say the same of every task at every instant of random lives',
    ],
  },
  {
    name: 'what is owed while a task runs is not noticed as time goes on',
    in: 'outlookOf',
    find: 'first + PROMPT_MS',
    replace: 'NEVER',
    foundBy: [
      'status/readers-agree.test.ts',
      'A1 say the same of every task at every instant of random lives',
    ],
  },
  {
    name: 'the last start is that of the run before',
    in: 'outlookOf',
    find: 'run?.startedAt ?? lastAttemptAt',
    replace: 'lastAttemptAt',
    foundBy: [
      'status/readers-agree.test.ts',
      'A1 say the same of every task at every instant of random lives',
    ],
  },
  {
    name: 'a store is read in the zone of the host',
    in: 'zoneOfStore',
    find: 'timeZone !== undefined',
    replace: "timeZone === ''",
    foundBy: [
      'status/zone.test.ts',
      'health is green, and status, page and metrics are right, from a host of another zone',
    ],
  },
  {
    name: 'another zone of a later initialize is not written',
    in: 'changeOfZone',
    find: 'stored === name',
    replace: 'stored !== undefined',
    foundBy: [
      'status/zone.test.ts',
      'the zone is that of the latest initialize, and a list that changes nothing writes it no second time',
    ],
  },
];
