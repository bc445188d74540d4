/** The policies of tasks (H), as the judges read them. */
import type { TaskRecord } from '../../core/record.ts';
import type { EndChange } from '../../store/port.ts';
import type { TracedPolicy } from '../../trace/record.ts';

/** What of a record decides how its task is retried. */
type Retried = Pick<TaskRecord, 'retryDelayMs' | 'policy' | 'work'>;

const NONE: TracedPolicy = {};
const policies = new Map<string, TracedPolicy>();

/** The policy of a stored text. */
export function policyOf(text: string | null): TracedPolicy {
  if (text === null) return NONE;
  let policy = policies.get(text);
  if (policy === undefined) {
    policy = JSON.parse(text) as TracedPolicy;
    policies.set(text, policy);
  }
  return policy;
}

/** The text of a policy: its values under names in order, and `null` if it says nothing. */
export function policyText(policy: TracedPolicy = NONE): string | null {
  const text = JSON.stringify(policy, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return text === '{}' ? null : text;
}

/** How long after its failure the work of a task is tried again (H2). */
export function delayOf({ retryDelayMs, policy, work }: Retried): number {
  const { backoff = 1, maxDelayMs = Number.POSITIVE_INFINITY } = policyOf(policy).retry ?? {};
  return Math.min(Math.round(retryDelayMs * backoff ** ((work?.attempt ?? 1) - 1)), maxDelayMs);
}

/** How a failure counts: the last attempt that a policy allows is given up (H2). Cancelled work is over anyway (I4). */
export function failedAs(outcome: EndChange['outcome'], { policy, work }: Retried): EndChange['outcome'] {
  const { max = Number.POSITIVE_INFINITY } = policyOf(policy).retry ?? {};
  return outcome !== 'cancelled' && (work?.attempt ?? 1) >= max ? 'gave up' : outcome;
}
