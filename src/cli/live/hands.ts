/**
 * What the keys of the live view have chosen: the selected task, the filter, the order, and which screen is shown. A pure function from one
 * state and a key to the next, and to what is to be done.
 *
 *     tasks ──Enter──▶ task ──Esc, q──▶ tasks
 *     tasks ──/──▶ filter ──Enter, Esc──▶ tasks
 *     tasks ──?──▶ keys ──any key──▶ tasks
 *     tasks ──q──▶ question ──y: done; any other key──▶ where it was
 *     tasks, task ──r, p, c──▶ question, as above; p lets a paused task go on without one
 */
import { deedOf, isTaskKey, type TaskDeed } from './deeds.ts';
import type { Key } from './keys.ts';

const SORTS = ['as registered', 'by name', 'by next start', 'by state'] as const;
export type Sort = (typeof SORTS)[number];

/** What is to be done about the schedule, or about a task of it. */
export type Deed = { readonly kind: 'stop' } | TaskDeed;

export type Screen =
  | { readonly kind: 'tasks' }
  | { readonly kind: 'filter' }
  | { readonly kind: 'task' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'question'; readonly text: string; readonly deed: Deed; readonly from: Screen };

export interface Hands {
  readonly screen: Screen;
  /** The name of the selected task. It stays selected wherever its row moves. */
  readonly selected: string | undefined;
  readonly filter: string;
  readonly sort: Sort;
}

/** Nothing was pressed yet: the view chooses what to show. */
export const HANDS_OFF: Hands = {
  screen: { kind: 'tasks' },
  selected: undefined,
  filter: '',
  sort: SORTS[0],
};

/** Whether the whole list is shown in a chosen order, instead of its most interesting rows. */
export const isChosen = ({ selected, filter, sort }: Hands): boolean =>
  selected !== undefined || filter !== '' || sort !== SORTS[0];

/** What a key finds: the names in the order in which they are shown, and how many rows fit. */
export interface Shown {
  readonly names: readonly string[];
  readonly page: number;
  isPaused(name: string): boolean;
}

export interface Pressed {
  readonly hands: Hands;
  readonly deed?: Deed;
}

const TASKS: Screen = { kind: 'tasks' };

export function press(hands: Hands, key: Key, shown: Shown): Pressed {
  const { screen } = hands;
  switch (screen.kind) {
    case 'keys':
      return { hands: { ...hands, screen: TASKS } };
    case 'question':
      return { hands: { ...hands, screen: screen.from }, ...(key === 'y' ? { deed: screen.deed } : {}) };
    case 'filter':
      return { hands: typeFilter(hands, key) };
    case 'task':
      if (isTaskKey(key)) return ask(hands, key, shown);
      if (['escape', 'q', 'left', 'backspace', 'enter'].includes(key))
        return { hands: { ...hands, screen: TASKS } };
      return { hands: move(hands, key, shown) };
    case 'tasks':
      return isTaskKey(key) ? ask(hands, key, shown) : { hands: choose(hands, key, shown) };
  }
}

/** The task that a key is about: one that is on the screen. The filter, or another list of tasks, may have hidden the selected one. */
const taskOf = ({ selected }: Hands, { names }: Shown): string | undefined =>
  selected !== undefined && names.includes(selected) ? selected : names[0];

function ask(hands: Hands, key: Key, shown: Shown): Pressed {
  const task = taskOf(hands, shown);
  if (task === undefined) return { hands };
  const { deed, question: text } = deedOf(key, task, shown.isPaused(task));
  const selected = { ...hands, selected: task };
  if (text === undefined) return { hands: selected, deed };
  return { hands: { ...selected, screen: { kind: 'question', text, deed, from: hands.screen } } };
}

function choose(hands: Hands, key: Key, shown: Shown): Hands {
  switch (key) {
    case '?':
    case 'h':
      return { ...hands, screen: { kind: 'keys' } };
    case '/':
      return { ...hands, screen: { kind: 'filter' } };
    case 's':
      return { ...hands, sort: SORTS[(SORTS.indexOf(hands.sort) + 1) % SORTS.length] };
    case 'escape':
      return HANDS_OFF;
    case 'enter': {
      const selected = taskOf(hands, shown);
      return selected === undefined ? hands : { ...hands, selected, screen: { kind: 'task' } };
    }
    case 'q': {
      const text = 'Stop the schedule, after what runs has ended? y stops it, any other key goes back';
      return { ...hands, screen: { kind: 'question', text, deed: { kind: 'stop' }, from: TASKS } };
    }
    default:
      return move(hands, key, shown);
  }
}

function typeFilter(hands: Hands, key: Key): Hands {
  if (key === 'enter') return { ...hands, screen: TASKS };
  if (key === 'escape') return { ...hands, screen: TASKS, filter: '' };
  if (key === 'backspace') return { ...hands, filter: hands.filter.slice(0, -1) };
  return [...key].length === 1 ? { ...hands, filter: hands.filter + key } : hands;
}

/** By how many rows a key moves. */
function stepOf(key: Key, { names, page }: Shown): number | undefined {
  const steps: Readonly<Record<Key, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    'page up': -page,
    'page down': page,
    home: -names.length,
    g: -names.length,
    end: names.length,
    G: names.length,
  };
  return Object.hasOwn(steps, key) ? steps[key] : undefined;
}

function move(hands: Hands, key: Key, shown: Shown): Hands {
  const step = stepOf(key, shown);
  const { names } = shown;
  if (step === undefined || names.length === 0) return hands;
  const place = hands.selected === undefined ? -1 : names.indexOf(hands.selected);
  // The first key selects the first row, or the last one when it points upwards; one that goes to an end goes to its own.
  const isFromLast = step < 0 !== ['home', 'g', 'end', 'G'].includes(key);
  const next = place < 0 ? (isFromLast ? names.length - 1 : 0) : place + step;
  return { ...hands, selected: names[Math.min(Math.max(next, 0), names.length - 1)] };
}
