/** Every axiom, in the order of the paper. */
import { A1 } from './a1.ts';
import { A2 } from './a2.ts';
import { A3 } from './a3.ts';
import type { Axiom } from './axiom.ts';
import { EA1 } from './ea1.ts';
import { EA2 } from './ea2.ts';
import { EA3 } from './ea3.ts';
import { EA4 } from './ea4.ts';
import { EA5 } from './ea5.ts';
import { EA6 } from './ea6.ts';
import { L1 } from './l1.ts';
import { L2 } from './l2.ts';
import { L3 } from './l3.ts';
import { P1 } from './p01.ts';
import { P2 } from './p02.ts';
import { P3 } from './p03.ts';
import { P4 } from './p04.ts';
import { P5 } from './p05.ts';
import { P6 } from './p06.ts';
import { P9 } from './p09.ts';
import { P10 } from './p10.ts';
import { P11 } from './p11.ts';
import { P12 } from './p12.ts';
import { P13 } from './p13.ts';
import { P14 } from './p14.ts';
import { P15 } from './p15.ts';
import { P16 } from './p16.ts';
import { P17 } from './p17.ts';
import { Q1 } from './q1.ts';
import { Q2 } from './q2.ts';
import { Q3 } from './q3.ts';
import { S1 } from './s1.ts';
import { S2 } from './s2.ts';
import { S3 } from './s3.ts';
import { S4 } from './s4.ts';
import { S5 } from './s5.ts';
import { WA } from './wa.ts';
import { WF } from './wf.ts';

export type { Axiom, Blame } from './axiom.ts';

/** The whole theory, every part of it. */
export const axioms: readonly Axiom[] = [
  S1,
  S2,
  S3,
  S4,
  S5,
  L1,
  L2,
  L3,
  WA,
  EA1,
  EA2,
  EA3,
  EA4,
  EA5,
  EA6,
  WF,
  A1,
  A2,
  A3,
  Q1,
  Q2,
  Q3,
  P1,
  P2,
  P3,
  P4,
  P5,
  P6,
  P9,
  P10,
  P11,
  P12,
  P13,
  P14,
  P15,
  P16,
  P17,
];
