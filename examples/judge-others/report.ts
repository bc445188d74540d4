/** The judgements for people: a table, and below it each broken axiom with its proof. */
import { axioms } from 'obbligato/theory';
import type { Broken, Judgement } from './judge.ts';
import { documented, type Standing, standingOf } from './promises.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { type Scheduler, schedulers } from './schedulers.ts';

const marks: Readonly<Record<Standing, string>> = { promised: '!', otherwise: '≠', silent: '–' };

export const legend = [
  '✓  nothing is broken',
  '!  broken, though its documentation promises it',
  '≠  its documentation has another rule, and it may well keep that one',
  '–  not promised by its documentation: a rule of ours',
  'n/a  it cannot be set up for this scenario, or was not run; the words are below',
];

export const title = ({ name, version }: Scheduler): string => (version === '' ? name : `${name} ${version}`);

export function cell({ scheduler, scenario, broken, unjudged }: Judgement): string {
  if (unjudged !== undefined) return unjudged.why === 'cannot' ? 'n/a' : 'not run';
  if (broken.length === 0) return '✓';
  const mark = marks[standingOf(scheduler, scenario)];
  return `${broken.map(({ axiom }) => axiom).join(' ')} ${mark}`;
}

/** As a Markdown table, which reads well as plain text too. */
export function table(judgements: readonly Judgement[]): string {
  const chosen = schedulers.filter(({ name }) => judgements.some(({ scheduler }) => scheduler === name));
  const rows = scenarios
    .filter(({ id }) => judgements.some(({ scenario }) => scenario === id))
    .map(({ id }) => [
      id,
      ...chosen.map(({ name }) => {
        const found = judgements.find((one) => one.scheduler === name && one.scenario === id);
        return found === undefined ? '' : cell(found);
      }),
    ]);
  const head = ['scenario', ...chosen.map(title)];
  const widths = head.map((text, i) => Math.max(text.length, ...rows.map((row) => row[i].length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, i) => text.padEnd(widths[i])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

export const clock = (at: number, timeZone: string): string =>
  new Date(at).toLocaleString('sv-SE', { timeZone, timeZoneName: 'shortOffset' });

function proof({ axiom, count, because, events }: Broken, { timeZone }: Scenario): string[] {
  const name = axioms.find(({ id }) => id === axiom)?.name ?? axiom;
  const times = count === 1 ? 'once' : `${count} times, the first`;
  return [
    `    ${axiom} ${name}, ${times}: ${because}`,
    ...events.map(({ at, line, event, task }) => {
      const place = line === undefined ? 'derived' : `line ${line}`;
      return `      ${place.padEnd(9)} ${at === undefined ? '' : clock(at, timeZone)}  ${event}${task === undefined ? '' : ` "${task}"`}`;
    }),
  ];
}

export function standing(scheduler: string, scenario: string): string {
  const said = documented[scheduler]?.[scenario];
  if (said === undefined) return `not promised by ${scheduler}`;
  return said.standing === 'promised' ? `promised. ${said.words}` : `documented otherwise. ${said.words}`;
}

export const counted = ({ scheduler, starts }: Judgement): string =>
  `${scheduler} (${starts} ${starts === 1 ? 'start' : 'starts'})`;

export const isWell = ({ broken, unjudged }: Judgement): boolean =>
  broken.length === 0 && unjudged === undefined;

/** Why there is nothing to judge, as a sentence. */
export function excuse({ scheduler, unjudged }: Judgement): string | undefined {
  if (unjudged === undefined) return undefined;
  const what = unjudged.why === 'cannot' ? 'cannot be set up for this' : 'was not run here';
  return `${scheduler} ${what}: ${unjudged.words}.`;
}

/** One scenario, with the proof of each scheduler. */
export function details(scenario: Scenario, judgements: readonly Judgement[]): string {
  const own = judgements.filter((one) => one.scenario === scenario.id);
  const lines = [`${scenario.id}: ${scenario.title} (${scenario.timeZone})`, `  ${scenario.demands}`];
  const well = own.filter(isWell);
  lines.push(...own.flatMap((one) => excuse(one) ?? []).map((words) => `  ${words}`));
  if (well.length > 0) {
    lines.push(`  Nothing broken: ${well.map(counted).join(', ')}.`);
  }
  for (const judgement of own) {
    const { scheduler, broken, besides } = judgement;
    if (broken.length === 0) continue;
    lines.push(`  ${counted(judgement)}: ${standing(scheduler, scenario.id)}`);
    for (const one of broken) lines.push(...proof(one, scenario));
    if (besides.length > 0)
      lines.push(`    In its wake the ends do not match the starts either: ${besides.join(', ')}.`);
  }
  return lines.join('\n');
}

/** How each scheduler is set up. */
export const settings = (): string =>
  schedulers.map((scheduler) => `  ${title(scheduler).padEnd(20)} ${scheduler.uses}`).join('\n');
