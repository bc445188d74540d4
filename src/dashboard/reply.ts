/** Answers: their headers, and a bound on how long a reader may take. */
import type { ServerResponse } from 'node:http';
import { ObbligatoError } from '../index.ts';
import { describeError } from '../text/describe-error.ts';
import type { Refused } from './guard.ts';
import { BadQuery } from './query.ts';
import type { Answer } from './routes.ts';

/** A reader that has not taken its answer by then is dropped. */
const LONGEST_READING_MS = 30_000;

/** Nothing that a browser gets from here may be framed, sniffed, cached by others, or say where its viewer came from. */
const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** What an answer that is no page may do in a browser that takes it for one. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'";

export function setHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  response.setHeader('content-security-policy', NOTHING);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(value));
}

export function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  if (response.headersSent || response.destroyed) return;
  boundReading(response);
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Drops a reader that takes too long. */
export function boundReading(response: ServerResponse): void {
  const late = setTimeout(() => response.destroy(), LONGEST_READING_MS).unref();
  response.once('close', () => clearTimeout(late));
  response.on('error', () => response.destroy());
}

/** Answers a request that is not answered yet. */
export function reply(response: ServerResponse, answer: Answer): void {
  if ('json' in answer) sendJson(response, 200, answer.json);
  else {
    if (answer.status === 503 && !response.headersSent) response.setHeader('retry-after', '2');
    sendJson(response, answer.status, { error: answer.error });
  }
}

/** What a viewer hears of an error. */
export function problemOf(error: unknown): Refused {
  if (error instanceof BadQuery) return { status: 400, error: error.message };
  // Errors of ours say what is wrong with the store; others may say anything, and stay here.
  if (error instanceof ObbligatoError) return { status: 503, error: describeError(error).message };
  return { status: 503, error: 'This could not be answered.' };
}
