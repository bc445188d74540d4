/** In which zone a command reads a store (B2). */
import type { Zone } from '../../cron/index.ts';
import type { Inspection } from '../../index.ts';
import { readZone } from '../args/values.ts';
import type { Target } from './target.ts';

/** The zones that a reader of the store knows, for want of one that the store says. */
export interface KnownZones {
  /** `--tz`, which wins over the store. */
  readonly asked: string | undefined;
  readonly configured: Pick<Target, 'timeZone' | 'timeZoneFrom'>;
}

/** In which zone expressions are read, and where that comes from. If it is the host's, the scheduler may read them in another one. */
export interface Reading {
  readonly zone: Zone;
  readonly zoneFrom: 'option' | 'store' | 'configuration' | 'host';
}

/** B2: the zone that the scheduler has written into the store counts more than the one that its next start would write. */
export function readingOf(
  inspection: Pick<Inspection, 'timeZone'> | undefined,
  { asked, configured }: KnownZones,
): Reading {
  if (asked !== undefined) return { zone: readZone(asked), zoneFrom: 'option' };
  if (inspection?.timeZone !== undefined) return { zone: readZone(inspection.timeZone), zoneFrom: 'store' };
  return { zone: readZone(configured.timeZone), zoneFrom: configured.timeZoneFrom };
}
