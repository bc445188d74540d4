/** What a PromQL expression asks for, by Prometheus' own grammar. */
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

export interface Asked {
  /** The metrics that it selects, with the labels that it matches, and their values where they are plain. */
  readonly selectors: ReadonlyArray<{
    readonly metric: string;
    readonly labels: ReadonlyArray<readonly [label: string, value: string]>;
  }>;
  /** The labels that it groups by. */
  readonly grouping: readonly string[];
}

/** Throws for an expression that is none. */
export function parsePromql(expression: string): Asked {
  const selectors: Asked['selectors'][number][] = [];
  const grouping: string[] = [];
  const text = ({ from, to }: { from: number; to: number }): string => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new SyntaxError(`"${expression}" is wrong at ${from} to ${to}`);
      if (type.name === 'VectorSelector') selectors.push(selectorOf(node, text));
      if (type.name === 'GroupingLabels')
        for (const label of node.getChildren('LabelName')) grouping.push(text(label));
    },
  });
  return { selectors, grouping };
}

function selectorOf(node: SyntaxNode, text: (node: SyntaxNode) => string): Asked['selectors'][number] {
  const name = node.getChild('Identifier');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  return {
    metric: name === null ? '' : text(name),
    labels: matchers.map((matcher) => {
      const [label, value] = [matcher.getChild('LabelName'), matcher.getChild('StringLiteral')];
      return [label === null ? '' : text(label), value === null ? '' : text(value).slice(1, -1)];
    }),
  };
}
