/** What `task` makes: a registration with a policy. Only that function makes one, so whatever is one has been checked (H1). */
import type { Policy } from './policy.ts';

export class TaskObject {
  readonly name: string;
  readonly cron: string;
  readonly run: (context: never) => unknown;
  readonly retryDelayMs: number;
  readonly policy: Policy;

  constructor(fields: TaskFields) {
    this.name = fields.name;
    this.cron = fields.cron;
    this.run = fields.run;
    this.retryDelayMs = fields.retryDelayMs;
    this.policy = fields.policy;
    Object.freeze(this);
  }
}

export interface TaskFields {
  readonly name: string;
  readonly cron: string;
  readonly run: (context: never) => unknown;
  readonly retryDelayMs: number;
  readonly policy: Policy;
}
