/** `obbligato preview`: what a configuration will start when, before it does. */
import { taskFacts } from '../../config.ts';
import { clockTime } from '../../text/words.ts';
import type { Command } from '../args/command.ts';
import { countOf, isGiven, momentOf, readZone, textOf } from '../args/values.ts';
import { loadConfig } from '../config/load.ts';
import { type Forecast, forecast } from '../preview/forecast.ts';
import { busiestOf, collisionsOf, peaksOf } from '../preview/load.ts';
import { surprisesOf } from '../preview/surprises.ts';
import { previewText } from '../preview/text.ts';
import { json } from '../terminal/text.ts';
import { isoDate, localIso } from '../words.ts';

const HELP = `
Shows what a configuration will start when: a map of the day by hour and minute, the busiest minutes, tasks that always start at
the same time, and what clock changes skip or double. Nothing is started, and no store is touched.

Options
  --days <n>         how many days to look at (30)
  --from <time>      instead of now: 2027-03-28, 2027-03-28T02:30
  --tz <zone>        instead of the configuration's zone, or the host's
  --json             one JSON document

Examples
  obbligato preview
  obbligato preview jobs.config.ts --days 7
  obbligato preview --from 2027-03-20 --tz Europe/Stockholm
`;

export const previewCommand: Command = {
  name: 'preview',
  summary: 'What will start when: load, collisions, clock changes',
  help: HELP,
  options: {
    days: { type: 'string' },
    from: { type: 'string' },
    tz: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'config' }],
  async run(io, args) {
    const days = countOf(args, { option: 'days', fallback: 30, min: 1, max: 366 });
    const { config } = await loadConfig(io.cwd, args.positionals[0]);
    const zone = readZone(textOf(args, 'tz') ?? config.timeZone);
    const planned = taskFacts(config.tasks);
    const result = forecast(planned, zone, momentOf(io, args, zone), days);
    io.stdout.write(isGiven(args, 'json') ? json(documentOf(result)) : previewText(io, result));
    return 0;
  },
};

function documentOf(result: Forecast): object {
  const { zone, from, to, days, tasks, starts, groups } = result;
  const local = (minute: number): string => `${isoDate(minute)}T${clockTime(minute)}`;
  return {
    timeZone: zone.name,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    days,
    tasks,
    starts,
    peaksByMinuteOfDay: [...peaksOf(result)],
    byExpression: groups.map(({ cron, tasks: names, dues }) => ({
      cron,
      tasks: names,
      starts: dues.length,
      first: dues.length === 0 ? null : localIso(zone, dues[0]),
    })),
    busiest: busiestOf(result, 20).map(({ tasks: names, fewest, most, minutes, times, first }) => ({
      tasks: names,
      fewest,
      most,
      at: minutes.map(clockTime),
      times,
      first: localIso(zone, first),
    })),
    collisions: collisionsOf(result),
    clockChanges: surprisesOf(result).map(({ change, before, after, isWithin, hits }) => ({
      at: new Date(change.at).toISOString(),
      from: local(before),
      to: local(after),
      within: isWithin,
      hits,
    })),
  };
}
