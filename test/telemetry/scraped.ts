/** A metrics page as a parser of Prometheus' text format reads it. */
import { createRequire } from 'node:module';

/** One family, as the parser has it: values are texts. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly metrics: readonly Sample[];
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: string;
}

// It has no types of its own.
const parse: (text: string) => readonly Family[] = createRequire(import.meta.url)(
  'parse-prometheus-text-format',
);

export class Page {
  readonly families: readonly Family[];

  /** The parser merges the series of a histogram that differ in a label; without its type, each line is a sample of its own. */
  constructor(text: string) {
    this.families = parse(text.replace(/^# TYPE \S+ histogram\n/gm, ''));
  }

  samples(name: string): readonly Sample[] {
    return this.families.find((family) => family.name === name)?.metrics ?? [];
  }

  /** The value of the one sample that has these labels, and maybe others. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.samples(name).filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value),
    );
    if (found.length > 1)
      throw new Error(`${name} has ${found.length} samples with ${JSON.stringify(labels)}`);
    return found[0] === undefined ? undefined : Number(found[0].value);
  }

  /** How many values of a histogram are at most `bound`, which is one of its bounds. */
  atMost(
    name: string,
    bound: number | '+Inf',
    labels: Readonly<Record<string, string>> = {},
  ): number | undefined {
    return this.value(`${name}_bucket`, { ...labels, le: String(bound) });
  }
}
