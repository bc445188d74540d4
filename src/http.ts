/**
 * A request and its response, as far as handlers of ours show what they take. Those of `node:http` are such, and so are those of every framework on
 * it. They are written down here because a project can lack Node's types: no declaration of ours needs them.
 */

/** What a handler is asked, as Node's `IncomingMessage`. */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: HttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** By their names in lower case. */
export interface HttpHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
  readonly accept?: string | undefined;
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}

/** Where a handler answers, as Node's `ServerResponse`. */
export interface HttpResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string | number>): { end(body?: string): unknown };
  end(body?: string): unknown;
}
