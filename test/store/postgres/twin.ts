/** A cluster twice: in a real database, by the statements that ship, and in memory, by the decisions that they are tested against. */
import assert from 'node:assert/strict';
import pg from 'pg';
import type { TaskRecord } from '../../../src/core/record.ts';
import { type ClusterBatch, commit } from '../../../src/store/cluster/decide.ts';
import * as decided from '../../../src/store/cluster/members.ts';
import { after, type Changed, type Cluster, EMPTY } from '../../../src/store/cluster/rows.ts';
import type { EndChange, Refusal } from '../../../src/store/port.ts';
import { Absent, Late, overlaps, refusedOf, writeRuns } from '../../../src/store/postgres/commit.ts';
import { completeRun } from '../../../src/store/postgres/complete.ts';
import { Database } from '../../../src/store/postgres/database.ts';
import { Dictionary } from '../../../src/store/postgres/dictionary.ts';
import { beat, declareDead, join, leave } from '../../../src/store/postgres/members.ts';
import { labelsIn, namesIn } from '../../../src/store/postgres/mentioned.ts';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { isPlan, writePlan } from '../../../src/store/postgres/plan.ts';
import { recordsOf, selectRecords } from '../../../src/store/postgres/records.ts';
import type { Scope } from '../../../src/store/postgres/run-statements.ts';
import { targetOf } from '../../../src/store/postgres/target.ts';
import { bytesOfHex, textOf } from '../../../src/store/postgres/texts.ts';
import { bounded } from '../../patience.ts';

/** So long that only what the test does ends a lease. */
const LEASE_MS = 3_600_000;

/** One instance has a longer lease than the others. */
const leaseOf = (id: string): number => (id === 'c' ? 4 * LEASE_MS : LEASE_MS);

/** The instance that wants no other next to it. */
export const ALONE = 'alone';

/** What was refused, and which names were to be removed and stay. */
const inWords = (refused: readonly Refusal[], held: readonly string[] = []): string =>
  [
    ...refused.map(({ change, name, missing }) => `${change} ${name}${missing ? ' missing' : ''}`),
    ...held.map((name) => `held ${name}`),
  ]
    .sort()
    .join();

export class Twin {
  cluster: Cluster = EMPTY;
  readonly #database: Database;
  readonly #schema: string;
  readonly #url: string;
  readonly #scopes = new Map<string, Scope>();
  #past = 0;

  private constructor(url: string, schema: string) {
    this.#database = new Database(targetOf(url, schema));
    this.#schema = `"${schema}"`;
    this.#url = url;
  }

