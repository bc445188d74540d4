/**
 * What is recorded of a schedule while it runs: a trace in a file, the verdict of a monitor, or both.
 *
 *     opened ──attach──▶ telling ──close──▶ closed
 *
 * Neither may harm the schedule. A file that cannot be written is told, and the monitor is a guest of the trace.
 */

import type { Verdict } from '../../theory/verdict/verdict.ts';
import { TraceFileError } from '../../trace/errors.ts';
import { type TraceFile, traceFile } from '../../trace/file.ts';
import { readTrace } from '../../trace/read.ts';
import type { TraceSink } from '../../trace/record.ts';
import { messageOf } from '../text.ts';
import { Monitoring } from './monitoring.ts';
import type { Notice } from './reporter.ts';

export interface RecordingOptions {
  /** The file of the trace, as an absolute path. */
  readonly file: string | undefined;
  readonly monitor: 'wanted' | 'not wanted';
  /** Whether the store remembers anything from before: asked for only where it matters. */
  readonly storeHas: () => Promise<'a history' | 'no history'>;
  readonly now: () => number;
}

type Tell = (notice: Notice) => void;

export class Recording {
  readonly #options: RecordingOptions;
  readonly #file: TraceFile | undefined;
  readonly #isContinued: boolean;
  readonly #monitoring: Monitoring | undefined;
  /** What there was to tell before anybody listened. */
  #early: Notice[] = [];
  #tell: Tell = (notice) => this.#early.push(notice);

  /** Throws what `traceFile` throws: before the schedule begins, that is the user's to mend. */
  static async open(options: RecordingOptions): Promise<Recording> {
    const recording = new Recording(options);
    await recording.#remember();
    return recording;
  }

  private constructor(options: RecordingOptions) {
    this.#options = options;
    const { file, monitor, now } = options;
    this.#isContinued = file !== undefined && Number(readTrace(file).bytesTotal) > 0;
    if (file !== undefined)
      this.#file = traceFile(file, { onError: (error) => this.#trouble(messageOf(error)) });
    if (monitor === 'wanted') this.#monitoring = new Monitoring(now, (notice) => this.#tell(notice));
  }

  get sinks(): readonly TraceSink[] {
    return [this.#file, this.#monitoring?.sink].filter((sink) => sink !== undefined);
  }

  /** The monitor's last word; undefined without a monitor, or if it could not judge. */
  get verdict(): Verdict | undefined {
    return this.#monitoring?.verdict;
  }

  attach(tell: Tell): void {
    this.#tell = tell;
    for (const notice of this.#early.splice(0)) tell(notice);
  }

  async close(): Promise<void> {
    for (const part of [this.#file, this.#monitoring]) {
      try {
        await part?.close();
      } catch (error) {
        this.#trouble(messageOf(error));
      }
    }
  }

  /**
   * What is owed depends on what was before. A trace that was there from the beginning tells it; without that, a start that the store
   * rightly remembers would look like nobody's. So then nothing is judged, and who records is warned.
   */
  async #remember(): Promise<void> {
    const { file, storeHas } = this.#options;
    if (file !== undefined && this.#isContinued) return this.#read(file);
    if ((await storeHas()) === 'no history') return;
    this.#monitoring?.giveUp();
    const what = this.#monitoring === undefined ? 'the trace begins in the middle' : 'not monitored';
    this.#trouble(
      `${what}: the store has a history that is in no trace. Begin with a new store, and keep its trace`,
    );
  }

  /** The monitor learns what an earlier process has recorded. */
  async #read(file: string): Promise<void> {
    const monitoring = this.#monitoring;
    if (monitoring === undefined) return;
    try {
      for await (const entry of readTrace(file)) monitoring.remember(entry);
    } catch (error) {
      if (!(error instanceof TraceFileError)) throw error;
      monitoring.giveUp();
      this.#trouble(`not monitored: ${messageOf(error)}`);
    }
  }

  #trouble(message: string): void {
    this.#tell({ type: 'Trouble', at: this.#options.now(), message });
  }
}
