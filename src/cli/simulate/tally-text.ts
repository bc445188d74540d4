/** What a campaign has done, for people and for programs; and of its first failure all that is needed to see it again. */
import type { Io } from '../args/command.ts';
import { styleFor, textRoomOf } from '../terminal/style.ts';
import { counted, printable, wrap } from '../terminal/text.ts';
import { duration } from '../words.ts';
import type { Tally } from './campaign.ts';
import type { Kind, ShownScenario } from './kinds.ts';
import type { Failure } from './seeds.ts';

/** A failure with the scenario that shows it, cut down if that could be done. */
export interface ShownFailure extends Failure {
  readonly kind: Kind;
  readonly shown: ShownScenario;
  readonly isCutDown: boolean;
}

/** What can be typed to see the world again. */
const again = (kind: Kind, seed: number): string =>
  `obbligato simulate ${kind === 'cluster' ? '--cluster ' : ''}--seeds 1 --seed ${seed}`;

const perSecond = ({ worlds, wallMs }: Tally): number => worlds / (wallMs / 1000);
/** Each world is played twice. */
const timesFaster = ({ simulatedMs, wallMs }: Tally): number => Math.round((2 * simulatedMs) / wallMs);
const english = (count: number): string => count.toLocaleString('en');

/** Each fault in the words of docs/simulation.md; programs get the names. */
const labels: Readonly<Record<keyof Tally['counts'], string>> = {
  crashes: 'crashes',
  cutOff: 'runs cut off',
  stops: 'stops',
  failedStops: 'failed stops',
  failedInitializations: 'failed initializations',
  flaws: 'lists to be refused',
  intruders: 'rivals',
  outages: 'crashes of a database',
  requests: 'requests of operators',
  reloads: 'lists taken over',
  steps: 'clock steps',
  freezes: 'freezes',
  burns: 'held loops',
  failures: 'failures of callbacks',
  hangs: 'hangs',
  troubles: 'spells of store trouble',
  refused: 'requests refused',
  unanswered: 'taken and denied',
  stalled: 'stalled',
  torn: 'batches torn',
  lost: 'batches lost',
};

const faultsText = (counts: Tally['counts']): string =>
  Object.entries(labels)
    .map(([name, label]) => `${label} ${english(Reflect.get(counts, name))}`)
    .join(', ');

export function tallyText(io: Io, tally: Tally, firstSeed: number): string {
  const { bold, green, red, yellow, symbols } = styleFor(io.stdout, io.env);
  const { worlds, failures, failingSeeds, wallMs, simulatedMs, starts, events, counts, outcome } = tally;
  const seeds = `${failures === 1 ? 'seed' : 'seeds'} ${failingSeeds.slice(0, SEEDS_SHOWN).join(', ')}`;
  const violated = `${counted(failures, 'world')} with a violation: ${seeds}${failures > SEEDS_SHOWN ? ' …' : ''}`;
  const verdict =
    worlds === 0
      ? red(`${symbols.failed} nothing was played, so nothing is known`)
      : failures === 0
        ? green(`${symbols.ok} nothing is wrong`)
        : red(`${symbols.failed} ${violated}`);
  const rate = perSecond(tally);
  const speed = `${rate < 10 ? rate.toFixed(1) : english(Math.round(rate))} seeds/s, time passes ${english(timesFaster(tally))} times as fast`;
  const row = (name: string, text: string): string =>
    `  ${name.padEnd(LABEL)}${wrap(text, textRoomOf(io.stdout) - LABEL - 2).replaceAll('\n', `\n  ${' '.repeat(LABEL)}`)}`;
  return [
    `${bold(counted(worlds, 'world'))} from seed ${firstSeed}, each played twice, in ${duration(wallMs)}`,
    ...(outcome === 'all seeds were played' ? [] : [yellow(`${symbols.late} not all of them: ${outcome}`)]),
    verdict,
    '',
    row('speed', speed),
    row('simulated', `${duration(simulatedMs)}, ${counted(starts, 'start')}, ${counted(events, 'event')}`),
    row('faults', faultsText(counts)),
    '',
  ].join('\n');
}

const LABEL = 11;
const SEEDS_SHOWN = 10;

/** A failure that is found while other worlds are still being played: there may be hours of them. */
export function foundText(io: Io, kind: Kind, { seed, violation: { rule } }: Failure): string {
  const { bold, red } = styleFor(io.stderr, io.env);
  return `${red(rule)} is broken in the world of seed ${seed}; ${bold('see it again:')} ${again(kind, seed)}\n`;
}

/** What broke, and how to see it again: printed before the scenario is cut down, which takes its time. */
export function failureText(io: Io, kind: Kind, { seed, violation: { rule, because } }: Failure): string {
  const { bold, red } = styleFor(io.stdout, io.env);
  return [
    '',
    `${red(rule)} in the world of seed ${seed}: ${because.split('\n').map(printable).join('\n')}`,
    `${bold('see it again:')} ${again(kind, seed)}`,
    '',
  ].join('\n');
}

export function scenarioText(io: Io, { shown, isCutDown }: ShownFailure): string {
  const { bold } = styleFor(io.stdout, io.env);
  return [
    '',
    `${bold(isCutDown ? 'cut down to' : 'not cut down:')} ${shown.words}`,
    '',
    bold('as a test:'),
    shown.test,
    '',
  ].join('\n');
}

export function tallyDocument(tally: Tally, firstSeed: number, failure: ShownFailure | undefined): object {
  const { counts, firstFailure: _, ...figures } = tally;
  return {
    firstSeed,
    ...figures,
    wallMs: Math.round(tally.wallMs),
    seedsPerSecond: Number(perSecond(tally).toFixed(2)),
    timesFaster: timesFaster(tally),
    faults: counts,
    firstFailure: failure === undefined ? null : failureDocument(failure),
  };
}

function failureDocument({ kind, shown, ...failure }: ShownFailure): object {
  return { ...failure, scenario: shown.scenario, command: again(kind, failure.seed) };
}
