/** What the user got wrong about a command: told in one line with the way to the help, never with a stack trace. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
