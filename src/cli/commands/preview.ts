/** `obbligato preview`: what a configuration will start when, before it does. */
import { resolve } from 'node:path';
import { taskFacts } from '../../config.ts';
import { clockTime } from '../../text/words.ts';
import type { Arguments, Command, Io } from '../args/command.ts';
import { countOf, isGiven, momentOf, readZone, textOf } from '../args/values.ts';
import { loadConfig } from '../config/load.ts';
import { CliError } from '../errors.ts';
import { type FileToWrite, writeFiles } from '../files.ts';
import { type Forecast, forecast } from '../preview/forecast.ts';
import { busiestOf, collisionsOf, peaksOf } from '../preview/load.ts';
import { pageOf } from '../preview/page.ts';
import { pictureOf } from '../preview/picture.ts';
import { surprisesOf } from '../preview/surprises.ts';
import { previewText } from '../preview/text.ts';
import { json, printable } from '../terminal/text.ts';
import { isoDate, localIso } from '../words.ts';

const HELP = `
Shows what a configuration will start when: a map of the day by hour and minute, the busiest minutes, tasks that always start at
the same time, and what clock changes skip or double. Nothing is started, and no store is touched.

Options
  --days <n>         how many days to look at (30)
  --from <time>      instead of now: 2027-03-28, 2027-03-28T02:30
  --tz <zone>        instead of the configuration's zone, or the host's
  --svg <file>       a picture too
  --html <file>      a page with the picture and all of it in words and tables; both need nothing but a browser
  --json             one JSON document

Examples
  obbligato preview
  obbligato preview jobs.config.ts --days 7
  obbligato preview --from 2027-03-20 --tz Europe/Stockholm --html preview.html
`;

export const previewCommand: Command = {
  name: 'preview',
  summary: 'What will start when: load, collisions, clock changes',
  help: HELP,
  options: {
    days: { type: 'string' },
    from: { type: 'string' },
    tz: { type: 'string' },
    svg: { type: 'string' },
    html: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'config' }],
  async run(io, args) {
    const days = countOf(args, { option: 'days', fallback: 30, min: 1, max: 366 });
    const svg = fileOf(io, args, 'svg');
    const html = fileOf(io, args, 'html');
    const { config } = await loadConfig(io.cwd, args.positionals[0]);
    const zone = readZone(textOf(args, 'tz') ?? config.timeZone);
    const planned = taskFacts(config.tasks);
    const result = forecast(planned, zone, momentOf(io, args, zone), days);
    const files: FileToWrite[] = [];
    if (svg !== undefined) files.push({ path: svg, text: pictureOf(result) });
    if (html !== undefined) files.push({ path: html, text: pageOf(result) });
    writeFiles(files);
    if (isGiven(args, 'json')) io.stdout.write(json(documentOf(result)));
    else {
      io.stdout.write(previewText(io, result));
      const written = files.map(({ path }) => printable(path));
      if (written.length > 0) io.stdout.write(`\nWritten: ${written.join(', ')}\n`);
    }
    return 0;
  },
};

/** A file to write over is only one that can have been written by this command. */
function fileOf(io: Io, args: Arguments, option: 'svg' | 'html'): string | undefined {
  const path = textOf(args, option);
  if (path === undefined) return undefined;
  if (!path.toLowerCase().endsWith(`.${option}`)) {
    throw new CliError(
      'usage',
      `--${option} takes a file whose name ends in .${option}; got "${printable(path)}"`,
    );
  }
  return resolve(io.cwd, path);
}

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
