/** What the world does to real processes on real files: each attack is a campaign. */
import type { Attack } from '../../test/attack/attack.ts';
import { ATTACKS } from '../../test/attack/attacks.ts';
import { Ground } from '../../test/attack/ground.ts';
import type { Campaign } from './campaign.ts';

const campaignOf = ({ name, what, unit, long, missing, play }: Attack): Campaign => ({
  name: `attack ${name}`,
  what,
  unit,
  whole: long,
  portion: long,
  takes: name === 'soak' ? 'an hour' : 'minutes',
  ...(missing && { missing }),
  async play({ units, signal, advance, say }) {
    const ground = new Ground({ seed: Number(units[0]), advance, say });
    const clean = (): void => void ground.clean();
    signal.addEventListener('abort', clean, { once: true });
    try {
      const outcome = await play(ground, units.length);
      signal.throwIfAborted();
      return { ...outcome, done: units.length };
    } finally {
      signal.removeEventListener('abort', clean);
      await ground.clean();
    }
  },
});

export const attacks: readonly Campaign[] = ATTACKS.map(campaignOf);
