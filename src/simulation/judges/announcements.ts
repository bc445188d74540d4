/** Events that say what a record right after them says too, and events that must follow the end of a run (G4). */
import type { SchedulerEvent } from '../../scheduler/index.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { LastEnd } from './live-task.ts';
import type { Blame } from './violations.ts';

/** The records that follow an event of this type. */
const ANNOUNCED = {
  DueSkipped: 'TaskDueSkipped',
  RunRequested: 'TaskRunRequested',
  Paused: 'TaskPaused',
  Resumed: 'TaskResumed',
  CancelRequested: 'TaskCancelRequested',
} as const;

type AnnouncedRecord = Extract<WrittenRecord, { event: keyof typeof ANNOUNCED }>;

const isAnnounced = (record: WrittenRecord): record is AnnouncedRecord =>
  Object.hasOwn(ANNOUNCED, record.event);

const TYPES: ReadonlySet<string> = new Set(Object.values(ANNOUNCED));

const textOf = (type: string, details: object): string =>
  `${type} ${JSON.stringify(Object.entries(details).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

export class Announcements {
  readonly #blame: Blame;
  /** The last event that a record must follow, as text. */
  #announced: string | undefined;
  /** The events that must come now, as text. */
  #toFollow: readonly string[] = [];

  constructor(blame: Blame) {
    this.#blame = blame;
  }

  forget(): void {
    this.#announced = undefined;
    this.#toFollow = [];
  }

  /** A run has ended like this: TaskGaveUp and TaskAbandoned follow where they must. */
  follow(end: LastEnd | undefined): void {
    const types = [
      ...(end?.outcome === 'gave up' ? ['TaskGaveUp'] : []),
      ...(end?.isAbandoned ? ['TaskAbandoned'] : []),
    ];
    this.#toFollow = types.map((type) => `${type} ${end?.runId}`);
  }

  heard(event: SchedulerEvent): void {
    const [next, ...rest] = this.#toFollow;
    const isFollower = event.type === 'TaskGaveUp' || event.type === 'TaskAbandoned';
    const said = isFollower ? `${event.type} ${event.runId}` : undefined;
    if (said !== next) this.#blame('G4', `${event.type} was heard, and ${next} was to come`);
    this.#toFollow = rest;
    const { type, ...details } = event;
    if (TYPES.has(type)) this.#announced = textOf(type, details);
  }

  recorded(record: WrittenRecord): void {
    if (!isAnnounced(record)) return;
    const said = this.#announced;
    this.#announced = undefined;
    const { event, ...details } = record;
    if (said !== textOf(ANNOUNCED[event], details))
      this.#blame('G4', `${JSON.stringify(record)} was recorded, and the event was ${said}`);
  }
}
