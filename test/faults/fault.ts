/** What a planted fault is. The tables are listed in tables.ts. */

/** A change of the sources. Its place is found by a name and by words, wherever the file lies and however it is laid out. */
export interface Edit {
  /** What is declared at the top of a file of `src`, or something declared in that: `isLeased`, `Tasks.end`, `Tasks.#failures`. */
  readonly in: string;
  /** Stands there once. Compared token by token, without white space, comments and trailing commas. */
  readonly find: string;
  /** Where it is absent, the words are left out. */
  readonly replace?: string;
}

export interface Fault extends Edit {
  readonly name: string;
  /** More changes, where one alone would be no fault. */
  readonly also?: readonly Edit[];
}

/** One that a test of the suite finds. */
export interface PlantedFault extends Fault {
  /** A file below `test`, and the title of the test in it that fails with the fault. */
  readonly foundBy: readonly [file: string, title: string];
}

export const editsOf = (fault: Fault): readonly Edit[] => [fault, ...(fault.also ?? [])];
