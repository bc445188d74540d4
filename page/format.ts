/** Times and lengths of time as people read them. */
import { now, zoneChoice } from './model.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "340 ms", "1.2 s", "3 min 4 s", "2 h 5 min", "3 d 4 h". */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return whole(ms);
}

export function whole(ms: number): string {
  const pair = (large: number, largeName: string, small: number, smallName: string): string => {
    const rest = Math.floor((ms % large) / small);
    const first = `${Math.floor(ms / large)} ${largeName}`;
    return rest === 0 ? first : `${first} ${rest} ${smallName}`;
  };
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return pair(MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return pair(HOUR, 'h', MINUTE, 'min');
  return pair(DAY, 'd', HOUR, 'h');
}

/** "in 5 min", "3 h ago", "now". */
export function distance(at: number): string {
  const ms = at - now.value;
  if (Math.abs(ms) < SECOND) return 'now';
  return ms < 0 ? `${whole(-ms)} ago` : `in ${whole(Math.ceil(ms / SECOND) * SECOND)}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(undefined, { ...options, ...(zone ? { timeZone: zone } : {}) });
  formats.set(key, made);
  return made;
}

/** The zone in which times are shown: the viewer's, or that of the task. */
const shownIn = (taskZone: string | undefined): string | undefined =>
  zoneChoice.value === 'task' ? taskZone : undefined;

const dayOf = (at: number, zone: string | undefined): string =>
  format(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }).format(at);

/** "14:05" today, "Tue 14:05" within a week, else with its date. */
export function moment(at: number, taskZone?: string): string {
  const zone = shownIn(taskZone);
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  if (dayOf(at, zone) === dayOf(now.value, zone)) return format(zone, time).format(at);
  if (Math.abs(at - now.value) < 6 * DAY) return format(zone, { ...time, weekday: 'short' }).format(at);
  return format(zone, { ...time, day: 'numeric', month: 'short', year: 'numeric' }).format(at);
}

/** With weekday, date and offset; with seconds only if there are some. */
export const exact = (at: number, taskZone?: string): string =>
  format(shownIn(taskZone), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(at % MINUTE === 0 ? {} : { second: '2-digit' }),
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  }).format(at);

/** For an axis: the time, or the day where a day begins or the span is long. */
export function tick(at: number, stepMs: number, zone?: string): string {
  const time = format(shownIn(zone), { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);
  if (stepMs >= DAY)
    return format(shownIn(zone), { weekday: 'short', day: 'numeric', month: 'short' }).format(at);
  return time === '00:00' ? format(shownIn(zone), { weekday: 'short', day: 'numeric' }).format(at) : time;
}

const STEPS = [1, 5, 10, 30, 60, 180, 360, 720, 1440, 2880, 10_080].map((minutes) => minutes * MINUTE);

/** Places of an axis, at most about eight, at round local times of the viewer. */
export function ticksOf(
  from: number,
  to: number,
  most = 8,
): { readonly step: number; readonly at: number[] } {
  const step = STEPS.find((each) => (to - from) / each <= most) ?? STEPS[STEPS.length - 1];
  const shift = -new Date(from).getTimezoneOffset() * MINUTE;
  const at: number[] = [];
  for (let each = Math.ceil((from + shift) / step) * step - shift; each < to; each += step) at.push(each);
  return { step, at };
}

export const count = (value: number): string => value.toLocaleString();
