/** What is asked of a file from outside, also while a scheduler owns it: what is in it, what has been, and requests. */

import { StoreSharedFileError } from './errors.ts';
import type { FirstRecords, HistoryQuery, InspectOptions, PastRun, StoreSnapshot } from './port.ts';
import { readAgain, remember } from './sqlite-again.ts';
import type { LookedAt } from './sqlite-look.ts';
import { takeLooker } from './sqlite-lookers.ts';
import type { ThreadOptions } from './sqlite-messages.ts';
import { MIGRATIONS } from './sqlite-schema.ts';

export { Asks } from './sqlite-asks.ts';

/** What is in the file, and who owns it. */
export async function inspected(
  location: string,
  look: ThreadOptions,
  options: InspectOptions & FirstRecords,
): Promise<StoreSnapshot> {
  const { since, onRecords } = options;
  const { channel, looked, giveBack } = await takeLooker(look, since === undefined ? 'once' : 'again');
  try {
    const {
      version,
      owner,
      ownedBy,
      alias,
      requests,
      timeZone,
    }: Partial<LookedAt> & Pick<LookedAt, 'version' | 'owner'> = looked ?? { version: 0, owner: 'unknown' };
    const first = onRecords && ((records: readonly unknown[]) => onRecords(records, timeZone));
    const seen = version === 0 ? undefined : await readAgain(channel, { since, onRecords: first });
    const snapshot: StoreSnapshot = {
      location,
      version,
      newestVersion: MIGRATIONS.length,
      owner,
      ...(ownedBy && { ownedBy }),
      ...(alias && { refusal: new StoreSharedFileError({ path: location, reason: alias }) }),
      ...(timeZone && { timeZone }),
      ...(requests && { requests }),
      records: seen?.pages.flatMap((page) => page.records) ?? [],
      ...(typeof since === 'object' && { sharesRecords: true }),
    };
    if (since !== undefined && seen !== undefined) remember(snapshot, seen);
    return snapshot;
  } finally {
    await giveBack();
  }
}

export async function* pastRuns(look: ThreadOptions, query: HistoryQuery): AsyncGenerator<PastRun> {
  const { channel, giveBack } = await takeLooker(look, 'once');
  try {
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    while (left > 0) {
      const { runs } = await channel.using(() =>
        channel.ask({ kind: 'history', query: { ...query, limit: left } }, 'history'),
      );
      if (runs.length === 0) return;
      yield* runs;
      left -= runs.length;
    }
  } finally {
    await giveBack();
  }
}
