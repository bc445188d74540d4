/** The text of a configuration: TypeScript that a person will read, keep and change. */
import { counted } from '../terminal/text.ts';
import type { Conversion, ImportedTask, Item } from './convert.ts';

export interface WriteOptions {
  /** Where it came from, for the first line. */
  readonly source: string;
  /** How long after a failure to try again; undefined for never, as cron does. */
  readonly retryMinutes: number | undefined;
}

export function configText(conversion: Conversion, { source, retryMinutes }: WriteOptions): string {
  const environments = new Environments(conversion.tasks);
  const lines = [
    `// From ${oneLine(source)}, by "obbligato import".`,
    '//',
    '// Unlike cron, the scheduler starts a task once for what it missed while it was down, and never twice at once.',
    '// Commands run in the directory and with the environment of the scheduler.',
    `import { command, defineConfig, ${retryMinutes === undefined ? '' : 'minutes, '}task } from ${quote('obbligato')};`,
    '',
    ...settings(retryMinutes),
    '',
    ...environments.declarations(),
    'export default defineConfig({',
    ...(conversion.timeZone === undefined ? [] : [`  timeZone: ${quote(conversion.timeZone)},`]),
    '  tasks: [',
    ...trimBlanks(conversion.items).flatMap((item) => linesOf(item, environments)),
    '  ],',
    '});',
  ];
  return `${lines.join('\n')}\n`;
}

const SETTINGS = 'asCron';

/** What all tasks share. */
function settings(retryMinutes: number | undefined): string[] {
  const retry = retryMinutes === undefined ? 'false' : `{ delay: minutes(${retryMinutes}) }`;
  const tried =
    retryMinutes === undefined
      ? 'A run that fails is not tried again, as in cron.'
      : `A run that fails is tried again after ${counted(retryMinutes, 'minute')}, until it succeeds or is due again.`;
  return [
    `/** ${tried} A change of the clock neither skips nor doubles a time of day. */`,
    `const ${SETTINGS} = { retry: ${retry}, clockChanges: 'once' } as const;`,
  ];
}

function linesOf(item: Item, environments: Environments): string[] {
  switch (item.kind) {
    case 'blank':
      return [''];
    case 'comment':
      return [`    // ${oneLine(item.text)}`.trimEnd()];
    case 'left out':
      return [
        `    // LEFT OUT, line ${item.line}: ${oneLine(item.reason)}`,
        `    //   ${oneLine(item.text)}`,
      ];
    case 'task': {
      const { name, cron, command, user, timeZone } = item;
      const options = optionsOf(item, environments);
      const call = `command(${quote(command)}${options === '' ? '' : `, ${options}`})`;
      const zone = timeZone === undefined ? '' : `, timeZone: ${quote(timeZone)}`;
      const task = `    task({ name: ${quote(name)}, cron: ${quote(cron)}${zone}, run: ${call}, ...${SETTINGS} }),`;
      return user === undefined ? [task] : [`    // as user ${oneLine(user)}`, task];
    }
  }
}

function optionsOf(task: ImportedTask, environments: Environments): string {
  const { stdin, surroundings } = task;
  const env = environments.nameOf(surroundings.env);
  const options = [
    ...(env === undefined ? [] : [env === 'env' ? 'env' : `env: ${env}`]),
    ...(surroundings.cwd === undefined ? [] : [`cwd: ${quote(surroundings.cwd)}`]),
    ...(surroundings.shell === undefined ? [] : [`shell: ${quote(surroundings.shell)}`]),
    ...(stdin === undefined ? [] : [`stdin: ${quote(stdin)}`]),
  ];
  return options.length === 0 ? '' : `{ ${options.join(', ')} }`;
}

/** The different environments of the tasks, each declared once: `env`, `env2`, … */
class Environments {
  readonly #names = new Map<string, string>();

  constructor(tasks: readonly ImportedTask[]) {
    for (const { surroundings } of tasks) {
      const literal = literalOf(surroundings.env);
      if (literal === undefined || this.#names.has(literal)) continue;
      this.#names.set(literal, this.#names.size === 0 ? 'env' : `env${this.#names.size + 1}`);
    }
  }

  nameOf(env: ReadonlyMap<string, string>): string | undefined {
    const literal = literalOf(env);
    return literal === undefined ? undefined : this.#names.get(literal);
  }

  declarations(): string[] {
    const declared = [...this.#names].map(([literal, name]) => `const ${name} = ${literal};`);
    return declared.length === 0 ? [] : [...declared, ''];
  }
}

function literalOf(env: ReadonlyMap<string, string>): string | undefined {
  if (env.size === 0) return undefined;
  const fields = [...env].map(
    ([name, value]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quote(name)}: ${quote(value)}`,
  );
  return `{ ${fields.join(', ')} }`;
}

/** No blank lines at the ends, and no two of them together: lines that have gone elsewhere leave gaps behind. */
function trimBlanks(items: readonly Item[]): Item[] {
  const kept = items.filter(
    ({ kind }, index) => kind !== 'blank' || (index > 0 && items[index - 1].kind !== 'blank'),
  );
  while (kept[0]?.kind === 'blank') kept.shift();
  while (kept.at(-1)?.kind === 'blank') kept.pop();
  return kept;
}

/** A string of TypeScript, in single quotes unless there are some in it and no double ones. */
export function quote(text: string): string {
  const doubled = JSON.stringify(text).replace(
    /[\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16)}`,
  );
  if (text.includes("'") && !text.includes('"')) return doubled;
  return `'${doubled.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Fit for a line comment: nothing in it ends the line. */
const oneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
