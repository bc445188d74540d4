import type { Fault } from '../faults/fault.ts';

/** Each world says that it has begun, past the thread, which never yields again. */
export const STUCK_WORLD: Fault = {
  name: 'no simulated world comes to its end',
  in: 'World.play',
  find: 'const { events, disk, finalWriteMs } = this.#scenario;',
  replace: "process.getBuiltinModule('node:fs').writeSync(2, 'a world is stuck\\n'); for (;;);",
};
