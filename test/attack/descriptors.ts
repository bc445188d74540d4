/**
 * A process runs out of file descriptors. The store has its files open already, so the schedule goes on; a program cannot start, says why, and is
 * tried again. A scheduler that finds no descriptor when it opens its store refuses, and opens it the next time.
 */
import type { Attack } from './attack.ts';
import { type AttackedTask, Owner, planFor } from './owner.ts';
import { TASKS } from './troubled.ts';
import { concluded } from './verdict.ts';

const MOST = 128;
const SAYS_WHY = /EMFILE|too many/;
const LIMITED = ['sh', '-c', `ulimit -n ${MOST}; exec "$@"`, 'sh'];
const PROGRAM: AttackedTask = {
  name: 'program',
  cron: '* * * * *',
  takesMs: 0,
  failures: 0,
  program: 'true',
};

export const descriptors: Attack = {
  name: 'descriptors',
  what: 'no descriptor is left: the schedule goes on, programs that cannot start say why and are tried again, initialize refuses with the reason',
  unit: 'times',
  short: 1,
  long: 10,
  missing: () => (process.platform === 'win32' ? 'there is no ulimit' : undefined),
  async play(ground, count) {
    const place = ground.place();
    const plan = { ...planFor(place, place, [...TASKS, PROGRAM]), beginsExhausted: true };
    const violations: string[] = [];
    const owner = new Owner(ground, plan, {}, LIMITED);
    const { error: refusal } = await owner.says('refused');
    if (!/^Store\w+Error$/.test(refusal?.name ?? '') || !SAYS_WHY.test(refusal?.message ?? ''))
      violations.push(`initialize without descriptors was refused with ${JSON.stringify(refusal)}`);
    await owner.says('initialized');
    for (let time = 0; time < count; time++) {
      await owner.event(
        (said) => said.type === 'TaskRunCompleted' && said.task === 'program',
        owner.said.length,
      );
      const before = owner.said.length;
      owner.child.kill('SIGUSR2');
      const { taken = 0 } = await owner.says('descriptors', before);
      if (taken === 0) violations.push('no descriptor could be taken');
      const { error } = await owner.event(
        (said) => said.type === 'TaskRunFailed' && said.task === 'program',
        before,
      );
      if (!SAYS_WHY.test(error?.message ?? ''))
        violations.push(`a program failed with ${JSON.stringify(error)}`);
      await owner.succeeds(3);
      owner.child.kill('SIGUSR2');
      ground.advance();
    }
    await owner.event(
      (said) => said.type === 'TaskRunCompleted' && said.task === 'program',
      owner.said.length,
    );
    const { violations: found, starts } = await concluded(ground, { ...plan, beginsExhausted: false }, owner);
    return { violations: [...violations, ...found], figures: { times: count, starts } };
  },
};
