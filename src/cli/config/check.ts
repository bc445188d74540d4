/** What a configuration exports, field by field: what is wrong about it, where, and what to write instead. */
import { type Config, checkTasks as checkAsInitialize, optionProblem, optionWay } from '../../config.ts';
import { describeValue as kindOf, visible } from '../../errors.ts';
import { CliError } from '../errors.ts';
import { messageOf, printable } from '../terminal/text.ts';

type Check = (value: unknown) => string | undefined;

/** The check that `createScheduler` makes. */
const asOption =
  (name: Parameters<typeof optionProblem>[0]): Check =>
  (value) =>
    optionProblem(name, value);

/** Each field, and what is wrong about a value of it. */
const fields: Readonly<Record<keyof Config, Check>> = {
  tasks: (value) =>
    Array.isArray(value) ? undefined : 'must be a list of [name, cron, callback, retryDelay]',
  store: (value) =>
    typeof value === 'string' || typeof Reflect.get(Object(value), 'open') === 'function'
      ? undefined
      : 'must be a store, such as sqlite("obbligato.db"), or the path of a file, or "memory:"',
  timeZone: (value) => {
    try {
      return optionProblem('timeZone', value);
    } catch (error) {
      return `is no time zone: ${messageOf(error)}`;
    }
  },
  workers: asOption('workers'),
  onEvent: asOption('onEvent'),
  trace: asOption('trace'),
  logger: asOption('logger'),
  lockWait: asOption('lockWait'),
  finalWrite: asOption('finalWrite'),
  lateAfter: asOption('lateAfter'),
  history: asOption('history'),
  recordErrors: asOption('recordErrors'),
  guardRemovals: asOption('guardRemovals'),
};

/** A copy, so that what was checked is what is used: a field may be a getter. Whatever one throws is thrown as it is. */
export function checkedConfig(exported: unknown, path: string): Config {
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) {
    throw new CliError(
      'bad configuration',
      `${printable(path)} exports ${kindOf(exported)} by default, not a configuration: write "export default defineConfig({ tasks: […] })"`,
    );
  }
  const names = new Set([...Object.keys(fields), ...Object.keys(exported)]);
  const copy = Object.fromEntries(
    [...names]
      .map((name): [string, unknown] => [name, Reflect.get(exported, name)])
      .filter(([, value]) => value !== undefined),
  );
  checkConfig(copy, path);
  return copy;
}

function checkConfig(value: object, path: string): asserts value is Config {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue;
    const known = Object.keys(fields);
    const way = optionWay(name, known);
    throw new CliError(
      'bad configuration',
      `${printable(path)}: there is no field "${visible(name, 40)}"${way === undefined ? `; there are ${known.join(', ')}` : `: ${way}`}`,
    );
  }
  for (const [name, check] of Object.entries(fields)) {
    const field: unknown = Reflect.get(value, name);
    if (field === undefined && name !== 'tasks') continue;
    const problem = check(field);
    if (problem !== undefined)
      throw new CliError('bad configuration', `${printable(path)}: "${name}" ${problem}`);
  }
  checkTasks(Reflect.get(value, 'tasks'), path);
}

/** The same check as `initialize` makes. */
function checkTasks(tasks: readonly unknown[], path: string): void {
  try {
    checkAsInitialize(tasks);
  } catch (error) {
    throw new CliError('bad configuration', `${printable(path)}: ${messageOf(error)}`, error);
  }
}
