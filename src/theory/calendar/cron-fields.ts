/** A cron expression as the oracle reads it: the grammar of C1, and for every field the values that are in it. */

/** A value is in a field if its element is true. */
export type Field = readonly boolean[];

/** Of weekdays, 0 is Sunday. */
export interface CronFields extends Readonly<Record<'minute' | 'hour' | 'day' | 'month' | 'weekday', Field>> {
  /** Day and weekday are both restricted, and then one of them is enough (C2). What counts is the text: `1-31` restricts. */
  readonly isEitherDay: boolean;
  /** The hour field is `*`: then nothing special is done where clocks change (H3). */
  readonly isEveryHour: boolean;
}

const MAX_LENGTH = 1000;

/** Throws a plain error for what is not a cron expression (C0, C1). One that is never due is one here. */
export function cronFields(cron: string): CronFields {
  if (cron.length > MAX_LENGTH) {
    throw new Error(`Not a cron expression: ${cron.length} characters, and ${MAX_LENGTH} is the limit`);
  }
  const texts = cron.split(/[ \t]+/).filter((text) => text !== '');
  if (texts.length !== 5) {
    throw new Error(`Not a cron expression: ${JSON.stringify(cron)} has ${texts.length} fields, not 5`);
  }
  const [minute, hour, day, month, weekday] = texts;
  return {
    minute: fieldOf('minute', minute, 0, 59),
    hour: fieldOf('hour', hour, 0, 23),
    day: fieldOf('day', day, 1, 31),
    month: fieldOf('month', month, 1, 12),
    weekday: fieldOf('weekday', weekday, 0, 6),
    isEitherDay: day !== '*' && weekday !== '*',
    isEveryHour: hour === '*',
  };
}

function fieldOf(name: string, text: string, min: number, max: number): Field {
  const field = new Array<boolean>(max + 1).fill(text === '*');
  if (text === '*') return field;
  for (const element of text.split(',')) {
    const shown = /^(\d+)(?:-(\d+))?$/.exec(element);
    const low = Number(shown?.[1]);
    const high = Number(shown?.[2] ?? low);
    // Stated so that what is not a number fails, too.
    if (!(min <= low && low <= high && high <= max)) {
      const range = `${min}-${max}`;
      throw new Error(
        `Not a cron expression: the ${name} field ${JSON.stringify(text)} is neither * nor a list of numbers and ranges within ${range}`,
      );
    }
    field.fill(true, low, high + 1);
  }
  return field;
}
