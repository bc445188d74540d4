/** The shape of one command of `obbligato`: a name, its help, its options, and what it does. */
import type { ParseArgsOptionsConfig } from 'node:util';

/** The parts of the process that a command may use. They are handed in, so that a test can replace them. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: NodeJS.ReadStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  now(): number;
}

export interface Output {
  /** Calls back when the text has gone where the output leads: a pipe may take it much later. */
  write(text: string, taken?: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** The descriptor, of an output that has one. */
  readonly fd?: number;
  /** Gives up what is written and not yet taken: the process does not wait for its reader. */
  abandon?(): void;
}

export interface Positional {
  readonly name: string;
  /** What it is, with its article, for the complaint that it is missing; the name by default. */
  readonly called?: string;
  readonly required?: boolean;
  readonly repeated?: boolean;
  /** Whether it may be a store, and so a connection string. */
  readonly isStore?: boolean;
}

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What `--help` prints below the usage line: what it does, its options, and examples that work. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  readonly positionals: readonly Positional[];
  /** Options whose value may be left out: what such a value looks like, and what holds without it. */
  readonly leftOut?: Readonly<Record<string, { readonly pattern: RegExp; readonly value: string }>>;
  /** Resolves to the exit code. A usage error thrown is printed with the way to the help, and exits with 2. */
  run(io: Io, args: Arguments): Promise<number>;
}
