/** The command `npm run campaign`: what all campaigns share. The words are read, signals heard, and one campaign is played after the other. */
import { dirname } from 'node:path';
import { machine } from '../../bench/harness.ts';
import { Shutdown } from '../../src/cli/run/shutdown.ts';
import type { Campaign } from './campaign.ts';
import { Ledger } from './ledger.ts';
import { type Order, orderOf, UsageError } from './order.ts';
import { play } from './play.ts';
import { tellCampaign, tellCampaigns, tellStatus, USAGE } from './tell.ts';
import { type Version, versionOf } from './version.ts';

const [OK, FAILED, WRONG_USAGE, INTERRUPTED] = [0, 1, 2, 130];
const ROOT = dirname(dirname(import.meta.dirname));

/** Does what the words ask for; returns the exit code. */
export async function run(
  campaigns: readonly Campaign[],
  argv: readonly string[],
  version = (): Version => versionOf(ROOT),
): Promise<number> {
  try {
    const order = orderOf(campaigns, argv);
    const { chosen = campaigns, json, state } = order;
    if (order.help && order.chosen === undefined) console.log(USAGE);
    else if (order.help) for (const campaign of chosen) tellCampaign(campaign, order.words);
    else if (order.status) tellStatus(new Ledger(state).entries(chosen), json);
    else if (order.chosen === undefined) tellCampaigns(chosen, json);
    else return await playAll(chosen, order, version());
    return OK;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return WRONG_USAGE;
  }
}

async function playAll(chosen: readonly Campaign[], order: Order, version: Version): Promise<number> {
  console.error(`${machine()}; commit ${version.commit}`);
  const ending = new AbortController();
  let isInterrupted = false;
  new Shutdown({
    stop() {
      console.error('ending; Ctrl-C again leaves at once');
      isInterrupted = true;
      ending.abort();
    },
    leave: () => process.exit(INTERRUPTED),
  }).listen();
  const { minutes } = order;
  const timer = minutes === undefined ? undefined : setTimeout(() => ending.abort(), minutes * 60_000);
  const { signal } = ending;
  let isWell = true;
  for (const campaign of chosen)
    if (!signal.aborted) isWell = (await play(campaign, { order, version, signal })) && isWell;
  clearTimeout(timer);
  return isInterrupted ? INTERRUPTED : isWell ? OK : FAILED;
}
