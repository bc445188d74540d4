/** Expressions that use the whole language (C1), and that are due near an instant, so that a world sees them come due. */
import type { Random } from './random.ts';

/** An expression that is due near an instant, in any zone. */
export function drawCron(chance: Random, about: Date): string {
  const minutes = chance.percent(40) ? '*' : drawField(chance, chance.below(60), 0, 59);
  const hour = (about.getUTCHours() + chance.below(3)) % 24;
  const hours = chance.pick(['*', '*', '0-23', '00-23', drawField(chance, hour, 0, 23)]);
  const day = about.getUTCDate();
  const days = chance.percent(70) ? '*' : chance.pick(['1-31', drawField(chance, day, 1, 28)]);
  const month = about.getUTCMonth() + 1;
  const months = chance.percent(80) ? '*' : chance.pick(['1-12', drawField(chance, month, 1, 12)]);
  const weekday = (about.getUTCDay() + chance.below(2)) % 7;
  const weekdays = chance.percent(60) ? '*' : chance.pick(['0-6', drawField(chance, weekday, 0, 6)]);
  const gap = (): string => chance.pick([' ', ' ', '\t', '  ', ' \t']);
  const fields = [minutes, hours, days, months, weekdays];
  return fields.reduce((text, field) => `${text}${gap()}${field}`);
}

/** A list of numbers and ranges. One of them contains the value. */
function drawField(chance: Random, value: number, low: number, high: number): string {
  const kept = Math.min(Math.max(value, low), high);
  const number = (each: number): string => (chance.percent(15) ? `0${each}` : String(each));
  const range = (from: number, to: number): string => `${number(from)}-${number(to)}`;
  const about = chance.percent(50)
    ? number(kept)
    : range(chance.between(low, kept), chance.between(kept, high));
  const others = Array.from({ length: chance.percent(40) ? chance.between(1, 3) : 0 }, () => {
    const from = chance.between(low, high);
    return chance.percent(60) ? number(from) : range(from, chance.between(from, high));
  });
  return (chance.percent(50) ? [about, ...others] : [...others, about]).join();
}
