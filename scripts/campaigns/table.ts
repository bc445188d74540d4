/** All campaigns, in the order in which they are listed and played. */
import { attacks } from './attacks.ts';
import type { Campaign } from './campaign.ts';
import { cluster, crash, pgbouncer } from './kills.ts';
import {
  clusterModel,
  contradictions,
  executorModel,
  exploration,
  reference,
  transitions,
} from './models.ts';
import { newcomer } from './newcomer.ts';
import { processes } from './processes.ts';
import { vectors } from './vectors.ts';
import { clusterWorlds, worlds } from './worlds.ts';

export const CAMPAIGNS: readonly Campaign[] = [
  crash,
  cluster,
  ...attacks,
  worlds,
  clusterWorlds,
  executorModel,
  clusterModel,
  contradictions,
  exploration,
  reference,
  transitions,
  vectors,
  pgbouncer,
  ...processes,
  newcomer,
];
