/**
 * Says where a list of tasks is wrong: which task, which of its places, and what to write there. The errors of `initialize` keep the names and
 * messages of the specification, which say less, and have this as fields and in the first line of their stacks.
 */
import { callOfCron } from '../cron/rewrite.ts';
import {
  CronExpressionInvalidError,
  describeValue,
  NegativeRetryDelayError,
  placed,
  RegistrationError,
  RegistrationShapeError,
  ScheduleDuplicateTaskError,
  visible,
} from '../errors.ts';

/** Puts the place and the way out on an error about the entry at an index; `before` have passed. */
export const withPlace = (
  error: unknown,
  index: number,
  entry: unknown,
  before: ReadonlyArray<{ readonly name: string }>,
): unknown =>
  error instanceof RegistrationError ? placed(error, labelOf(index, entry), wayOutOf(error, before)) : error;

function labelOf(index: number, entry: unknown): string {
  const name = nameOf(entry);
  return `tasks[${index}]${typeof name === 'string' ? ` ("${visible(name, 40)}")` : ''}`;
}

function nameOf(entry: unknown): unknown {
  try {
    return Array.isArray(entry) ? entry[0] : Reflect.get(Object(entry), 'name');
  } catch {
    return undefined; // a getter of the user's
  }
}

function wayOutOf(
  error: RegistrationError,
  before: ReadonlyArray<{ readonly name: string }>,
): string | undefined {
  if (error instanceof RegistrationShapeError) return shapeProblem(error.received);
  if (error instanceof ScheduleDuplicateTaskError)
    return `tasks[${before.findIndex(({ name }) => name === error.taskName)}] has the same name: give each task its own`;
  if (error instanceof CronExpressionInvalidError) return wayOutOfCron(error.expression);
  if (error instanceof NegativeRetryDelayError)
    return `it is ${error.retryDelayMs} ms: write 0 or more, such as minutes(5)`;
  return undefined;
}

/** `cron()` understands more than the strings of a tuple. */
export function wayOutOfCron(expression: string): string | undefined {
  const call = callOfCron(expression);
  return call === undefined ? undefined : `${call} takes it as it is`;
}

/** The four places of a registration: what each is called, what it must be, and an example of it. */
const PLACES = [
  ['the name', 'string', 'a text'],
  ['the cron expression', 'string', 'a text, such as "0 3 * * *"'],
  ['the callback', 'function', 'a function, such as () => work() or command("./work.sh")'],
  ['the retry delay', undefined, 'a duration, such as minutes(5)'],
] as const;

/** Which place of a registration has the wrong shape, and what belongs there. */
function shapeProblem(received: unknown): string {
  if (!Array.isArray(received))
    return `this is ${describeValue(received)}, and must be task({ name, cron, run }) or a tuple of four`;
  if (received.length > PLACES.length) return `this has ${received.length} elements`;
  const index = PLACES.findIndex(
    ([, type], at) => at >= received.length || (type !== undefined && typeof received[at] !== type),
  );
  const [what, , should] = PLACES[index < 0 ? PLACES.length - 1 : index];
  if (index >= received.length) return `${what} is missing: ${should}`;
  return `${what} is ${describeValue(received[index < 0 ? PLACES.length - 1 : index])}, and must be ${should}`;
}
