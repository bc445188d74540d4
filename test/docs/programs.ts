/** Which programs the test may call. A page may also tell an operator to stop a service or kill a process, which is not for a test to do. */

const ALLOWED = new Set([
  ...['obbligato', 'npx', 'npm', 'node', 'jq'], // those of the stage
  ...['cat', 'cd', 'cp', 'echo', 'eval', 'false', 'ls', 'mkdir', 'mv', 'printf', 'rm', 'true'], // within the place
]);

/** The first word of each command in a line: those behind `&&`, `|` and in `$(…)` as well. */
function programsIn(line: string): string[] {
  const code = line
    .replace(/<<-?\s*(['"]?)(\w+)\1([^\n]*)\n[\s\S]*?\n\2$/gm, '$3')
    .replace(/'[^']*'/g, "''")
    .replace(/(^|\s)#.*$/gm, '')
    .replace(/\\\n/g, ' ')
    .replaceAll('"', ' ');
  return code
    .split(/&&|\|\||[;|&\n`]|\$\(|\(/)
    .map((part) => part.trim().replace(/^(\w+=\S*\s+)+/, ''))
    .map((part) => /^[^\s)]+/.exec(part)?.[0] ?? '')
    .filter((word) => word !== '' && !/^[<>\d]/.test(word));
}

/** The programs in a line that must not be called. */
export const forbiddenIn = (line: string): string[] => programsIn(line).filter((word) => !ALLOWED.has(word));
