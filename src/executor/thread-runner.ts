/**
 * What runs inside a thread: it calls the user's module and turns its outcome into something that can be cloned. Without it a
 * thrown `null` would pass for success, and a result that cannot be cloned would kill the thread.
 */
import { inspect } from 'node:util';

export interface Job {
  readonly href: string;
  readonly exportName: string;
  readonly data: unknown;
}

export interface Failure {
  readonly status: 'failed';
  readonly error: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

export type ThreadOutcome = { readonly status: 'ended' } | Failure;

/** How a thread says so, apart from whatever else the module may post. */
export interface Report {
  readonly obbligato: ThreadOutcome;
}

/** Called in the thread. Its result says everything; it does not throw. */
export async function runModule({ href, exportName, data }: Job): Promise<ThreadOutcome> {
  try {
    const module: Record<string, unknown> = await import(href);
    const work = module[exportName];
    if (typeof work !== 'function') {
      throw new TypeError(
        `${href} exports no function called ${JSON.stringify(exportName)}; its exports are: ${Object.keys(module).join(', ') || 'none'}`,
      );
    }
    await work(data);
    return { status: 'ended' };
  } catch (error) {
    return { status: 'failed', error: portable(error), properties: propertiesOf(error) };
  }
}

/** The error itself if it can be cloned as what it is, else one that says the same. */
function portable(error: unknown): unknown {
  try {
    const clone: unknown = structuredClone(error);
    if (clone instanceof Error === error instanceof Error) return error;
  } catch {
    // Then it is described in words.
  }
  if (!(error instanceof Error))
    return new Error(`something was thrown that cannot be cloned: ${inspect(error)}`);
  const copy = new Error(String(error.message));
  copy.stack = String(error.stack);
  return copy;
}

/** An error's name and own properties, such as `code`, as far as they can be cloned. */
function propertiesOf(error: unknown): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  if (!(error instanceof Error)) return properties;
  for (const key of ['name', ...Object.keys(error)]) {
    try {
      properties[key] = structuredClone(Reflect.get(error, key));
    } catch {
      // A property that stays behind is no reason to lose the error.
    }
  }
  return properties;
}
