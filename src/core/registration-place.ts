/**
 * Where a list of tasks is wrong, in words: which task, which of its places, and what to write there. The errors of `initialize` keep the names and
 * messages of the specification, which say less; this is the last of their causes.
 */
import { callOfCron } from '../cron/rewrite.ts';
import {
  CronExpressionInvalidError,
  describeValue,
  InvalidRegistrationError,
  NegativeRetryDelayError,
  ObbligatoError,
  RegistrationShapeError,
  ScheduleDuplicateTaskError,
  visible,
} from '../errors.ts';

/** Puts the place under an error about the entry at an index; `before` have passed. What the user's own code threw is left as it is. */
export function withPlace(
  error: unknown,
  index: number,
  entry: unknown,
  before: ReadonlyArray<{ readonly name: string }>,
): unknown {
  const problem = problemOf(error, before);
  let last: unknown = error;
  while (last instanceof ObbligatoError && last.cause !== undefined) last = last.cause;
  if (problem === undefined || !(last instanceof ObbligatoError)) return error;
  const cause = new Error(`${labelOf(index, entry)}: ${problem}`);
  // Where it was made says nothing: the error itself has that.
  cause.stack = `Error: ${cause.message}`;
  put(last, 'cause', cause);
  // The details have it too (G1), but not among the names that the specification lists.
  const details = { ...last.details };
  put(details, 'cause', cause);
  put(last, 'details', Object.freeze(details), 'enumerable');
  return error;
}

const put = (target: object, name: string, value: unknown, shown?: 'enumerable'): unknown =>
  Object.defineProperty(target, name, {
    value,
    enumerable: shown !== undefined,
    configurable: true,
    writable: true,
  });

function labelOf(index: number, entry: unknown): string {
  const name: unknown = Array.isArray(entry) ? entry[0] : Reflect.get(Object(entry), 'name');
  return `tasks[${index}]${typeof name === 'string' ? ` ("${visible(name, 40)}")` : ''}`;
}

function problemOf(error: unknown, before: ReadonlyArray<{ readonly name: string }>): string | undefined {
  if (error instanceof RegistrationShapeError) return shapeProblem(error.received);
  if (error instanceof InvalidRegistrationError)
    return `${error.field === 'name' ? 'the name' : 'the retry delay'} ${error.reason}`;
  if (error instanceof ScheduleDuplicateTaskError)
    return `tasks[${before.findIndex(({ name }) => name === error.taskName)}] has the same name: give each task its own`;
  if (error instanceof CronExpressionInvalidError) {
    const call = callOfCron(error.expression);
    const orCall = call === undefined ? '' : `, or ${call}`;
    return `the cron expression "${visible(error.expression, 60)}": ${error.field} field ${error.reason}${orCall}`;
  }
  if (error instanceof NegativeRetryDelayError)
    return `the retry delay is ${error.retryDelayMs} ms, and must be 0 or more, such as minutes(5)`;
  return undefined;
}

/** The four places of a registration: what each is called, what it must be, and an example of it. */
const PLACES = [
  ['the name', 'string', 'a text'],
  ['the cron expression', 'string', 'a text, such as "0 3 * * *"'],
  ['the callback', 'function', 'a function, such as () => work() or command("./work.sh")'],
  ['the retry delay', undefined, 'a duration, such as minutes(5)'],
] as const;

/** Which place of a registration has the wrong shape, and what belongs there. */
export function shapeProblem(received: unknown): string {
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
