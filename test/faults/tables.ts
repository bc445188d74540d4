/** Every table of planted faults, and the test file that plays it. */
import { CLI_FAULTS } from '../cli/cli-faults.ts';
import { STUCK_WORLD } from '../cli/stuck-world.ts';
import { POSTGRES_FAULTS } from '../cluster/postgres-faults.ts';
import { CRON_FAULTS } from '../cron/cron-faults.ts';
import { DASHBOARD_FAULTS } from '../dashboard/dashboard-faults.ts';
import { EXECUTOR_FAULTS } from '../executor/executor-faults.ts';
import { SCHEDULER_FAULTS } from '../scheduler/scheduler-faults.ts';
import { SHARED_FAULTS } from '../simulation/cluster/faults.ts';
import { MUTANTS } from '../simulation/mutants.ts';
import { STORE_MUTANTS } from '../store/store-mutants.ts';
import { TELEMETRY_FAULTS } from '../telemetry/telemetry-faults.ts';
import { PROOF_FAULTS } from '../theory/proof/faults.ts';
import { WRONG_SCHEDULERS } from '../theory/wrong-schedulers.ts';
import type { Fault, PlantedFault } from './fault.ts';

interface Table {
  readonly playedBy: string;
  readonly faults: readonly (Fault | PlantedFault)[];
}

export const TABLES: readonly Table[] = [
  { playedBy: 'test/cli/cli-faults.test.ts', faults: CLI_FAULTS },
  { playedBy: 'test/cli/simulate.test.ts', faults: [STUCK_WORLD] },
  { playedBy: 'test/cluster/postgres-faults.test.ts', faults: POSTGRES_FAULTS },
  { playedBy: 'test/cron/cron-faults.test.ts', faults: CRON_FAULTS },
  { playedBy: 'test/dashboard/dashboard-faults.test.ts', faults: DASHBOARD_FAULTS },
  { playedBy: 'test/executor/executor-faults.test.ts', faults: EXECUTOR_FAULTS },
  { playedBy: 'test/scheduler/scheduler-faults.test.ts', faults: SCHEDULER_FAULTS },
  { playedBy: 'test/simulation/cluster/faults.test.ts', faults: SHARED_FAULTS },
  { playedBy: 'test/simulation/mutants.test.ts', faults: MUTANTS },
  { playedBy: 'test/store/store-mutants.test.ts', faults: STORE_MUTANTS },
  { playedBy: 'test/telemetry/telemetry-faults.test.ts', faults: TELEMETRY_FAULTS },
  { playedBy: 'test/theory/proof.test.ts', faults: PROOF_FAULTS },
  { playedBy: 'test/theory/scheduler-mutants.test.ts', faults: WRONG_SCHEDULERS },
];
