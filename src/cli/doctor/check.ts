/** One thing that was looked at: what, whether it is as it should be, what was found, and the way out if it is not. */
export interface Check {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  readonly wayOut?: string;
}

export const fine = (what: string, found: string): Check => ({ what, ok: true, found });

export const wrong = (what: string, found: string, wayOut: string): Check => ({
  what,
  ok: false,
  found,
  wayOut,
});
