/** The alert rules and the Grafana dashboard: every expression is one, and asks for metrics, labels and values that there are. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { METRICS, type Metric } from '../../src/telemetry/index.ts';
import { parsePromql } from './promql.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../docs/telemetry/${file}`, import.meta.url), 'utf8');

/** Labels that Prometheus itself gives to everything it scrapes. */
const ITS_OWN = ['instance', 'job'];

function metricOf(name: string): { readonly metric: Metric; readonly labels: readonly string[] } | undefined {
  const family = name.replace(/_(bucket|sum|count)$/, '');
  const metric = Object.values<Metric>(METRICS).find((each) =>
    each.kind === 'histogram' ? each.name === family && name !== family : each.name === name,
  );
  if (metric === undefined) return undefined;
  return { metric, labels: [...metric.labels, ...(name.endsWith('_bucket') ? ['le'] : []), ...ITS_OWN] };
}

/** An expression with Grafana's variables filled in, taken apart. */
const parsed = (expression: string): ReturnType<typeof parsePromql> =>
  parsePromql(expression.replaceAll('$__rate_interval', '5m').replaceAll('"$instance"', '".*"'));

const namesIn = (expression: string): string[] => parsed(expression).selectors.map(({ metric }) => metric);

/** What is wrong with an expression, if anything is. */
function faults(expression: string): string[] {
  const { selectors: all, grouping } = parsed(expression);
  // What Prometheus itself says of each target.
  const selectors = all.filter(({ metric }) => metric !== 'up');
  if (all.length === 0) return [`${expression}: asks for nothing`];
  return selectors.flatMap(({ metric: name, labels }) => {
    const found = metricOf(name);
    if (found === undefined) return [`${expression}: there is no metric ${name}`];
    const unknown = [...labels.map(([label]) => label), ...grouping].filter(
      (each) => !found.labels.includes(each),
    );
    // A value of a fixed list is named by the help of the metric, or is a percentile.
    const values = labels.filter(
      ([label, value]) =>
        !ITS_OWN.includes(label) && label !== 'percentile' && !found.metric.help.includes(value),
    );
    return [
      ...unknown.map((label) => `${expression}: ${name} has no label ${label}`),
      ...values.map(([label, value]) => `${expression}: ${name} never has ${label}="${value}"`),
    ];
  });
}

describe('the judge of expressions', () => {
  test('finds a metric, a label and a value that there are not, and what is no expression', () => {
    assert.deepEqual(faults('sum by (task) (obbligato_runs_total{outcome="gave_up"})'), []);
    assert.match(faults('obbligato_runs_totals')[0] ?? '', /there is no metric/);
    assert.match(faults('obbligato_run_duration_seconds')[0] ?? '', /there is no metric/);
    assert.match(faults('sum by (color) (obbligato_runs_total)')[0] ?? '', /has no label color/);
    assert.match(faults('obbligato_runs_total{outcome="great"}')[0] ?? '', /never has outcome="great"/);
    assert.match(faults('1 + 1')[0] ?? '', /asks for nothing/);
    assert.throws(() => faults('sum(rate(obbligato_runs_total[5m))'), SyntaxError);
  });
});

describe('the alert rules', () => {
  const { groups }: { groups: { name: string; rules: Record<string, unknown>[] }[] } = parse(
    read('alerts.yml'),
  );
  const rules = groups.flatMap((group) => group.rules);

  test('each rule asks for what there is', () => {
    assert.ok(rules.length >= 10);
    assert.deepEqual(
      rules.flatMap(({ expr }) => faults(String(expr))),
      [],
    );
  });

  test('a rule about a task comes once for it, however many replicas see its store', () => {
    const ofTasks = rules.filter(({ expr }) =>
      parsePromql(String(expr)).selectors.some(({ metric }) => metricOf(metric)?.labels.includes('task')),
    );
    assert.ok(ofTasks.length >= 6);
    for (const { alert, expr } of ofTasks) {
      const { selectors, grouping } = parsePromql(String(expr));
      assert.deepEqual(new Set(grouping), new Set(['task']), String(alert));
      // Each selector is grouped, or both sides are put together by the task.
      assert.ok(grouping.length >= selectors.length, String(alert));
    }
  });

  test('each rule has a name of its own, a severity, and says what to do', () => {
    const names = rules.map(({ alert }) => String(alert));
    assert.equal(new Set(names).size, names.length);
    for (const rule of rules) {
      const { labels, annotations } = rule as {
        labels: { severity?: string };
        annotations: Record<string, string>;
      };
      assert.match(labels.severity ?? '', /^(critical|warning)$/, String(rule.alert));
      assert.ok(annotations.summary && annotations.description, String(rule.alert));
      // What a summary shows of the labels is there: an expression that groups has only what it groups by.
      const shown = [...(annotations.summary ?? '').matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      const { selectors, grouping } = parsePromql(String(rule.expr));
      const has =
        grouping.length > 0
          ? grouping
          : selectors.flatMap(({ metric }) => (metric === 'up' ? ITS_OWN : (metricOf(metric)?.labels ?? [])));
      assert.deepEqual(
        shown.filter((label) => !has.includes(label ?? '')),
        [],
        String(rule.alert),
      );
    }
  });
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
}

describe('the Grafana dashboard', () => {
  const { panels, templating }: { panels: Panel[]; templating: { list: { definition?: string }[] } } =
    JSON.parse(read('grafana-dashboard.json'));

  test('each panel asks for what there is, and says what it shows', () => {
    const shown = panels.filter(({ type }) => type !== 'row');
    assert.ok(shown.length >= 15);
    const expressions = shown.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    assert.deepEqual(expressions.flatMap(faults), []);
    assert.deepEqual(
      shown.filter(({ title, description, targets = [] }) => !title || !description || targets.length === 0),
      [],
    );
    const variables = templating.list.flatMap(({ definition = '' }) =>
      [...definition.matchAll(/label_values\((\w+),/g)].map(([, name]) => name ?? ''),
    );
    assert.deepEqual(variables.flatMap(faults), []);
  });

  test('every metric is in a panel', () => {
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const asked = expressions.flatMap((expression) => namesIn(expression));
    const shown = new Set(asked.map((name) => metricOf(name)?.metric.name));
    const missing = Object.values<Metric>(METRICS).filter(({ name }) => !shown.has(name));
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
    );
  });

  test('panels have identities of their own, and none covers another', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const cells = new Map<string, string>();
    for (const { title, gridPos } of panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(x < 24, title);
          assert.equal(cells.get(`${x} ${y}`), undefined, title);
          cells.set(`${x} ${y}`, title);
        }
  });
});
