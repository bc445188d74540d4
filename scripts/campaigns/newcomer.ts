/** The README's commands as a newcomer meets them, for root and for another user. */
import { dirname } from 'node:path';
import { isRoot } from '../../test/unprivileged.ts';
import { walk } from '../newcomer.ts';
import { type Campaign, named } from './campaign.ts';

const ROOT = dirname(dirname(import.meta.dirname));
const USERS = isRoot ? ['as root', 'as another user'] : ['as this user'];
/** `npm run campaign -- newcomer short` has a test file in place of the suite. */
const SHORT = 'short';
const ONE_FILE = 'test/errors.test.ts';

export const newcomer: Campaign = {
  name: 'newcomer',
  what: 'what fails, complains or grows when somebody does what the README says, in a fresh clone in a private folder',
  unit: 'walks',
  whole: (words) => (words.includes(SHORT) ? USERS.map((user) => `${SHORT}, ${user}`) : named(USERS)(words)),
  portion: 1,
  takes: 'twice as long as npm test',
  async play({ units: [unit], signal, advance, say }) {
    const tests = unit.startsWith(SHORT) ? ONE_FILE : '';
    const outcome = await walk({ from: ROOT, asAnother: unit.endsWith('another user'), tests, signal, say });
    advance();
    return { ...outcome, done: 1 };
  },
};
