/** The preview of an initialize as text for people, or as one JSON document for programs. */
import type { InitializePreview, TaskConfiguration } from '../../index.ts';
import type { Io } from '../args/command.ts';
import { type Colours, styleFor, textRoomOf } from '../terminal/style.ts';
import { counted, printable, truncate, wrap } from '../terminal/text.ts';
import { duration } from '../words.ts';

/** Whether the list differs from what the store has: a start alone is no difference. */
export const isChange = ({ added, overridden, removed }: InitializePreview): boolean =>
  added.length + overridden.length + removed.length > 0;

const OWNERS: Readonly<Record<InitializePreview['owner'], string>> = {
  held: 'a scheduler runs on it',
  free: 'no scheduler runs on it',
  unknown: 'it cannot be seen whether a scheduler runs on it',
  missing: 'it does not exist yet',
  lost: 'it is gone, though its .lock is there: it was deleted or moved away, and the next start makes an empty one',
};

/** A list of a hundred thousand is no longer read. */
const MOST_SHOWN = 50;

/** Whether the next start is guarded against a list that forgets most of what is stored (I6). */
export type Guard = 'on' | 'off';

const isRefused = ({ forgetsMost }: InitializePreview, guard: Guard): boolean =>
  forgetsMost && guard === 'on';

const REFUSED =
  '"obbligato run" would refuse this list and change nothing: it forgets more than half of what is stored. If that is meant, run it with --allow-removal.';

export function planText(io: Io, location: string, preview: InitializePreview, guard: Guard = 'on'): string {
  const colour = styleFor(io.stdout, io.env);
  const lines = [...changeLines(preview, colour), ...startLines(preview, colour)];
  const summary = [
    [preview.added.length, 'new'],
    [preview.overridden.length, 'changed'],
    [preview.removed.length, 'removed'],
    [preview.preserved, 'unchanged'],
    [preview.starts.length, 'started at once'],
  ] as const;
  const counts = summary
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count.toLocaleString('en')} ${what}`);
  const head = `${colour.bold(printable(location))}: ${OWNERS[preview.owner]}`;
  const foot = counts.length === 0 ? 'No tasks.' : `${counts.join(', ')}.`;
  const room = textRoomOf(io.stdout);
  const refusal = isRefused(preview, guard) ? [colour.red(wrap(REFUSED, room))] : [];
  return `${[wrap(head, room), '', ...lines, ...(lines.length === 0 ? [] : ['']), foot, ...refusal].join('\n')}\n`;
}

function changeLines({ added, overridden, removed }: InitializePreview, colour: Colours): string[] {
  return [
    ...some(
      added.map((name) => colour.green(`+ ${printable(name)}`)),
      'new task',
    ),
    ...some(
      overridden.map(({ name, before, after }) =>
        colour.yellow(`~ ${printable(name)}: ${differencesOf(before, after).join(', ')}`),
      ),
      'changed task',
    ),
    ...some(
      removed.map((name) => colour.red(`- ${printable(name)}: its state is forgotten`)),
      'removed task',
    ),
  ];
}

function differencesOf(before: TaskConfiguration, after: TaskConfiguration): string[] {
  const [old, now] = [before, after].map(({ policy }) => fieldsOf(policy));
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .sort()
    .filter((field) => shown(old[field]) !== shown(now[field]));
  return [
    ...(before.cron === after.cron ? [] : [`${printable(before.cron)} → ${printable(after.cron)}`]),
    ...(before.retryDelayMs === after.retryDelayMs
      ? []
      : [`retry after ${duration(before.retryDelayMs)} → ${duration(after.retryDelayMs)}`]),
    ...changed.map((field) => `${field} ${shown(old[field])} → ${shown(now[field])}`),
  ];
}

/** What a policy says beyond expression and delay. A damaged text says nothing; the registration repairs it. */
function fieldsOf(policy: string | null): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(policy ?? '{}');
    return typeof fields === 'object' && fields !== null ? { ...fields } : {};
  } catch {
    return {};
  }
}

const MOST_CHARACTERS = 60;

const shown = (value: unknown): string =>
  value === undefined ? 'default' : truncate(printable(JSON.stringify(value)), MOST_CHARACTERS);

const WHY = {
  due: 'something was due and has not been started',
  orphaned: 'its run was cut off',
  retry: 'its retry is due',
  manual: 'somebody asked for it',
} as const;

const startLines = ({ starts }: InitializePreview, colour: Colours): string[] =>
  some(
    starts.map(({ name, reason }) => `${colour.bold('>')} ${printable(name)} starts at once: ${WHY[reason]}`),
    'start',
  );

/** The first lines, and how many there are beyond. */
const some = (lines: readonly string[], noun: string): string[] =>
  lines.length <= MOST_SHOWN
    ? [...lines]
    : [...lines.slice(0, MOST_SHOWN), `… and ${counted(lines.length - MOST_SHOWN, `more ${noun}`)}`];

export const planDocument = (location: string, preview: InitializePreview, guard: Guard = 'on'): object => {
  const { at, forgetsMost: _forgetsMost, ...rest } = preview;
  return {
    location,
    at: new Date(at).toISOString(),
    changes: isChange(preview),
    refused: isRefused(preview, guard),
    ...rest,
  };
};
