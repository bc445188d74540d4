/** Instants and lengths of time, as people say them. */
import type { Zone } from '../time/zone.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "340 ms", "1.2 s", "12 s", "3 min 4 s", "2 h 5 min", "3 d 4 h": two units at the most. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return wholeDuration(ms);
}

/** As `duration`, in whole seconds: for what counts up or down before the eyes. */
export function wholeDuration(ms: number): string {
  const pair = (large: number, largeName: string, small: number, smallName: string): string => {
    const count = Math.floor(ms / large);
    const rest = Math.floor((ms % large) / small);
    return rest === 0 ? `${count} ${largeName}` : `${count} ${largeName} ${rest} ${smallName}`;
  };
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return pair(MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return pair(HOUR, 'h', MINUTE, 'min');
  return pair(DAY, 'd', HOUR, 'h');
}

/** How long until an instant: the seconds that have begun, so that "1 s" is never already over. */
export const countdown = (ms: number): string => wholeDuration(Math.ceil(Math.max(0, ms) / SECOND) * SECOND);

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const local = (at: number, zone: Zone): Date => new Date(at + zone.at(at).offset);

/** "06:00:00". */
export const clock = (at: number, zone: Zone): string => local(at, zone).toISOString().slice(11, 19);

/** "06:00" within a day, "Tue 06:00" within a week, else "2027-03-01 06:00". */
export function dayAndTime(at: number, now: number, zone: Zone): string {
  const text = local(at, zone).toISOString();
  const time = text.slice(11, 16);
  if (Math.abs(at - now) < DAY) return time;
  if (at > now && at - now < 6 * DAY) return `${weekdays[local(at, zone).getUTCDay()]} ${time}`;
  return `${text.slice(0, 10)} ${time}`;
}

/** "2027-03-01T06:00:00.000+01:00": local time with the offset, so that a log can be read and still be compared. */
export function timestamp(at: number, zone: Zone): string {
  const { offset } = zone.at(at);
  const minutes = Math.round(Math.abs(offset) / MINUTE);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const shift =
    offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
  return new Date(at + offset).toISOString().replace('Z', shift);
}
