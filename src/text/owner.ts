/** The process that owns a store, in words: "pid 4711 on web-1 since 2026-11-16T12:00:00.000Z". */
export const ownerText = (owner: {
  readonly pid: number;
  readonly host: string;
  readonly since: number;
}): string => `pid ${owner.pid} on ${owner.host} since ${new Date(owner.since).toISOString()}`;
