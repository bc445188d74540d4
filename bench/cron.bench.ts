/**
 * The cron engine beside croner and cron-schedule: `next` on warm objects at random instants of 2020–2060, parsing, and
 * the heap that a compiled expression takes. cron-schedule knows only the host's zone, so it is told only there.
 *
 * Cost first: a `next` is one look-up of the segment, a handful of bit operations, and one more segment for every clock
 * change between here and there. Nothing is allocated but the result.
 */
import { parseCronExpression } from 'cron-schedule';
import { Cron, CronPattern } from 'croner';
import { compile } from '../src/cron/compile.ts';
import { nextDue } from '../src/cron/due.ts';
import { parseSchedule } from '../src/cron/expression.ts';
import { type CronExpression, parseCron } from '../src/cron/index.ts';
import type { Schedule } from '../src/cron/schedule.ts';
import { hostZoneName } from '../src/time/host.ts';
import { type Zone, zoneOf } from '../src/time/zone.ts';
import { compare, duration, heapPerItem } from './harness.ts';

const EXPRESSIONS: Readonly<Record<string, string>> = {
  daily: '30 6 * * *',
  weekdays: '0 9 * * 1-5',
  '13th or Friday': '0 12 13 * 5',
  '29 February': '0 0 29 2 *',
  'every minute': '* * * * *',
};

const COUNT = 4096;
const from = Date.UTC(2020, 0, 1);
const span = Date.UTC(2060, 0, 1) - from;
let seed = 1;
const random = (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const instants = Float64Array.from({ length: COUNT }, () => Math.floor(from + random() * span));
const dates = Array.from(instants, (instant) => new Date(instant));

/**
 * One loop for each contender, rather than one for all that is handed a function: a loop that has seen several functions
 * can inline none of them, and would measure the call. The sums keep the work alive.
 */
const loops = {
  dates: (cron: CronExpression): number => {
    let sum = 0;
    for (let index = 0; index < COUNT; index++) sum += cron.next(dates[index]).getTime();
    return sum;
  },
  numbers: (schedule: Schedule, zone: Zone): number => {
    let sum = 0;
    for (let index = 0; index < COUNT; index++) sum += nextDue(schedule, zone, instants[index]);
    return sum;
  },
  croner: (cron: Cron, count: number): number => {
    let sum = 0;
    for (let index = 0; index < count; index++) sum += cron.nextRun(dates[index])?.getTime() ?? 0;
    return sum;
  },
  cronSchedule: (cron: ReturnType<typeof parseCronExpression>, count: number): number => {
    let sum = 0;
    for (let index = 0; index < count; index++) sum += cron.getNextDate(dates[index]).getTime();
    return sum;
  },
};

async function nextIn(timeZone: string, onHost: boolean): Promise<void> {
  const zone = zoneOf(timeZone);
  for (const [label, expression] of Object.entries(EXPRESSIONS)) {
    const schedule = parseSchedule(expression);
    const ours = parseCron(expression, { timeZone });
    const croner = new Cron(expression, onHost ? { paused: true } : { paused: true, timezone: timeZone });
    const slow = label === '29 February' ? 100 : 400;
    const contenders = [
      { name: 'obbligato', operations: COUNT, run: () => loops.dates(ours) },
      { name: 'obbligato, on numbers', operations: COUNT, run: () => loops.numbers(schedule, zone) },
      { name: 'croner', operations: slow, run: () => loops.croner(croner, slow) },
    ];
    if (onHost) {
      const peer = parseCronExpression(expression);
      contenders.push({ name: 'cron-schedule', operations: slow, run: () => loops.cronSchedule(peer, slow) });
    }
    await compare(
      `next, ${label} (${expression}), ${timeZone}${onHost ? ', the host zone' : ''}`,
      contenders,
      {
        rounds: 15,
        atLeast: { croner: onHost ? 20 : 100, 'cron-schedule': 5 },
      },
    );
  }
}

async function parsing(): Promise<void> {
  const texts = Object.values(EXPRESSIONS);
  const over = (rounds: number, parse: (text: string) => unknown): (() => unknown) => {
    return () => {
      let last: unknown;
      for (let round = 0; round < rounds; round++) for (const text of texts) last = parse(text);
      return last;
    };
  };
  const perRound = texts.length;
  await compare(
    'parsing, mean of the five expressions',
    [
      { name: 'obbligato', operations: 20_000 * perRound, run: over(20_000, (text) => parseCron(text)) },
      { name: 'obbligato, without a zone', operations: 20_000 * perRound, run: over(20_000, compile) },
      {
        name: 'croner',
        operations: 200 * perRound,
        run: over(200, (text) => new Cron(text, { paused: true })),
      },
      {
        name: 'croner, pattern only',
        operations: 200 * perRound,
        run: over(200, (text) => new CronPattern(text)),
      },
      {
        name: 'cron-schedule',
        operations: 200 * perRound,
        run: over(200, (text) => parseCronExpression(text)),
      },
    ],
    { atLeast: { croner: 20, 'croner, pattern only': 20 } },
  );
}

function memory(): void {
  const texts = Array.from(
    { length: 50_000 },
    (_, index) => `${index % 60} ${index % 24} ${(index % 28) + 1} * ${index % 7}`,
  );
  const compiled = heapPerItem(texts.length, (index) => parseSchedule(texts[index]));
  const zoned = heapPerItem(texts.length, (index) =>
    parseCron(texts[index], { timeZone: 'Europe/Stockholm' }),
  );
  const croner = heapPerItem(2_000, (index) => new Cron(texts[index], { paused: true }));
  console.log('\nheap an expression');
  console.log(`  compiled form                      ${compiled.toFixed(0).padStart(7)} B`);
  console.log(`  parseCron(…), compiled form within ${zoned.toFixed(0).padStart(7)} B`);
  console.log(
    `  croner                             ${croner.toFixed(0).padStart(7)} B  ${(croner / zoned).toFixed(0)}× ours`,
  );
  if (zoned > 200) process.exitCode = 1;
}

/** What the first question to a zone costs: making the `Intl` format and surveying thirteen months. */
function firstQuestion(): void {
  const schedule = parseSchedule('30 6 * * *');
  const names = Intl.supportedValuesOf('timeZone').filter((name) => /^(Africa|Asia|Australia)\//.test(name));
  const startedAt = process.hrtime.bigint();
  for (const name of names) nextDue(schedule, zoneOf(name), from);
  const mean = Number(process.hrtime.bigint() - startedAt) / names.length;
  console.log(`\nfirst next in a new zone, mean of ${names.length}: ${duration(mean)}`);
}

process.env.TZ = 'Europe/Berlin';
await nextIn(hostZoneName(), true);
await nextIn('Europe/Stockholm', false);
await parsing();
memory();
firstQuestion();
