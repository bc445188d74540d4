/**
 * The proleptic Gregorian calendar in integers. A day is counted from 1970-01-01; a date is packed into one integer
 * (year, month 1–12, day 1–31), so that the hot path hands dates around without allocating.
 *
 * The algorithm lets the year begin in March: the leap day then comes last, and the months before it have lengths
 * that a linear formula gives. 146,097 days are one cycle of 400 years; 719,468 days lie between 0000-03-01 and 1970.
 */

const DAYS_PER_CYCLE = 146_097;
const DAYS_TO_1970 = 719_468;
/** Added before dividing and taken off afterwards: no `Date` is so early that a number is negative then, so truncation is floor. */
const SPARE_CYCLES = 700;

/** The day number of a date. The day may lie outside the month; it is simply added. */
export function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const cycle = (((marchYear + SPARE_CYCLES * 400) / 400) | 0) - SPARE_CYCLES;
  const yearOfCycle = marchYear - cycle * 400;
  const monthFromMarch = month > 2 ? month - 3 : month + 9;
  const dayOfYear = (((153 * monthFromMarch + 2) / 5) | 0) + day - 1;
  const dayOfCycle = yearOfCycle * 365 + ((yearOfCycle / 4) | 0) - ((yearOfCycle / 100) | 0) + dayOfYear;
  return cycle * DAYS_PER_CYCLE + dayOfCycle - DAYS_TO_1970;
}

/** The date of a day number, packed: read it with `yearOf`, `monthOf` and `dayOf`. */
export function dateOf(day: number): number {
  const shifted = (day + DAYS_TO_1970 + SPARE_CYCLES * DAYS_PER_CYCLE) | 0;
  const spareCycle = (shifted / DAYS_PER_CYCLE) | 0;
  const dayOfCycle = shifted - spareCycle * DAYS_PER_CYCLE;
  const leapDays =
    ((dayOfCycle / 1460) | 0) - ((dayOfCycle / 36_524) | 0) + ((dayOfCycle / (DAYS_PER_CYCLE - 1)) | 0);
  const yearOfCycle = ((dayOfCycle - leapDays) / 365) | 0;
  const dayOfYear = dayOfCycle - (yearOfCycle * 365 + ((yearOfCycle / 4) | 0) - ((yearOfCycle / 100) | 0));
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const dayOfMonth = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = (spareCycle - SPARE_CYCLES) * 400 + yearOfCycle + (month <= 2 ? 1 : 0);
  return (year << 9) | (month << 5) | dayOfMonth;
}

export const yearOf = (date: number): number => date >> 9;
export const monthOf = (date: number): number => (date >> 5) & 15;
export const dayOf = (date: number): number => date & 31;

/** 0 is Sunday. Day 0, 1970-01-01, was a Thursday; 400 years are whole weeks. */
export function weekdayOf(day: number): number {
  return ((day + 4 + SPARE_CYCLES * DAYS_PER_CYCLE) | 0) % 7;
}

/** How many days a month has. */
export function monthLength(year: number, month: number): number {
  if (month === 2) return (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}
