/** What keys of the live view do to a task, and what is asked before: a key that was pressed by mistake must do no harm. Pure. */
import { printable } from '../terminal/text.ts';
import type { Key } from './keys.ts';

/** What is to be done about a task. */
export interface TaskDeed {
  readonly kind: 'run' | 'pause' | 'resume' | 'cancel';
  readonly task: string;
}

interface Asked {
  readonly kind: TaskDeed['kind'];
  question(name: string, isPaused: boolean): string;
}

const ASKED: Readonly<Record<Key, Asked>> = {
  r: {
    kind: 'run',
    question: (name, isPaused) => `Run ${name} now${isPaused ? ', although it is paused' : ''}?`,
  },
  p: { kind: 'pause', question: (name) => `Pause ${name} until it is resumed?` },
  c: {
    kind: 'cancel',
    question: (name) => `Cancel the run of ${name}, which is not tried again before it is due?`,
  },
};

export const isTaskKey = (key: Key): boolean => Object.hasOwn(ASKED, key);

/** The deed of a key for a task, and the question before it; undefined if it need not be asked. */
export function deedOf(key: Key, task: string, isPaused: boolean): { deed: TaskDeed; question?: string } {
  if (key === 'p' && isPaused) return { deed: { kind: 'resume', task } };
  const { kind, question } = ASKED[key];
  return {
    deed: { kind, task },
    question: `${question(printable(task), isPaused)} y does it, any other key not`,
  };
}
