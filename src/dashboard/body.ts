/** The body of a request, as JSON, with bounds on its size and on how long it may take. */
import type { IncomingMessage } from 'node:http';
import { BadQuery } from './query.ts';

const MOST_BYTES = 16 * 1024;
const LONGEST_MS = 10_000;

export type Fields = Readonly<Record<string, unknown>>;

/** The object that a body holds. A framework may have read it already, and left it in `body`. */
export async function readBody(request: IncomingMessage & { readonly body?: unknown }): Promise<Fields> {
  return fieldsOf(
    request.body !== undefined && request.body !== null ? request.body : parsed(await read(request)),
  );
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadQuery('The body must be a JSON object.');
  return Object.fromEntries(Object.entries(value));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadQuery('The body is not JSON.');
  }
}

function read(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const pieces: Buffer[] = [];
  let size = 0;
  const late = setTimeout(() => {
    reject(new BadQuery('The body takes too long.'));
    request.destroy();
  }, LONGEST_MS).unref();
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size <= MOST_BYTES) pieces.push(piece);
    else reject(new BadQuery(`The body has more than ${MOST_BYTES} bytes.`));
  });
  request.once('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
  request.once('error', () => reject(new BadQuery('The body has not come whole.')));
  request.once('close', () => reject(new BadQuery('The body has not come whole.')));
  return promise.finally(() => clearTimeout(late));
}
