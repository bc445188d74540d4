import { RE } from '../alphabet.ts';
import { G, implies, Y } from '../formula.ts';
import { Running } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const P1: Axiom = {
  id: 'P1',
  name: 'Well-formed runs',
  part: 'polling',
  scope: 'task',
  blame: 'environment',
  says: 'Every end has its start.',
  formula: G(implies(RE, Y(Running))),
  repaired:
    'A crash ends runs too, so what an end needs is a running run, not merely a start without an end in between.',
};
