/** The zone in which a schedule runs: the one that was asked for, else the host's (B2). */
import { hostZoneName } from '../time/host.ts';
import { type Zone, zoneOf } from '../time/zone.ts';

export const zoneFrom = (name: string | undefined): Zone => zoneOf(name ?? hostZoneName());
