/**
 * Faults planted one by one into the command line, `command()` and the texts that both write, and the test that finds each. What only root
 * could find (a file that belongs to another user) is not in this list.
 */
import type { PlantedFault } from '../faults/fault.ts';
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
    in: 'JsonReporter.event',
    find: "'error' in event ? { ...event, error: errorDocument(event.error) } :",
    foundBy: ['cli/run-errors.test.ts', 'G5 --json has one TaskRunFailed for each, and no secret'],
  },
  {
    name: 'a getter that throws is not guarded',
    in: 'read',
    find: 'return Reflect.get(value, key); } catch {',
    replace: 'return Reflect.get(value, key); } catch (error) { throw error;',
    foundBy: [errors, 'an error whose getters throw: harmless, and at most 4 KB'],
  },
  {
    name: 'an address keeps its credentials',
    in: 'clean',
    find: 'SECRETS.reduce((shown, [secret, instead]) => shown.replace(secret, instead), plain)',
    replace: 'plain',
    foundBy: [errors, 'G5 an address is shown without its credentials'],
  },
  {
    name: 'a secret without an address is no secret',
    in: 'SIMPLE',
    find: ' -<>?A-~',
    replace: ' -?A-~',
    foundBy: [errors, 'G5 a secret is shown in no form of a connection string, a header or an assignment'],
  },
  {
    name: 'a text is cut before its credentials are taken out',
    in: 'clean',
    find: '.slice(0, longest + ROOM)',
    replace: '.slice(0, longest)',
    foundBy: [errors, 'G5 an address is shown without its credentials'],
  },
  {
    name: 'the bound of a text counts characters',
    in: 'describeError',
    find: 'withinBytes(lines.join(',
    replace: '((text, most) => text.slice(0, most))(lines.join(',
    foundBy: [errors, 'a message of wide characters: harmless, and at most 4 KB'],
  },
  {
    name: 'the second line of a message is not indented',
    in: 'describeInto',
    find: '...more.map((line) =>',
    replace: '...more, ...[].map((line) =>',
    foundBy: [errors, forged],
  },
  {
    name: 'an error is described again below itself',
    in: 'describeInto',
    find: '(isObject(error) && seen.has(error))',
    replace: 'false',
    foundBy: [errors, 'an error that is its own cause is described once'],
  },
  {
    name: 'line separators are not spelt out',
    in: 'UNSAFE',
    find: '/[\\p{C}\\p{Zl}\\p{Zp}]/gu',
    replace: '/\\p{C}/gu',
    foundBy: [errors, forged],
  },
  {
    name: 'JSON keeps the controls above U+007E',
    in: 'JsonReporter.#write',
    find: 'printableJson(JSON.stringify(line))',
    replace: 'JSON.stringify(line)',
    foundBy: [
      'cli/run-errors.test.ts',
      'JSON has no control that acts on a terminal, and still means the same',
    ],
  },
  {
    name: 'what a configuration throws is printed as it is',
    in: 'complain',
    find: 'printableLines(error.message)',
    replace: 'error.message',
    foundBy: ['cli/hostile-text.test.ts', 'the source of a syntax error'],
  },
  {
    name: 'the name before a line of a program is printed as it is',
    in: 'print',
    find: 'printable(task)',
    replace: 'task',
    foundBy: ['cli/hostile-text.test.ts', 'the name before each line of a program, without the command line'],
  },
  {
    name: 'a program is read on while its listener has no room',
    in: 'Program.#tellLines',
    find: 'from.pause();',
    foundBy: [
      'command/command.test.ts',
      'a listener that answers a promise holds the program back until it settles',
    ],
  },
  {
    name: 'a listener of the channel cannot hold a program',
    in: 'publishOutput',
    find: 'holds.length === 0',
    replace: 'true',
    foundBy: ['command/command.test.ts', 'a listener of the channel holds the program back too'],
  },
  {
    name: 'the command line does not hold programs back',
    in: 'Capture.#onProgram',
    find: 'if (room !== undefined) hold(room);',
    foundBy: [
      'cli/capture.test.ts',
      'a program is held back until there is room, and not before it is needed',
    ],
  },
  {
    name: 'a reader that has stopped holds programs back for ever',
    in: 'Flow.write',
    find: 'this.#wait(() => this.#lose());',
    foundBy: [
      'cli/flow.test.ts',
      'loses lines if the reader has taken nothing for long, lets programs go on, and says how many it lost',
    ],
  },
  {
    name: 'a reader that is slow counts as one that has stopped',
    in: 'Flow.#taken',
    find: 'else if (this.#room !== undefined) this.#wait(() => this.#lose());',
    foundBy: ['cli/flow.test.ts', 'a reader that takes a little now and then is slow, and nothing is lost'],
  },
  {
    name: 'any amount may wait for the reader',
    in: 'Flow.write',
    find: 'if (this.#waitingBytes > MOST_BYTES) this.#lose();',
    foundBy: ['cli/flow.test.ts', 'keeps only so much, however fast a callback writes'],
  },
  {
    name: 'lines that were never written do not count as lost at the end',
    in: 'Flow.finish',
    find: 'this.#lostLines + this.#waitingLines',
    replace: 'this.#waitingLines',
    foundBy: [
      'cli/flow.test.ts',
      'is finished without a reader that has stopped, and says how many lines are lost',
    ],
  },
  {
    name: 'a reader that has gone is exit 0',
    in: 'Shutdown.listen',
    find: "this.#stop('unread')",
    replace: "this.#stop('asked')",
    foundBy: [
      'cli/run.test.ts',
      'when nothing reads the lines any more it stops in order, with 1 so that a supervisor starts it again',
    ],
  },
  {
    name: 'a process that has stopped waits for its reader',
    in: 'flowOn',
    find: 'stdout.abandon?.()',
    replace: 'await new Promise((resolve) => setTimeout(resolve, 1000)); process.exit(9)',
    foundBy: ['cli/slow-reader.test.ts', 'does not keep run at SIGTERM'],
  },
  {
    name: 'a folder that its group may write is believed',
    in: 'checkFolder',
    find: 'mode & WRITABLE_BY_OTHERS',
    replace: 'mode & 0o002',
    foundBy: [
      'command/trust.test.ts',
      'is refused if other users may write to it (770), and no process is ended for what it says',
    ],
  },
  {
    name: 'the folder of another user is believed',
    in: 'checkFolder',
    find: '({ uid }) => !isOurs(uid)',
    replace: '() => false',
    foundBy: ['command/trust.test.ts', 'is refused if it belongs to another user'],
  },
  {
    name: 'leftovers are looked for before the folder is checked',
    in: 'findMemos',
    find: 'checkFolder(folder)',
    replace: 'Promise.resolve()',
    foundBy: [
      'command/trust.test.ts',
      'is refused if other users may write to it (777), and no process is ended for what it says',
    ],
  },
  {
    name: 'the error of a start has the arguments of the program',
    in: 'Program.prepare',
    find: 'withoutArguments(error)',
    replace: 'error',
    foundBy: ['command/start-failure.test.ts', 'because its folder is not there'],
  },
  {
    name: 'the user of an address gets into a name',
    in: 'hostOf',
    find: '(?:[^/?#]*@)?([\\p{L}\\p{N}.-]+)',
    replace: '([^/?#]+)',
    foundBy: credential('curl https://admin:hunter2@api.example.com/run'),
  },
  {
    name: "an option's value gets into a name",
    in: 'withSubcommand',
    find: '&& !isValue(index)',
    foundBy: credential('npm --token hunter2 publish'),
  },
  {
    name: 'the value of an option is taken for a script',
    in: 'scriptOf',
    find: 'isScript(words[first], first)',
    replace: 'true',
    foundBy: credential('node --token hunter2 node.js'),
  },
  {
    name: 'a quoted value is a word of its own',
    in: 'wordsOf',
    find: ")+`, 'gs'",
    replace: ")`, 'gs'",
    foundBy: credential('PASSWORD="hunter2" ./curl'),
  },
  {
    name: 'code of another language is read as shell',
    in: 'scriptOf',
    find: 'SHELL.test(interpreter) &&',
    foundBy: credential(`python3 -c "login('hunter2')"`),
  },
  {
    name: 'a rejection of an async listener reaches the process',
    in: 'callGuest',
    find: 'settled(result).then(undefined, failed);',
    replace: '{}',
    foundBy: [
      'cli/guests.test.ts',
      'G4 an async onEvent and an async trace that reject: the schedule goes on, and one line says that the trace has a hole',
    ],
  },
  ...PLAN_FAULTS,
];
