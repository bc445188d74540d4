/** What the page knows: where it is, what the server said last, whether it hears of changes, and how its viewer likes times. */
import { signal } from '@preact/signals';
import { ApiError, get, type SiteState } from './api.ts';

export const site = signal<SiteState | undefined>(undefined);
/** Counts up with every change that the server tells: what is shown is asked for again. */
export const revision = signal(0);
/** `live`: changes are heard of. `lost`: the server does not answer. `locked`: it wants the token. */
export const link = signal<'connecting' | 'live' | 'lost' | 'locked'>('connecting');
/** The server's clock, every second. It stands still while the connection is lost: what is shown was true then, and counts no further. */
export const now = signal(Date.now());
export const zoneChoice = signal<'viewer' | 'task'>(stored('zone', ['viewer', 'task']));
export const theme = signal<'auto' | 'light' | 'dark'>(stored('theme', ['auto', 'light', 'dark']));
export const announcement = signal('');
const narrow = matchMedia('(max-width: 820px)');
/** The screen is that of a telephone. */
export const isNarrow = signal(narrow.matches);

/** A place of the page: `#/tasks`, `#/task/<name>`. */
export interface Place {
  readonly view: string;
  readonly name: string;
}

export const place = signal<Place>(readPlace());

function readPlace(): Place {
  const [view = '', name = ''] = location.hash.replace(/^#\/?/, '').split('/', 2);
  try {
    return { view: view || 'tasks', name: decodeURIComponent(name) };
  } catch {
    return { view: 'tasks', name: '' };
  }
}

export const taskLink = (name: string): string => `#/task/${encodeURIComponent(name)}`;

function stored<Word extends string>(key: string, words: readonly [Word, ...Word[]]): Word {
  try {
    return words.find((word) => word === localStorage.getItem(`obbligato:${key}`)) ?? words[0];
  } catch {
    return words[0]; // a browser may keep nothing
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`obbligato:${key}`, value);
  } catch {
    // it is forgotten then
  }
}

let aheadMs = 0;
/** The server's clock may differ from the viewer's. */
function heardAt(at: number): void {
  aheadMs = at - Date.now();
  // An answer is not yet a connection: lists are old until changes are heard of again.
  if (link.value !== 'lost') now.value = at;
}

/** From now on nothing is known. The clock has stopped at the instant of the first loss, so a second one moves nothing. */
function lose(): void {
  if (link.value !== 'lost') now.value = Date.now() + aheadMs;
  link.value = 'lost';
}

export async function loadSite(): Promise<void> {
  try {
    // A machine that is gone without a word leaves a request open for minutes.
    const state = await get<SiteState>('state', {}, AbortSignal.timeout(SILENT_MS));
    heardAt(state.at);
    site.value = state;
    if (link.value !== 'live') listen();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) link.value = 'locked';
    else {
      lose();
      clearTimeout(retry);
      retry = setTimeout(loadSite, RETRY_MS);
    }
  }
}

let retry: ReturnType<typeof setTimeout> | undefined;
const RETRY_MS = 2000;
/** After so long without an answer the server counts as gone. */
const SILENT_MS = 15_000;
const LOOK_AGAIN_MS = 10_000;
let stream: EventSource | undefined;

/** One stream for the page. A stream that breaks is opened again by the browser, or, if the server refuses, by us. */
function listen(): void {
  stream?.close();
  stream = new EventSource('api/events');
  const isHeard = (): void => {
    link.value = 'live';
    now.value = Date.now() + aheadMs;
  };
  stream.onopen = isHeard;
  stream.addEventListener('change', () => {
    isHeard();
    revision.value++;
    void loadSite();
  });
  stream.onerror = () => {
    lose();
    clearTimeout(retry);
    if (stream?.readyState === EventSource.CLOSED) retry = setTimeout(loadSite, RETRY_MS);
  };
}

export function begin(): void {
  narrow.addEventListener('change', () => {
    isNarrow.value = narrow.matches;
  });
  addEventListener('hashchange', () => {
    place.value = readPlace();
  });
  setInterval(() => {
    if (!document.hidden && link.value !== 'lost') now.value = Date.now() + aheadMs;
  }, 1000);
  // A monitor may begin to judge while nothing in the store changes.
  setInterval(() => {
    if (!document.hidden && link.value === 'live') void loadSite();
  }, LOOK_AGAIN_MS);
  void loadSite();
}
