/** Faults of a cluster that show with operators, policies, outages, or in the merged trace. */
import type { PlantedFault } from '../../faults/fault.ts';
import { foundBy, keptWorld } from './cluster-faults.ts';

export const CONTROL_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K1 a start is granted while a run of the task is current',
    in: 'mayStart',
    find: '!isCurrent(record) &&',
    foundBy: [
      'store/cluster/decide.test.ts',
      'K2 a claim that takes a current run for one that was cut off is refused',
    ],
  },
  {
    name: 'K3 after an outage the first that is back declares the others dead',
    in: 'isSteady',
    find: 'member.steadySince + Math.max(member.leaseMs, other.leaseMs) <= now',
    replace: 'member.leaseMs + other.leaseMs > 0',
    foundBy,
  },
  {
    name: 'I1 an instance decides what it is asked for by what it knew',
    in: 'Operator.takeWaiting',
    find: 'stale.length === 0',
    replace: 'stale.length >= 0',
    foundBy: keptWorld(
      'a task was paused by one instance, and another one that was asked to let it go on did not know',
    ),
  },
  {
    name: 'I1 a request that an instance has taken and not heard of is not brought again',
    in: 'ClusterDatabase.takeRequests',
    find: 'each.takenBy === id || this.#isFor(me, each)',
    replace: 'each.takenBy !== id && this.#isFor(me, each)',
    foundBy: keptWorld('a request that an instance had taken, and whose answer was lost, waited for ever'),
  },
  {
    name: 'I1 a pause that is sent a second time counts a second time',
    in: 'ClusterDatabase.commit',
    find: 'this.#requests.has(request)',
    replace: "request !== ''",
    foundBy: keptWorld('a pause that was sent a second time undid what another instance had been asked for'),
  },
  {
    name: 'I3 a pause is reported before the store knows it',
    in: 'Pauses.pause',
    find: 'if (isShared) this.#pausing.set(id, pause);',
    replace: 'if (isShared && now < 0) this.#pausing.set(id, pause);',
    foundBy: keptWorld(
      'a pause that was not written yet when the task came due: another instance started it',
    ),
  },
  {
    name: 'I3 a task that another instance has let go on stays paused here',
    in: 'SharedView.isOthers',
    find: '|| this.#scheduler.tasks.isPaused(task)',
    foundBy: keptWorld('the only instance that is left was told of a pause, and not of its end'),
  },
  {
    name: 'H4 a due is said to be too old before the store was asked',
    in: 'Dues.lookForSkip',
    find: "known === 'here'",
    replace: 'now < 0',
    foundBy: [
      'scheduler/shared-skips.test.ts',
      'H4 K7 an instance says that a due is too old only where the store has it unserved',
    ],
  },
  {
    name: 'K9 a freeze moves what goes by the clock of the store',
    in: 'InstanceLines.take',
    find: 'const items = this.#itemsOf(entry)',
    replace:
      'for (const { kind, at } of this.#held) if (kind === "withheld") this.#last = Math.max(this.#last, at); const items = this.#itemsOf(entry)',
    foundBy: keptWorld(
      'a freeze, which goes by the clock of the host, moved the end after it: its retry seemed a millisecond early',
    ),
  },
  {
    name: 'K6 the first reading of the clock counts, however long it took',
    in: 'ServerClock.begin',
    find: 'this.#tripMs > STEP_MS',
    replace: 'this.#readings.length === 0',
    foundBy: keptWorld(
      'an instance that stood still while it read the clock for the first time was six seconds behind',
    ),
  },
  {
    name: 'K9 of two lists of the same moment the later one in the traces counts',
    in: 'ClusterList.store',
    find: 'known.epoch > epoch',
    replace: 'epoch < 0',
    foundBy: keptWorld('two lists of the same moment, in another order in the traces than in the store'),
  },
  {
    name: 'E8 an instance that has nothing to write does not tell that its heartbeats fail',
    in: 'TROUBLE',
    find: 'TROUBLE = 2',
    replace: 'TROUBLE = Infinity',
    foundBy: keptWorld(
      'an instance with nothing to write could not reach the database for a minute, and no trace said so',
    ),
  },
  {
    name: 'K9 a name that the store had forgotten goes on in the merged trace',
    in: 'OneScheduler.#joined',
    find: 'this.#beginAnew(added, epoch, item);',
    foundBy: keptWorld(
      'a name was forgotten with the end of its run, because the other instance that had it was dead, and no trace said so',
    ),
  },
  {
    name: 'K9 what an initialize says late of a name counts more than what a later one has brought',
    in: 'ClusterList.forget',
    find: 'known.epoch >= epoch',
    replace: 'epoch < 0',
    foundBy: [
      'trace/merge-told-twice.test.ts',
      'K5 K9 the answer to an initialize took long: what a later list has brought stays',
    ],
  },
  {
    name: 'K4 K9 an instance that is gone is a member again when the answer to its list comes',
    in: 'Instances.joined',
    find: "{ status = 'active' } = this.#byId.get(id) ?? {}",
    replace: "status = 'active'",
    foundBy: keptWorld(
      'the answer to a list came when its instance had been declared dead: the merged trace took it for a member again',
    ),
  },
  {
    name: 'I3 an answer is judged by when it is stored, and not by when it was decided',
    in: 'ControlRules.controlled',
    find: 'decidedAt - at',
    replace: 'now - at',
    foundBy: keptWorld(
      'an answer was right when it was decided, and stored when another instance had done the opposite',
    ),
  },
  {
    name: 'I3 K1 a task is let go on before its pause is durable',
    in: 'Operator.#takeIn',
    find: 'this.isTurning(request.task)',
    replace: 'this.#waiting.has(request.id)',
    foundBy: keptWorld(
      'a task was paused and let go on before the pause was durable: another instance, which knew of neither, started what was let pass',
    ),
  },
  {
    name: 'K3 a crash that did not happen is held against the others',
    in: 'World.#act',
    find: 'if (host.crash()) this.#recovery.died(action.host);',
    replace: 'this.#recovery.died(action.host); host.crash();',
    foundBy: keptWorld(
      'a crash that did not happen, because the host was taking a list: the book waited for a takeover',
    ),
  },
  {
    name: 'K4 K9 an instance that is gone lets a task go on, in the merged trace',
    in: 'OneScheduler.#record',
    find: 'if (this.#instances.isGone(instance)) return;',
    foundBy: keptWorld(
      'an instance that had been declared dead said that a task went on: the store never heard of that',
    ),
  },
];
