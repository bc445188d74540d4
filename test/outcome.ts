/** What became of something that was played at length: an attack, or a portion of a campaign. */
export interface Outcome {
  /** What must not be; none if all is well. A line, and perhaps more lines that show it. */
  readonly violations: readonly string[];
  /** Counts, which can be added up, and what was measured, as text. */
  readonly figures: Figures;
}

export type Figures = Readonly<Record<string, number | string>>;

/** "12 kills, 340 starts". */
export const figuresInWords = ({ figures }: Pick<Outcome, 'figures'>): string =>
  Object.entries(figures)
    .map(([what, figure]) => `${what} ${figure.toLocaleString('en')}`)
    .join(', ');

/** Adds counts up. Measured text stays only where there is one outcome. */
export function summed(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.length === 1) return outcomes[0];
  const figures: Record<string, number> = {};
  for (const [what, figure] of outcomes.flatMap((outcome) => Object.entries(outcome.figures)))
    if (typeof figure === 'number') figures[what] = (figures[what] ?? 0) + figure;
  return { violations: outcomes.flatMap(({ violations }) => violations), figures };
}
