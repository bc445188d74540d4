/**
 * Faults planted one by one into the command line, `command()` and the texts that both write, and the test that finds each. What only root
 * could find (a file that belongs to another user) is not in this list.
 */
import type { PlantedFault } from '../planted-fault.ts';
import { PLAN_FAULTS } from './plan-faults.ts';

const errors = 'text/describe-error.test.ts';
const forged = 'a line of a log cannot be forged: line breaks, controls and bidi marks act on nothing';
const credential = (command: string): readonly [string, string] => [
  'cli/crontab.test.ts',
  `G5 no credential gets into the name: ${command}`,
];

export const CLI_FAULTS: readonly PlantedFault[] = [
  {
    name: 'an error is given to JSON as it is',
    file: 'cli/run/json-reporter.ts',
    find: "'error' in event ? { ...event, error: errorDocument(event.error) } : event",
    replace: 'event',
    foundBy: ['cli/run-errors.test.ts', 'G5 --json has one TaskRunFailed for each, and no secret'],
  },
  {
    name: 'a getter that throws is not guarded',
    file: 'text/describe-error.ts',
    find: 'return Reflect.get(value, key);\n  } catch {',
    replace: 'return Reflect.get(value, key);\n  } catch (error) {\n    throw error;',
    foundBy: [errors, 'an error whose getters throw: harmless, and at most 4 KB'],
  },
  {
    name: 'an address keeps its credentials',
    file: 'text/describe-error.ts',
    find: ".replace(CREDENTIALS, '$1***@')",
    replace: '',
    foundBy: [errors, 'G5 an address is shown without its credentials'],
  },
  {
    name: 'a text is cut before its credentials are taken out',
    file: 'text/describe-error.ts',
    find: '.slice(0, longest + ROOM)',
    replace: '.slice(0, longest)',
    foundBy: [errors, 'G5 an address is shown without its credentials'],
  },
  {
    name: 'the bound of a text counts characters',
    file: 'text/describe-error.ts',
    find: 'withinBytes(lines.join(',
    replace: '((text, most) => text.slice(0, most))(lines.join(',
    foundBy: [errors, 'a message of wide characters: harmless, and at most 4 KB'],
  },
  {
    name: 'the second line of a message is not indented',
    file: 'text/describe-error.ts',
    find: '...more.map((line) =>',
    replace: '...more, ...[].map((line) =>',
    foundBy: [errors, forged],
  },
  {
    name: 'an error is described again below itself',
    file: 'text/describe-error.ts',
    find: '(isObject(error) && seen.has(error))',
    replace: 'false',
    foundBy: [errors, 'an error that is its own cause is described once'],
  },
  {
    name: 'line separators are not spelt out',
    file: 'text/printable.ts',
    find: '/[\\p{C}\\p{Zl}\\p{Zp}]/gu',
    replace: '/\\p{C}/gu',
    foundBy: [errors, forged],
  },
  {
    name: 'JSON keeps the controls above U+007E',
    file: 'cli/run/json-reporter.ts',
    find: 'printableJson(JSON.stringify(line))',
    replace: 'JSON.stringify(line)',
    foundBy: [
      'cli/run-errors.test.ts',
      'JSON has no control that acts on a terminal, and still means the same',
    ],
  },
  {
    name: 'what a configuration throws is printed as it is',
    file: 'cli/cli.ts',
    find: 'printableLines(error.message)',
    replace: 'error.message',
    foundBy: ['cli/hostile-text.test.ts', 'the source of a syntax error'],
  },
  {
    name: 'the name before a line of a program is printed as it is',
    file: 'command/output.ts',
    find: 'printable(task)',
    replace: 'task',
    foundBy: ['cli/hostile-text.test.ts', 'the name before each line of a program, without the command line'],
  },
  {
    name: 'a program is read on while its listener has no room',
    file: 'command/program.ts',
    find: 'from.pause();',
    replace: '',
    foundBy: [
      'command/command.test.ts',
      'a listener that answers a promise holds the program back until it settles',
    ],
  },
  {
    name: 'a listener of the channel cannot hold a program',
    file: 'command/output.ts',
    find: 'holds.length === 0',
    replace: 'true',
    foundBy: ['command/command.test.ts', 'a listener of the channel holds the program back too'],
  },
  {
    name: 'the command line does not hold programs back',
    file: 'cli/run/capture.ts',
    find: 'if (room !== undefined) hold(room);',
    replace: '',
    foundBy: [
      'cli/capture.test.ts',
      'a program is held back until there is room, and not before it is needed',
    ],
  },
  {
    name: 'a reader that has stopped holds programs back for ever',
    file: 'cli/run/flow.ts',
    find: '    this.#room = Promise.withResolvers();\n    this.#wait(() => this.#lose());',
    replace: '    this.#room = Promise.withResolvers();',
    foundBy: [
      'cli/flow.test.ts',
      'loses lines if the reader has taken nothing for long, lets programs go on, and says how many it lost',
    ],
  },
  {
    name: 'a reader that is slow counts as one that has stopped',
    file: 'cli/run/flow.ts',
    find: 'else if (this.#room !== undefined) this.#wait(() => this.#lose());',
    replace: '',
    foundBy: ['cli/flow.test.ts', 'a reader that takes a little now and then is slow, and nothing is lost'],
  },
  {
    name: 'any amount may wait for the reader',
    file: 'cli/run/flow.ts',
    find: 'if (this.#waitingBytes > MOST_BYTES) this.#lose();',
    replace: '',
    foundBy: ['cli/flow.test.ts', 'keeps only so much, however fast a callback writes'],
  },
  {
    name: 'lines that were never written do not count as lost at the end',
    file: 'cli/run/flow.ts',
    find: 'this.#lostLines + this.#waitingLines',
    replace: 'this.#waitingLines',
    foundBy: [
      'cli/flow.test.ts',
      'is finished without a reader that has stopped, and says how many lines are lost',
    ],
  },
  {
    name: 'a reader that has gone is exit 0',
    file: 'cli/run/shutdown.ts',
    find: "this.#stop('unread')",
    replace: "this.#stop('asked')",
    foundBy: [
      'cli/run.test.ts',
      'when nothing reads the lines any more it stops in order, with 1 so that a supervisor starts it again',
    ],
  },
  {
    name: 'a process that has stopped waits for its reader',
    file: 'cli/run/log.ts',
    find: 'stdout.abandon?.();',
    replace: 'await new Promise((resolve) => setTimeout(resolve, 1000)); process.exit(9);',
    foundBy: ['cli/slow-reader.test.ts', 'does not keep run at SIGTERM'],
  },
  {
    name: 'a folder that its group may write is believed',
    file: 'command/memo.ts',
    find: 'WRITABLE_BY_OTHERS = 0o022',
    replace: 'WRITABLE_BY_OTHERS = 0o002',
    foundBy: [
      'command/trust.test.ts',
      'is refused if other users may write to it (770), and no process is ended for what it says',
    ],
  },
  {
    name: 'the folder of another user is believed',
    file: 'command/memo.ts',
    find: 'find(({ uid }) => !isOurs(uid))',
    replace: 'find(() => false)',
    foundBy: ['command/trust.test.ts', 'is refused if it belongs to another user'],
  },
  {
    name: 'leftovers are looked for before the folder is checked',
    file: 'command/memo.ts',
    find: 'await checkFolder(folder)\n    .then',
    replace: 'await Promise.resolve()\n    .then',
    foundBy: [
      'command/trust.test.ts',
      'is refused if other users may write to it (777), and no process is ended for what it says',
    ],
  },
  {
    name: 'the error of a start has the arguments of the program',
    file: 'command/program.ts',
    find: 'withoutArguments(error)',
    replace: 'error',
    foundBy: ['command/start-failure.test.ts', 'because its folder is not there'],
  },
  {
    name: 'the user of an address gets into a name',
    file: 'cli/crontab/names.ts',
    find: '(?:[^/?#]*@)?([\\p{L}\\p{N}.-]+)',
    replace: '([^/?#]+)',
    foundBy: credential('curl https://admin:hunter2@api.example.com/run'),
  },
  {
    name: "an option's value gets into a name",
    file: 'cli/crontab/names.ts',
    find: "!word.startsWith('-') && !isValue(index)",
    replace: "!word.startsWith('-')",
    foundBy: credential('npm --token hunter2 publish'),
  },
  {
    name: 'a quoted value is a word of its own',
    file: 'cli/crontab/names.ts',
    find: ")+`, 'gs'",
    replace: ")`, 'gs'",
    foundBy: credential('PASSWORD="hunter2" ./curl'),
  },
  {
    name: 'code of another language is read as shell',
    file: 'cli/crontab/names.ts',
    find: 'SHELL.test(interpreter) && ',
    replace: '',
    foundBy: credential(`python3 -c "login('hunter2')"`),
  },
  {
    name: 'a rejection of an async listener reaches the process',
    file: 'cli/run/guests.ts',
    find: 'Promise.resolve(answer).then(undefined, rejected);',
    replace: '{}',
    foundBy: [
      'cli/guests.test.ts',
      'G4 an async onEvent and an async trace that reject: the schedule goes on, and one line says that the trace has a hole',
    ],
  },
  ...PLAN_FAULTS,
];
