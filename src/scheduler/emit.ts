/** Hands each event to the listener and to the subscribers of its channel (G4). */
import { callGuest } from '../guest.ts';
import { channelsOf } from './channels.ts';
import type { Emit, EventChannel, EventDetails, EventName, SchedulerEvent } from './events.ts';

/**
 * An `emit` that hands events to a listener, and to the channel of their type if it has subscribers. It survives what the listener
 * does; what a subscriber of a channel throws is Node's to handle. `store` is the location, for the channels.
 */
export function createEmit(listener: ((event: SchedulerEvent) => void) | undefined, store: string): Emit {
  const isHeard = (channels: readonly EventChannel[]): boolean => {
    if (listener !== undefined) return true;
    // A loop: it is asked twice per run, and `some` would take longer than all the rest of the question.
    for (const channel of channels) if (channel.hasSubscribers) return true;
    return false;
  };
  const emit = <Name extends EventName>(type: Name, at: number, details: EventDetails[Name]): void => {
    const channels = channelsOf(type);
    if (!isHeard(channels)) return;
    // The compiler cannot see that a name and its own details make one member of the union.
    const event = { type, at, ...details } as unknown as SchedulerEvent;
    if (listener !== undefined) callGuest(() => listener(event));
    for (const channel of channels) if (channel.hasSubscribers) channel.publish({ ...event, store });
  };
  return Object.assign(emit, { isHeard });
}
