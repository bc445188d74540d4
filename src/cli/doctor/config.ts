/** The configuration: whether there is one, whether it may be trusted, and whether it can be loaded. */
import { ObbligatoError } from '../../errors.ts';
import type { Io } from '../args/command.ts';
import { findConfig } from '../config/find.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { distrustOf, openToGroup } from '../config/trust.ts';
import { isCliError } from '../errors.ts';
import { counted, printable } from '../terminal/text.ts';
import { type Check, fine, wrong } from './check.ts';

export interface ConfigCheck {
  readonly check: Check;
  readonly loaded: LoadedConfig | undefined;
}

/** What a configuration throws is its own fault, and becomes a cross; it is the user's code. */
export async function checkConfig(io: Io, path: string | undefined): Promise<ConfigCheck> {
  const nearest = path === undefined ? findConfig(io.cwd) : path;
  if (nearest === undefined) {
    const found = 'no obbligato.config.ts here or above; looking at the default store';
    return { check: fine('configuration', found), loaded: undefined };
  }
  const distrust = path === undefined ? distrustOf(nearest) : undefined;
  if (distrust !== undefined) {
    const found = `${printable(nearest)}: ${distrust}, so it is run only if it is named`;
    return {
      check: wrong('configuration', found, 'take that right away, or name the file'),
      loaded: undefined,
    };
  }
  try {
    const loaded = await loadConfig(io.cwd, path);
    const found = `${printable(loaded.path)}, ${counted(loaded.config.tasks.length, 'task')}`;
    const open = openToGroup(loaded.path);
    const check =
      open === undefined
        ? fine('configuration', found)
        : wrong('configuration', `${found}; a group may write ${open}, and so decide what runs`, 'chmod g-w');
    return { check, loaded };
  } catch (error) {
    // The rest of a long message is how to begin, which the commands that need a configuration say.
    const [said] = (error instanceof Error ? error.message : String(error)).split('\n').map(printable);
    return { check: wrong('configuration', said, adviceFor(error)), loaded: undefined };
  }
}

function adviceFor(error: unknown): string {
  if (isCliError(error, 'no configuration')) return 'is the path right?';
  return error instanceof ObbligatoError
    ? 'correct that task; "obbligato explain" helps with expressions'
    : 'correct the file';
}
