/**
 * Who is answered. Four questions are asked of each request, in this order; the first that is answered with no ends it.
 *
 *     host        Is it addressed to us? A page elsewhere that rebinds its own name to our address sends its own name (DNS rebinding).
 *     place       Does it come from this machine, and not through a proxy? Only asked if nothing else tells who may look.
 *     origin      Was it made by our page, or by no page? Another site's page can send requests here, but not hide that it did.
 *     viewer      Does it carry the token, or a session that was opened with it, or does the program's own function say yes?
 *
 * The page itself holds no data, so it is given to anyone who passes the first two: it asks for the token.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Settings } from './options.ts';
import type { Sessions } from './sessions.ts';
import type { Strangers } from './strangers.ts';

/** Why a request is not answered. */
export interface Refused {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503;
  readonly error: string;
}

const refuse = (status: Refused['status'], error: string): Refused => ({ status, error });

/** The header that only our own script can set across origins: a form cannot, and a script elsewhere would have to ask first. */
const HEADER = 'x-obbligato';

export function hostProblem(
  { headers, socket, httpVersion }: IncomingMessage,
  settings: Settings,
): Refused | undefined {
  const { hosts, token, authorize } = settings;
  const name = hostName(headers.host);
  // No name can be rebound to us that is an address itself.
  if (name === undefined || !(hosts.has(name) || isAddress(name)))
    return refuse(403, 'This name is not known here. Name it in the option "hosts" if it is yours.');
  if (token !== undefined || authorize !== undefined) return undefined;
  if (!isLocal(socket?.remoteAddress)) return refuse(403, 'Without a token only this machine is answered.');
  if (isForwarded(headers, httpVersion))
    return refuse(
      403,
      'A proxy has sent this on. Without a token only this machine is answered: give the page one.',
    );
  return undefined;
}

/** The headers that proxies add. */
const FORWARDED = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
];

/** Whether a proxy on this machine has sent a request on, so that the request may come from anywhere. No browser speaks HTTP/1.0, but nginx does to what it serves. */
const isForwarded = (headers: IncomingHttpHeaders, httpVersion: string): boolean =>
  httpVersion === '1.0' || FORWARDED.some((name) => headers[name] !== undefined);

/** The name of a Host header in lower case, without its port. */
function hostName(host: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase();
}

const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;

/** A socket of the file system has no address. */
const isLocal = (address: string | undefined): boolean =>
  address === undefined || address === '::1' || /^(::ffff:)?127\./.test(address);

/** A request that another site's page has made. Old browsers and other programs say nothing; then the other checks must do. */
export function originProblem({ headers }: IncomingMessage): Refused | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return refuse(403, 'Another site has made this request.');
  if (headers.origin !== undefined && !isOurs(headers.origin, headers.host))
    return refuse(403, 'Another site has made this request.');
  return undefined;
}

/** The scheme does not count: in front of us there may be a proxy that speaks https. */
function isOurs(origin: string, host: string | undefined): boolean {
  const given = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  return given !== undefined && given.toLowerCase() === host?.toLowerCase();
}

/** What a request that changes something must be in addition. */
export function changeProblem({ headers }: IncomingMessage): Refused | undefined {
  if (headers[HEADER] === undefined) return refuse(403, `The header ${HEADER} is missing.`);
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return refuse(415, 'The body must be JSON, and the content type must say so.');
  return undefined;
}

/** Whether two texts are the same, in a time that says nothing about where they differ, nor how long they are. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

export async function viewerProblem(
  request: IncomingMessage,
  { token, authorize }: Settings,
  sessions: Sessions,
  strangers: Strangers,
): Promise<Refused | undefined> {
  if (token === undefined && authorize === undefined) return undefined;
  if (authorize !== undefined && (await authorize(request)) === true) return undefined;
  if (token === undefined) return refuse(403, 'You may not look at this.');
  if (sessions.has(request.headers.cookie)) return undefined;
  const [, given] = /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  return given === undefined
    ? refuse(401, 'A token is needed.')
    : tokenProblem(given, token, request.socket?.remoteAddress, strangers);
}

/** Compares a token that somebody shows with the one that is needed. */
export function tokenProblem(
  given: unknown,
  token: string,
  address: string | undefined,
  strangers: Strangers,
): Refused | undefined {
  if (strangers.mustWait(address)) return TOO_MANY_TOKENS;
  if (typeof given === 'string' && isSame(given, token)) return undefined;
  strangers.guessed(address);
  return refuse(401, 'This is not the token.');
}

export const TOO_MANY_TOKENS = refuse(429, 'Too many wrong tokens from this address. Try again in a minute.');
