/** `obbligato/executor`: timers, subscribers and workers. */
export { createState } from './state.ts';
