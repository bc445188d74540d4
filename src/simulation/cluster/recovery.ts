/** What a cluster must do in time: take over what a dead process left (K3), and owe nothing once the world has been calm for long. */
import { lastDue } from '../judges/calendar.ts';
import { policyOf } from '../judges/policies.ts';
import type { Blame } from '../judges/violations.ts';
import type { Timeline } from '../machine/timeline.ts';
import type { ClusterDatabase } from './database.ts';
import type { Host } from './host.ts';
import type { ClusterRules } from './rules.ts';

/** Dead instances are declared so by members that have held their lease for a lease; then the rest is a matter of seconds. */
const PROMPT_MS = 5000;

export interface RecoveryParts {
  readonly timeline: Timeline;
  readonly leaseMs: number;
  readonly database: ClusterDatabase;
  readonly rules: ClusterRules;
  readonly hosts: readonly Host[];
  readonly blame: Blame;
}

export class Recovery {
  readonly #parts: RecoveryParts;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** K3: what a process ran that has died goes on elsewhere within its lease and five seconds, if somebody can see to it all that time. */
  died(number: number): void {
    const { timeline, rules, leaseMs, hosts, blame } = this.#parts;
    const { passed: diedAt, now } = timeline;
    const running = rules
      .runsOf((instance) => instance.startsWith(`h${number}i`))
      .map((task) => ({ task, runId: rules.currentOf(task)?.runId }));
    timeline.plan(leaseMs + PROMPT_MS, () => {
      for (const { task, runId } of running) {
        const isThere = rules.currentOf(task)?.runId === runId || rules.orphaned.get(task) === runId;
        const able = hosts.findIndex(
          ({ isActive, tasks, disturbedAt }) =>
            isActive && tasks.some(({ name }) => name === task) && disturbedAt < diedAt - leaseMs,
        );
        if (isThere && !rules.controls.wasPaused(task, now) && able >= 0)
          blame(
            'K3',
            `host ${number} died ${leaseMs + PROMPT_MS} ms ago, and host ${able} has not started ${task} again, which ran there`,
          );
      }
    });
  }

  /** Every host that is wanted is active, every task that one has was started for its last due or runs, and every request is answered. */
  check(): void {
    const { hosts, rules, blame } = this.#parts;
    const wanted = hosts.filter(({ isWanted }) => isWanted);
    for (const host of wanted)
      if (!host.isActive) blame('L2', `host ${hosts.indexOf(host)} is not active in a healed world`);
    for (const name of new Set(wanted.flatMap(({ tasks }) => tasks.map((task) => task.name))))
      this.#served(name);
    if (wanted.length === 0) return;
    for (const { id, kind, task } of rules.controls.open.values())
      blame('I1', `the request ${id} to ${kind} ${task} was never answered`);
  }

  #served(name: string): void {
    const { database, timeline, blame } = this.#parts;
    const record = database.records.get(name);
    if (record === undefined) {
      blame('K5', `${name} is not stored, and a host has it`);
      return;
    }
    const { servedThrough, run, pausedAt } = record;
    if (pausedAt !== null) return;
    const due = lastDue(record, 'UTC', timeline.now - PROMPT_MS);
    if (run !== null && run.cutOffAt !== null)
      blame('K3', `the run ${run.runId} of ${name} was cut off and not started again`);
    // A due that is too old by now is not owed any more (H4).
    const { startWithinMs = Number.POSITIVE_INFINITY } = policyOf(record.policy);
    if (run === null && servedThrough < due && timeline.now - due <= startWithinMs)
      blame('K1', `the due of ${name} at ${new Date(due).toISOString()} was lost`);
  }
}
