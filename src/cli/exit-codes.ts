/** What the exit codes mean; docs/cli.md has the same list. */

/** Done; of `run`: stopped, with everything durable. */
export const OK = 0;
/** The store, or something else in the world, did not let it be done. */
export const FAILED = 1;
/** The command line or the configuration is wrong: nothing was touched. */
export const MISUSED = 2;
/** Of `check`: a scheduler is at fault, or something happened outside the model. */
export const AT_FAULT = 1;
/** Of `check`: no scheduler is at fault, but an environment. */
export const ENVIRONMENT = 3;
/** Left at once at a second Ctrl-C: 128 and the number of SIGINT, as shells count. */
export const FORCED = 130;
