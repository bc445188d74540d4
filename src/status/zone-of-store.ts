/**
 * In which zone a store is read (B2). An `initialize` writes the zone of its scheduler into the store, and whoever reads the store goes by that. A store of a former
 * version says none until its scheduler is initialized by this one. Then the zone of the host is a guess, and the answer says so.
 */
import { hostZoneName } from '../time/host.ts';

/** A zone, and who says so: the one who asks, the store, or only the host. */
export interface ZoneOfStore {
  readonly timeZone: string;
  readonly timeZoneFrom: 'option' | 'store' | 'host';
}

export function zoneOfStore(
  { timeZone }: { readonly timeZone?: string | undefined },
  asked: string | undefined,
): ZoneOfStore {
  if (asked !== undefined) return { timeZone: asked, timeZoneFrom: 'option' };
  if (timeZone !== undefined) return { timeZone, timeZoneFrom: 'store' };
  return { timeZone: hostZoneName(), timeZoneFrom: 'host' };
}
