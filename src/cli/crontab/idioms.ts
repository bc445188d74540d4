/**
 * Commands that exit with another code than 0 although nothing is wrong. Cron does not care; here such a run has failed, shows in red and
 * makes "obbligato health" complain. So each gets a note with what to write instead.
 */

interface Idiom {
  readonly pattern: RegExp;
  readonly note: string;
}

const IDIOMS: readonly Idiom[] = [
  {
    pattern: /^\s*(?:\[|test\s)[^&|;]*\bdate\s[^&|;]*(?:tomorrow|\+ ?1 ?day|1 ?day\b|-v ?\+1d).*&&/,
    note: 'it looks for the last day of the month itself, and counts as failed on all other days: take the test out, and give the task "days: lastDayOfMonth()", which also makes up for a start that was missed',
  },
  {
    pattern: /^\s*(?:\[\[? .+? \]\]?|test .+?)\s*&&/,
    note: 'if its test says no it exits with 1, which counts as a failed run: write "if …; then …; fi"',
  },
  {
    pattern:
      /\bflock\b(?=[^&|;]*\s(?:-\w*n\w*|--nonblock|--nb)\b)(?![^&|;]*\s(?:-E|--conflict-exit-code)[ =]?0\b)/,
    note: 'if the lock is taken flock exits with 1, which counts as a failed run. A task never overlaps itself, so it may not need the lock; else add "-E 0"',
  },
  {
    pattern: /\b[ef]?grep\b(?=[^&|;]*\s(?:-\w*q\w*|--quiet|--silent)\b)/,
    note: 'if grep finds nothing it exits with 1, which counts as a failed run: write "if grep -q …; then …; fi"',
  },
  {
    pattern: /\b(?:pgrep|pidof)\b[^|;]*(?:&&|$)/,
    note: 'if there is no such process it exits with 1, which counts as a failed run: write "if pgrep …; then …; fi"',
  },
];

/** What says already that another code than 0 does not count. */
const FORGIVEN = /(?:\|\|\s*(?:true|:|exit 0)|;\s*(?:true|:|exit 0))\s*$/;
/** Within these, the code of a test is no code of the command. */
const CONDITION = /^\s*(?:if|while|until|case)\b/;

/** What to say about a command, if anything. */
export function idiomNote(command: string): string | undefined {
  if (FORGIVEN.test(command) || CONDITION.test(command)) return undefined;
  return IDIOMS.find(({ pattern }) => pattern.test(command))?.note;
}
