/** Processes that open one store at the same instant, a new file and an old one in turn: exactly one gets it, the others are refused by name. */
import { join } from 'node:path';
import type { Attack } from './attack.ts';
import { Talker } from './talker.ts';

const RACERS = 2;
/** Time for all racers to have read their line. */
const READY_NS = 20_000_000n;

interface Answer {
  readonly has: 'store' | 'error' | 'stopped';
  readonly name?: string;
  readonly message?: string;
  readonly calls?: number;
}

export const race: Attack = {
  name: 'race',
  what: 'two processes open one store at the same instant: exactly one gets it, the other is refused, and only the owner starts anything',
  unit: 'races',
  short: 5,
  long: 1000,
  async play(ground, count) {
    const racers = Array.from({ length: RACERS }, () => new Talker<Answer>(ground, 'fixtures/racer.ts'));
    const place = ground.place();
    const violations: string[] = [];
    const wins = racers.map(() => 0);
    for (let index = 0; index < count; index++) {
      const file = join(place, `race-${index >> 1}.db`); // each file is new once, and old once
      const line = `${file}\t${process.hrtime.bigint() + READY_NS}`;
      const answers = await Promise.all(racers.map((racer) => racer.ask(line)));
      const ends = await Promise.all(racers.map((racer) => racer.ask('')));
      violations.push(...faultsOf(answers, ends).map((fault) => `race ${index}: ${fault}`));
      answers.forEach(({ has }, racer) => {
        if (has === 'store') wins[racer]++;
      });
      ground.advance();
    }
    for (const racer of racers) racer.end();
    return { violations, figures: { races: count, wins: wins.join(' and ') } };
  },
};

function faultsOf(answers: readonly Answer[], ends: readonly Answer[]): readonly string[] {
  const owners = answers.filter(({ has }) => has === 'store').length;
  const refusals = answers.filter(({ has }) => has === 'error');
  const strangers = ends.filter(({ calls = 0 }, racer) => calls > 0 && answers[racer].has !== 'store');
  return [
    ...(owners === 1 ? [] : [`${owners} processes have the store: ${JSON.stringify(answers)}`]),
    ...refusals
      .filter(({ name }) => name !== 'StoreLockedError')
      .map((answer) => `refused as ${JSON.stringify(answer)}`),
    ...strangers.map(() => 'a process that does not own the store has started a task'),
  ];
}
