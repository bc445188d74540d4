/** What the page asks of the server. Addresses are relative, so the page works wherever it is mounted. */
export type * from './answers.ts';

/** An answer that is none. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Query = Readonly<Record<string, string | number>>;

/** The shape of an answer is the server's promise: both are of one package. */
export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  return asked(`api/${path}?${search}`, { signal: signal ?? null, cache: 'no-store' });
}

export async function post<T>(path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json', 'x-obbligato': '1' };
  return asked(`api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Browsers say "Failed to fetch", "NetworkError" or "Load failed" where nobody answers, so the words are ours. */
async function asked<T>(address: string, init: RequestInit): Promise<T> {
  const response = await fetch(address, init).catch(() => {
    // A question is asked again with the next change; what was to be done is not done twice.
    const isOrder = init.method === 'POST';
    throw new ApiError(
      0,
      `The server does not answer${isOrder ? ': whether this was done is not known' : ''}.`,
    );
  });
  const json = await response.json().catch(() => undefined);
  if (response.ok && json !== undefined) return json;
  throw new ApiError(response.status, String(json?.error ?? `The server answered ${response.status}.`));
}
