/**
 * Answers of the server, asked for again whenever the question or the store changes. The former answer stays until the next is there.
 *
 *     idle ──a question, or a change──▶ asking ──answered──▶ idle
 *                                         └──a change meanwhile──▶ asks once more when it is answered
 *
 * A change does not break off what is being asked: on a slow line changes could come faster than answers, and nothing would ever be shown. Another question does.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from './api.ts';
import { revision } from './model.ts';

/** Asks now, and again after each change, until the question is another one. */
export function useAsking(key: string, ask: (signal: AbortSignal) => Promise<void>): void {
  const again = useRef<() => void>(() => {});
  useEffect(() => {
    const left = new AbortController();
    let [isBusy, isWanted] = [false, false];
    again.current = async () => {
      isWanted = true;
      if (isBusy) return;
      isBusy = true;
      while (isWanted && !left.signal.aborted) {
        isWanted = false;
        await ask(left.signal);
      }
      isBusy = false;
    };
    return () => left.abort();
  }, [key]);
  useEffect(() => again.current(), [key, revision.value]);
}

export interface Asked<T> {
  readonly answer: T | undefined;
  readonly error: string | undefined;
}

export function useAnswer<T>(path: string, query: Readonly<Record<string, string | number>>): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ answer: undefined, error: undefined });
  useAsking(JSON.stringify([path, query]), async (signal) => {
    try {
      setAsked({ answer: await get<T>(path, query, signal), error: undefined });
    } catch (error) {
      if (!signal.aborted) setAsked(({ answer }) => ({ answer, error: messageOf(error) }));
    }
  });
  return asked;
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'It did not work.';
