/** Where a life of the crash tests can be made to end. */
export const POINTS = [
  'before initialize',
  'initialize sent', // the transaction is being written
  'initialized',
  'before start', // before the start is sent
  'start sent', // while it is being written
  'start durable',
  'in callback',
  'callback ended',
  'end sent', // while the end is being written
  'end durable',
  'stopping',
  'stop sent',
] as const;
export type Point = (typeof POINTS)[number];