  static async begin(url: string, schema: string): Promise<Twin> {
    const twin = new Twin(url, schema);
    twin.#database.use();
    await migrate(twin.#database, twin.#schema, true);
    return twin;
  }

  async end(): Promise<void> {
    await this.#database.ask(`DROP SCHEMA ${this.#schema} CASCADE`);
    const done = this.#database.use();
    await done();
  }

  async #scopeOf(id: string): Promise<Scope> {
    const known = this.#scopes.get(id);
    if (known !== undefined) return known;
    const schema = this.#schema;
    const [names, labels] = [new Dictionary(schema, 'name'), new Dictionary(schema, 'label')];
    await labels.find(this.#database.ask, [id], 'make');
    const scope = { schema, names, labels, me: labels.id(id), isAlone: id === ALONE, keepsHistory: true };
    this.#scopes.set(id, scope);
    return scope;
  }

  async join(id: string): Promise<void> {
    const scope = await this.#scopeOf(id);
    const { isAlone } = scope;
    const inTheWay = await join(this.#database, scope, { leaseMs: leaseOf(id), host: 'host', pid: 1 });
    const answer = decided.join(this.cluster, { id, leaseMs: leaseOf(id), isAlone }, Date.now());
    assert.equal(inTheWay === undefined, 'gone' in answer, `whether ${id} joins`);
    if ('gone' in answer) this.#stepped(answer, answer.past.length);
  }

  async renew(id: string): Promise<void> {
    const beaten = await beat(this.#database.ask, await this.#scopeOf(id));
    const changed = decided.renew(this.cluster, id, Date.now());
    assert.equal(beaten === undefined, changed === undefined, `whether ${id} is absent`);
    if (changed !== undefined) this.#stepped(changed, 0);
  }

  /** The lease of an instance is over; or it has held it for long. */
  async age(id: string, how: 'lapsed' | 'steady'): Promise<void> {
    const member = this.cluster.members.get(id);
    const { me } = await this.#scopeOf(id);
    const column = how === 'lapsed' ? 'lease_until' : 'steady_since';
    const byMs = how === 'lapsed' ? 1000 : 2 * LEASE_MS;
    await this.#database.ask(
      `UPDATE ${this.#schema}.member SET ${column} = clock_timestamp() - $2::bigint * interval '1 ms' WHERE id = $1::int`,
      [me, byMs],
    );
    const aged = how === 'lapsed' ? { leaseUntil: Date.now() - byMs } : { steadySince: Date.now() - byMs };
    if (member !== undefined) this.#stepped({ members: new Map([[id, { ...member, ...aged }]]) }, 0);
  }

  async declareDead(by: string): Promise<void> {
    const dead = await declareDead(this.#database, await this.#scopeOf(by));
    const answer = decided.declareDead(this.cluster, by, Date.now());
    assert.deepEqual([...dead].sort(), [...answer.gone].sort(), `whom ${by} declares dead`);
    this.#stepped(answer, answer.past.length);
  }

  /** What is to be cut off is held by a transaction: nobody is declared dead, and it does not take long to find out. */
  async declaresNobody(by: string): Promise<void> {
    assert.deepEqual(await bounded('an answer', declareDead(this.#database, await this.#scopeOf(by))), []);
  }

  async leave(id: string): Promise<void> {
    await leave(this.#database, await this.#scopeOf(id));
    const answer = decided.leave(this.cluster, id, Date.now());
    this.#stepped(answer, answer.past.length);
  }

  /** Answers why nothing was done, or what was refused. */
  async commit(id: string, batch: ClusterBatch): Promise<string> {
    const scope = await this.#scopeOf(id);
    const answer = commit(this.cluster, id, batch, Date.now());
    const expected = 'why' in answer ? answer.why : inWords(answer.refused, answer.held);
    assert.equal(await this.#write(scope, batch, 'why' in answer ? undefined : answer.known), expected);
    if (!('why' in answer)) this.#stepped(answer, answer.past.length);
    return expected;
  }

  /**
   * An instance completes a run in a transaction of the user (K8), which then ends as asked. `meanwhile` happens while it is open.
   * Answers what was decided.
   */
  async complete(
    id: string,
    end: EndChange,
    ending: 'COMMIT' | 'ROLLBACK',
    meanwhile: () => Promise<void> = async () => {},
  ): Promise<boolean> {
    const scope = await this.#scopeOf(id);
    const { ask } = this.#database;
    await scope.names.find(ask, [end.name], 'make');
    await scope.labels.find(ask, labelsIn({ ends: [end] }), 'make');
    const record = this.cluster.records.get(end.name);
    // What the row of the instance adds for other ends, the row of the task does here: a run of an absent instance is cut off.
    const answer = commit(this.cluster, id, { ends: [end], epoch: this.cluster.epoch }, Date.now());
    const isExpected = !('why' in answer) && answer.refused.length === 0;
    const client = new pg.Client(this.#url);
    await client.connect();
    try {
      await client.query('BEGIN');
      const isGranted = await completeRun(client, scope, end, () => {});
      assert.equal(
        isGranted,
        isExpected,
        `whether ${id} completes ${end.name}, whose run is ${record?.run?.runId}`,
      );
      await meanwhile();
      await client.query(ending);
    } finally {
      await client.end();
    }
    if (ending === 'COMMIT' && !('why' in answer)) this.#stepped(answer, answer.past.length);
    return isExpected;
  }

  async #write(scope: Scope, batch: ClusterBatch, known?: number): Promise<string> {
    const { ask } = this.#database;
    const { sent = 0 } = batch;
    const list = batch.list === undefined ? [] : [...batch.list];
    await scope.names.find(
      ask,
      [...namesIn(batch), ...list, ...Array.from(batch.puts ?? [], ({ name }) => name)],
      'make',
    );
    await scope.labels.find(ask, labelsIn(batch), 'make');
    try {
      if (batch.list !== undefined || isPlan(batch) || overlaps(batch, scope)) {
        const planned = { path: 'twin', batch, epoch: batch.epoch, sent, ...(batch.list && { list }) };
        const written = await this.#database.transaction((within) => writePlan(within, scope, planned));
        if (written === 'stale') return 'stale';
        assert.equal(written.epoch, known, 'the epoch that the instance knows after it');
        return inWords(written.refused, written.held);
      }
      return inWords(
        await refusedOf(ask, scope, batch, await writeRuns(ask, scope, { batch, epoch: batch.epoch, sent })),
      );
    } catch (error) {
      if (error instanceof Absent) return 'fenced';
      if (error instanceof Late) return 'late';
      throw error;
    }
  }

  #stepped(step: Changed, past: number): void {
    this.cluster = after(this.cluster, step);
    this.#past += past;
  }

  /** Fails unless both are the same. When a run was cut off is the database's to say. */
  async compare(): Promise<void> {
    const { ask } = this.#database;
    const scope = await this.#scopeOf('looker');
    const records = await recordsOf(ask, await ask(selectRecords(this.#schema)), scope);
    const stored = new Map(records.map((record) => [record.name, record]));
    const records2 = new Map<string, TaskRecord>();
    for (const [name, record] of this.cluster.records) {
      const cutOffAt =
        record.run?.cutOffAt == null ? null : (stored.get(name)?.run?.cutOffAt ?? record.run.cutOffAt);
      records2.set(name, record.run === null ? record : { ...record, run: { ...record.run, cutOffAt } });
    }
    this.cluster = { ...this.cluster, records: records2 };
    assert.deepEqual(new Map([...stored].sort()), new Map([...records2].sort()));
    const [[epoch, past]] = await ask(
      `SELECT (SELECT epoch FROM ${this.#schema}.meta), (SELECT count(*) FROM ${this.#schema}.run)`,
    );
    assert.equal(Number(epoch), this.cluster.epoch, 'the epoch');
    assert.equal(Number(past), this.#past, 'rows of the history');
    const sent = await ask(
      `SELECT l.label, m.last_sent FROM ${this.#schema}.member m JOIN ${this.#schema}.label l ON l.id = m.id`,
    );
    const numbers = sent.map(([label, last]) => `${textOf(bytesOfHex(label ?? ''))} ${last}`).sort();
    const decidedNumbers = [...this.cluster.members.values()].map(({ id, lastSent }) => `${id} ${lastSent}`);
    assert.deepEqual(numbers, decidedNumbers.sort(), 'the numbers of the last requests');
  }
}
