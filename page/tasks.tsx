/**
 * All tasks, as rows that exist only where they are seen. The server sorts and cuts; a block of rows is asked for when it comes into view,
 * and again when something has changed. Rows that are not there yet hold their place, so nothing moves.
 */
import { signal } from '@preact/signals';
import type { JSX, TargetedInputEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Filter, get, type TaskPage, type TaskRow } from './api.ts';
import { count } from './format.ts';
import { site, taskLink } from './model.ts';
import { Last, Late, Next, StatePill, Trend, Two } from './parts.tsx';
import { useAsking } from './use-answer.ts';

const ROW_PX = 60;
const BLOCK = 50;
/** Rows beyond the edges, so that a key press finds them there. */
const MARGIN = 6;
/** After the last key press of a search. */
const QUIET_MS = 150;

export const selection = signal({ search: '', state: 'all' as Filter, sort: 'name', order: 'up' });

const FILTERS: readonly Filter[] = [
  'all',
  'failing',
  'running',
  'owed',
  'retry',
  'waiting',
  'paused',
  'cut off',
  'interrupted',
];
const COLUMNS = [
  ['name', 'Task'],
  ['state', 'State'],
  ['next', 'Next start'],
  ['last', 'Last run'],
  ['late', 'Lateness'],
  ['duration', 'Trend'],
] as const;

export function Filters(): JSX.Element {
  const { search, state } = selection.value;
  const counts = site.value?.counts;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const typed = (event: TargetedInputEvent<HTMLInputElement>): void => {
    const { value } = event.currentTarget;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      selection.value = { ...selection.value, search: value };
    }, QUIET_MS);
  };
  return (
    <div class="filters">
      <input
        type="search"
        placeholder="Search tasks"
        aria-label="Search tasks"
        maxLength={200}
        defaultValue={search}
        onInput={typed}
      />
      <fieldset class="chips">
        <legend class="unseen">State</legend>
        {FILTERS.map((each) => (
          <button
            key={each}
            type="button"
            class={`chip ${each.replace(' ', '-')}`}
            aria-pressed={state === each}
            onClick={() => {
              selection.value = { ...selection.value, state: each };
            }}
          >
            {each} <b class="num">{counts === undefined ? '·' : count(counts[each])}</b>
          </button>
        ))}
      </fieldset>
    </div>
  );
}

function Heads(): JSX.Element {
  const { sort, order } = selection.value;
  const by = (key: string): void => {
    selection.value = {
      ...selection.value,
      sort: key,
      order: sort === key && order === 'up' ? 'down' : 'up',
    };
  };
  return (
    <div class="row head" role="row">
      {COLUMNS.map(([key, text]) => (
        <span
          key={key}
          role="columnheader"
          aria-sort={sort === key ? (order === 'up' ? 'ascending' : 'descending') : 'none'}
        >
          <button type="button" onClick={() => by(key)}>
            {text}
            <i aria-hidden="true">{sort === key ? (order === 'up' ? '↑' : '↓') : ''}</i>
          </button>
        </span>
      ))}
    </div>
  );
}

interface Seen {
  readonly first: number;
  readonly last: number;
}

/** Blocks of rows by their numbers, for one selection. */
interface Blocks {
  readonly key: string;
  readonly matching: number | undefined;
  readonly rows: ReadonlyMap<number, readonly TaskRow[]>;
}

function useRows({ first, last }: Seen): Blocks {
  const chosen = selection.value;
  const key = JSON.stringify(chosen);
  const [blocks, setBlocks] = useState<Blocks>({ key, matching: undefined, rows: new Map() });
  const [from, to] = [Math.floor(first / BLOCK), Math.floor(last / BLOCK)];
  useAsking(`${key} ${from} ${to}`, async (signal) => {
    for (let block = from; block <= to; block++) {
      const query = { ...chosen, offset: block * BLOCK, limit: BLOCK };
      // If the server does not answer, the line at the top says so.
      const page = await get<TaskPage>('tasks', query, signal).catch(() => undefined);
      if (page === undefined || signal.aborted) return;
      setBlocks((before) => ({
        key,
        matching: page.matching,
        rows: new Map([...(before.key === key ? kept(before.rows, from, to) : []), [block, page.rows]]),
      }));
    }
  });
  return blocks;
}

/** What is far away is forgotten. */
const kept = (rows: Blocks['rows'], from: number, to: number): [number, readonly TaskRow[]][] =>
  [...rows].filter(([block]) => block >= from - 2 && block <= to + 2);

export function Tasks(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<Seen>({ first: 0, last: 20 });
  const { matching: shown, rows } = useRows(seen);
  const look = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - MARGIN);
    const last = Math.ceil((scrollTop + clientHeight) / ROW_PX) + MARGIN;
    setSeen((before) => (before.first === first && before.last === last ? before : { first, last }));
  };
  useEffect(() => {
    look();
    addEventListener('resize', look);
    return () => removeEventListener('resize', look);
  });
  const places = Array.from(
    { length: Math.max(0, Math.min(seen.last + 1, shown ?? 0) - seen.first) },
    (_, place) => seen.first + place,
  );
  return (
    <>
      <Filters />
      <div class="table" role="table" aria-label="Tasks" aria-rowcount={(shown ?? 0) + 1}>
        <Heads />
        <div class="scroll" role="rowgroup" ref={box} onScroll={look} tabIndex={0}>
          <div class="tall" role="presentation" style={{ height: `${(shown ?? 0) * ROW_PX}px` }}>
            {places.map((place) => (
              <Row
                key={String(place)}
                place={place}
                row={rows.get(Math.floor(place / BLOCK))?.[place % BLOCK]}
              />
            ))}
          </div>
          {shown === 0 ? <Nothing /> : null}
        </div>
      </div>
    </>
  );
}

const Nothing = (): JSX.Element => (
  <p class="nothing">
    {site.value?.counts.all === 0 ? 'The store has no tasks yet.' : 'No task is like that.'}
  </p>
);

function Row({ row, place }: { readonly row: TaskRow | undefined; readonly place: number }): JSX.Element {
  const at = { transform: `translateY(${place * ROW_PX}px)` };
  if (row === undefined)
    return (
      <div class="row body empty" role="row" aria-rowindex={place + 2} style={at}>
        <span role="cell">…</span>
      </div>
    );
  return (
    <div class={`row body ${row.failures > 0 ? 'bad' : ''}`} role="row" aria-rowindex={place + 2} style={at}>
      <span role="cell">
        <Two
          first={<a href={taskLink(row.name)}>{row.name}</a>}
          second={row.description ?? (row.words || row.cron)}
        />
      </span>
      <span role="cell">
        <StatePill of={row} />
      </span>
      <span role="cell">
        <Next row={row} />
      </span>
      <span role="cell">
        <Last row={row} />
      </span>
      <span role="cell">
        <Late row={row} />
      </span>
      <span role="cell">
        <Trend trend={row.trend} />
      </span>
    </div>
  );
}
