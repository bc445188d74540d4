/**
 * One campaign, portion by portion.
 *
 *     planned ──▶ portion ──▶ remembered and told ──▶ portion … ──▶ over: nothing is left, or the signal is aborted
 *                   ├── cut short: its first units were played, the others are played next time
 *                   └── broken off: an error of the campaign itself; none of its units counts as played
 */
import { inspect } from 'node:util';
import { createProgress, type Progress } from '../../src/cli/terminal/progress.ts';
import type { Campaign, Played } from './campaign.ts';
import { type Entry, Ledger } from './ledger.ts';
import type { Order } from './order.ts';
import { type Plan, planOf } from './plan.ts';
import { counted, portionInWords, tellPortion, together } from './tell.ts';
import type { Version } from './version.ts';

export interface Game {
  readonly order: Order;
  readonly version: Version;
  /** Aborted when no more is to be played. */
  readonly signal: AbortSignal;
}

/** Plays a campaign from where it stopped. Returns whether all is well, in the portions of earlier runs too. */
export async function play(campaign: Campaign, game: Game): Promise<boolean> {
  const { order, version, signal } = game;
  const { name, unit, missing } = campaign;
  const reason = missing?.();
  if (reason !== undefined) {
    console.log(
      order.json ? JSON.stringify({ campaign: name, missing: reason }) : `${name}: left out, ${reason}`,
    );
    return true;
  }
  const ledger = new Ledger(order.state);
  if (order.again) ledger.add({ campaign: name, again: true });
  const plan = planOf(campaign, order, ledger.since(name, version));
  console.error(`${name}: ${planInWords(plan, unit)}`);
  const progress = createProgress(process, plan.total, unit);
  const played: Entry[] = [];
  for (let place = 0; place < plan.total && !signal.aborted; ) {
    const units = plan.units(place, Math.min(campaign.portion, plan.total - place));
    const startedAt = performance.now();
    const outcome = await attempt(campaign, units, signal, progress);
    if (outcome === undefined) return false;
    if (outcome.done === 0) break;
    const entry = entryOf(campaign, plan, version, units, outcome, performance.now() - startedAt);
    ledger.add(entry);
    tellPortion(entry, order.json);
    played.push(entry);
    place += outcome.done;
  }
  if (played.length > 1 && !order.json) console.log(portionInWords(together(played), played.length));
  return [...plan.known, ...played].every(({ violations }) => violations.length === 0);
}

function planInWords({ known, series, total, units }: Plan, unit: string): string {
  const before = known.reduce((sum, { count }) => sum + count, 0);
  const earlier = before === 0 ? '' : `, after ${counted(before, unit)} of earlier runs`;
  if (total === 0 && before === 0) return `it plays ${unit}, and there are none`;
  if (total === 0) return `nothing is left${earlier}; --status prints them, --again begins anew`;
  return `${counted(total, unit)}${series === undefined ? '' : ` from seed ${units(0, 1)[0]}`}${earlier}`;
}

/** Undefined if the campaign itself is broken. */
async function attempt(
  campaign: Campaign,
  units: readonly string[],
  signal: AbortSignal,
  progress: Progress,
): Promise<Played | undefined> {
  try {
    return await campaign.play({
      units,
      signal,
      advance: (by) => progress.advance(by),
      say(line) {
        progress.end();
        console.error(line);
      },
    });
  } catch (error) {
    if (signal.aborted) return { done: 0, figures: {}, violations: [] };
    progress.end();
    console.error(`${campaign.name}: it broke off: ${inspect(error)}`);
    return undefined;
  } finally {
    progress.end();
  }
}

const entryOf = (
  { name, unit }: Campaign,
  { series }: Plan,
  version: Version,
  units: readonly string[],
  { done, figures, violations }: Played,
  elapsedMs: number,
): Entry => ({
  campaign: name,
  unit,
  count: done,
  first: units[0],
  last: units[done - 1],
  ...(series === undefined ? { names: units.slice(0, done) } : { series }),
  ...version,
  node: process.versions.node,
  seconds: Math.round(elapsedMs / 1000),
  at: new Date().toISOString(),
  figures,
  violations,
});
