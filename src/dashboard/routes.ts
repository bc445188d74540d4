/** What can be asked for, by path. Everything else is not there: no path leads to a file. */
import { hostname } from 'node:os';
import { control, type PastRun, plan } from '../index.ts';
import type { Fields } from './body.ts';
import { detailsOf, runsOf } from './details.ts';
import type { Refused } from './guard.ts';
import { instancesOf } from './instances.ts';
import { loadOf } from './load.ts';
import type { Settings } from './options.ts';
import { outputOf } from './output.ts';
import { BadQuery, nameOf, oneOf, selectionOf, sliceOf, spanOf, whole } from './query.ts';
import type { Snapshot } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';
import type { TaskList } from './task-list.ts';
import { changesIn, laneOf } from './timeline.ts';
import { verdictFrom } from './verdict.ts';

/** What a route may use. */
export interface Site {
  readonly settings: Settings;
  readonly snapshots: Snapshots;
  readonly list: TaskList;
}

/** An answer as JSON; or why there is none. */
export type Answer = { readonly json: object } | Refused;

const OUTCOMES = [
  'all',
  'success',
  'failure',
  'gave up',
  'timed out',
  'cancelled',
  'cut off',
  'interrupted',
] as const satisfies readonly (PastRun['outcome'] | 'all')[];
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MOST_STEPS = 3000;
/** A task may have very many runs, and they can only be walked from the newest on. */
const DEEPEST_RUN = 10_000;
const MOST_NAMES = 200;

export const QUESTIONS: Readonly<Record<string, (site: Site, query: URLSearchParams) => Promise<Answer>>> = {
  'api/state': async (site) => ({ json: stateOf(site, await site.snapshots.fresh()) }),
  'api/tasks': async ({ snapshots, list }, query) => {
    const [selection, slice] = [selectionOf(query), sliceOf(query, 50)];
    return { json: list.page(await snapshots.fresh(), selection, slice) };
  },
  'api/task': async ({ snapshots, list }, query) => {
    const name = nameOf(query);
    const { byName, at, revision } = await snapshots.whole();
    const entry = byName.get(name);
    if (entry === undefined) return { status: 404, error: 'There is no such task.' };
    return { json: { revision, at, ...list.row(entry), ...detailsOf(entry, at) } };
  },
  'api/history': async ({ settings }, query) => {
    const task = nameOf(query);
    const outcome = oneOf(query, 'outcome', OUTCOMES, 'all');
    const { limit } = sliceOf(query, 25);
    const offset = whole(query, 'offset', 0, 0, DEEPEST_RUN);
    return { json: await runsOf(settings.store, { task, outcome }, { offset, limit }) };
  },
  'api/output': async ({ settings, snapshots }, query) => {
    const name = nameOf(query);
    // Only of tasks that there are: a name becomes part of a path.
    if (!(await snapshots.whole()).byName.has(name)) return { status: 404, error: 'There is no such task.' };
    return { json: outputOf(settings.logFolders, name) };
  },
  'api/instances': async ({ snapshots }) => ({ json: instancesOf(await snapshots.whole(), hostname()) }),
  'api/timeline': timeline,
  'api/load': load,
  'api/plan': planned,
};

function stateOf({ settings, snapshots }: Site, snapshot: Snapshot): object {
  const { revision, at, store, counts, damaged, trouble, zone } = snapshot;
  const { title, tasks, verdict } = settings;
  return {
    revision,
    at,
    isPartial: snapshot.isPartial,
    title,
    location: settings.store.location,
    ...zone,
    owner: store?.owner ?? 'unknown',
    ownedBy: store?.ownedBy ?? null,
    counts,
    damaged: damaged.slice(0, MOST_NAMES),
    trouble: trouble ?? null,
    hasHistory: snapshots.past.isKept,
    hasPlan: tasks !== undefined,
    hasOutput: settings.logFolders !== undefined,
    instances: store?.members?.length ?? null,
    requests: (store?.requests ?? [])
      .slice(0, MOST_NAMES)
      .map(({ kind, task, askedAt }) => ({ kind, task, askedAt })),
    mayControl: settings.control && settings.store.ask !== undefined,
    verdict: verdictFrom(verdict),
  };
}

async function timeline({ settings, snapshots, list }: Site, query: URLSearchParams): Promise<Answer> {
  const [selection, slice] = [selectionOf(query), sliceOf(query, 25)];
  const now = settings.now();
  const span = spanOf(query, { from: now - 6 * HOUR_MS, to: now + 6 * HOUR_MS });
  const snapshot = await snapshots.whole();
  const selected = list.select(snapshot, selection);
  const shown = selected.slice(slice.offset, slice.limit);
  const { since } = snapshots.past;
  return {
    json: {
      revision: snapshot.revision,
      at: snapshot.at,
      ...span,
      matching: selected.length,
      offset: slice.offset,
      since: since === Number.NEGATIVE_INFINITY ? null : since,
      changes: changesIn(snapshot.zone.timeZone, span),
      lanes: shown.map((entry) => laneOf(entry, snapshots.past, span, snapshot.at)),
    },
  };
}

async function load({ settings, snapshots }: Site, query: URLSearchParams): Promise<Answer> {
  const now = settings.now();
  const span = spanOf(query, { from: now - 6 * HOUR_MS, to: now + 24 * HOUR_MS });
  const step = whole(query, 'step', 10, 1, 1440) * MINUTE_MS;
  if ((span.to - span.from) / step > MOST_STEPS)
    throw new BadQuery(`step is too small: at most ${MOST_STEPS} steps are answered`);
  const from = Math.floor(span.from / step) * step;
  const snapshot = await snapshots.whole();
  const loaded = await loadOf(snapshot, snapshots.past, { from, to: span.to }, step);
  return { json: { revision: snapshot.revision, at: snapshot.at, ...loaded } };
}

async function planned({ settings, snapshots }: Site): Promise<Answer> {
  const { store, tasks } = settings;
  const { timeZone } = (await snapshots.fresh()).zone;
  if (tasks === undefined) return { status: 404, error: 'No tasks of a next deploy are known here.' };
  const { added, overridden, removed, starts, preserved, owner, at } = await plan(store, tasks, { timeZone });
  const some = <T>(all: readonly T[]): readonly T[] => all.slice(0, MOST_NAMES);
  return {
    json: {
      at,
      owner,
      preserved,
      counts: {
        added: added.length,
        changed: overridden.length,
        removed: removed.length,
        starts: starts.length,
      },
      added: some(added),
      changed: some(overridden),
      removed: some(removed),
      starts: some(starts),
    },
  };
}

const KINDS = ['run', 'pause', 'resume', 'cancel'] as const;

/** Asks the scheduler for something (I1). It is durable before it is answered. */
export async function ask({ settings, snapshots }: Site, fields: Fields): Promise<Answer> {
  if (!settings.control) return { status: 403, error: 'Controls are off here.' };
  const { kind, task, catchUp } = fields;
  const known = KINDS.find((each) => each === kind);
  if (known === undefined) throw new BadQuery(`kind must be one of ${KINDS.join(', ')}`);
  if (typeof task !== 'string') throw new BadQuery('task must be the name of a task');
  const { byName } = await snapshots.whole();
  if (!byName.has(task)) return { status: 404, error: 'There is no such task.' };
  const controls = control(settings.store);
  const result =
    known === 'resume'
      ? await controls.resume(task, { catchUp: catchUp === true })
      : await controls[known](task);
  await snapshots.refresh();
  return { json: result };
}
