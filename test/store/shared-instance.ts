/** A session of one of several instances, as the shared conformance uses it. */
import assert from 'node:assert/strict';
import type { TaskRecord } from '../../src/core/record.ts';
import { newRecord, startOf, successOf } from '../../src/store/conformance-kit.ts';
import type {
  EndChange,
  MoveChange,
  SharedSession,
  StartChange,
  Store,
  StoreSession,
} from '../../src/store/port.ts';

export class Instance {
  readonly id: string;
  readonly session: StoreSession;
  readonly sharing: SharedSession;

  private constructor(id: string, session: StoreSession, sharing: SharedSession) {
    this.id = id;
    this.session = session;
    this.sharing = sharing;
  }

  static async join(store: Store, id: string): Promise<Instance> {
    const session = await store.open({
      waitMs: 0,
      sharing: {
        instanceId: id,
        monotonic: () => performance.now(),
        now: () => Date.now(),
        onNews() {},
      },
    });
    assert.ok(session.sharing, 'the session is shared');
    return new Instance(id, session, session.sharing);
  }

  /** Takes a list over, as an initialize does; answers which names were to be removed and stay. */
  async initialize(names: readonly string[], removes: readonly string[] = []): Promise<readonly string[]> {
    const known = new Set((await this.#read()).map(({ name }) => name));
    const puts = names.filter((name) => !known.has(name)).map((name) => newRecord(name));
    const written = await this.sharing.initialize({ puts, removes }, names);
    assert.ok(written !== 'stale', 'it was planned from the last records');
    assert.ok(written.held, 'a store that is shared says which names stay');
    return written.held;
  }

  async #read(): Promise<readonly TaskRecord[]> {
    const records: TaskRecord[] = [];
    for await (const page of this.session.readPages?.() ?? [await this.session.read()])
      for (const record of page) records.push(record as TaskRecord); // nothing but the suite has written them
    return records;
  }

  async record(name: string): Promise<TaskRecord> {
    const record = (await this.#read()).find((each) => each.name === name);
    assert.ok(record, `${name} is stored`);
    return record;
  }

  #run(attempt: number): string {
    return `${this.id}-${attempt}`;
  }

  claim(record: TaskRecord, attempt = 1): StartChange {
    const { name, work, run } = startOf(record.name, attempt);
    const runId = this.#run(attempt);
    const claimed = { ...run, runId, instanceId: this.id, startedAt: Date.now() };
    return { name, work, run: claimed, version: record.version };
  }

  move({ name, version, pendingRetryUntil }: TaskRecord, servedThrough: number): MoveChange {
    return { name, version, servedThrough, pendingRetryUntil };
  }

  end(name: string, attempt = 1): EndChange {
    return { ...successOf(name, attempt), runId: this.#run(attempt), instanceId: this.id };
  }

  /** What of a batch of one start is refused. */
  async start(start: StartChange): Promise<TaskRecord | 'granted'> {
    const { refused } = await this.session.commit({ starts: [start] });
    if (refused.length === 0) return 'granted';
    assert.ok(refused[0].record, 'a refused claim brings the record');
    return refused[0].record;
  }
}
