/** Charts of results. Both kinds have logarithmic axes, since what is compared may be a thousand times apart. */
import { type ContenderResult, environmentLine, type MeasuredFigure, type ScenarioResult } from './result.ts';
import type { Metric } from './scenario.ts';
import { element, frame, type LogAxis, label, line, logAxis, type Mark } from './svg.ts';
import { comparison } from './tables.ts';
import { shown } from './units.ts';

const WIDTH = 920;
const ROW = 22;
const PLOT = { left: 200, right: 600 };

/** A chart with a line per metric if the scenario is about growth; else one with a dot per contender. */
export const chartOf = (result: ScenarioResult): string =>
  result.contenders.some(({ tasks }) => tasks !== undefined) ? growthChart(result) : dotChart(result);

const captionOf = ({ environment, runs }: ScenarioResult): string =>
  `${runs === 1 ? 'One run' : `Medians of ${runs} runs, from the smallest to the largest`}; ${environmentLine(environment)}`;

const isPlain = ({ isDetail }: Metric): boolean => isDetail !== true;

/** A panel per metric, each with an axis of its own, and in it a dot per contender, on a line from the smallest to the largest. */
function dotChart(result: ScenarioResult): string {
  const marks: Mark[] = [];
  let y = 52;
  for (const metric of result.metrics.filter(isPlain)) {
    const measured = result.contenders.filter(({ figures }) => figures[metric.key] !== undefined);
    if (measured.length === 0) continue;
    marks.push(...panel(metric, measured, y));
    y += ROW * (measured.length + 2) + 10;
  }
  return frame({ width: WIDTH, height: y + 20, title: result.title, caption: captionOf(result) }, marks);
}

function panel(metric: Metric, contenders: readonly ContenderResult[], top: number): Mark[] {
  const { key, title, unit } = metric;
  const figures = contenders.map((each) => each.figures[key]);
  const axis = logAxis(
    figures.flatMap(({ min, max }) => [min, max]),
    PLOT.left,
    PLOT.right,
  );
  const bottom = top + ROW * (contenders.length + 0.5);
  const marks = [label(16, top + 2, title, { class: 'heading' })];
  for (const tick of axis.ticks) {
    marks.push(line(axis.at(tick), top + 10, axis.at(tick), bottom, 'grid'));
    marks.push(
      label(axis.at(tick), bottom + 14, shown(tick, unit), { class: 'dim', 'text-anchor': 'middle' }),
    );
  }
  for (const [index, contender] of contenders.entries()) {
    const [figure, y] = [figures[index], top + ROW * (index + 1)];
    const kind = { ours: 'c0', peer: 'peer', limit: 'c1' }[contender.role];
    const says = [shown(figure.median, unit), comparison(contender, metric)].filter((part) => part !== '');
    marks.push(label(28, y + 4, contender.name), line(axis.at(figure.min), y, axis.at(figure.max), y, kind));
    marks.push(element('circle', { class: kind, cx: axis.at(figure.median), cy: y, r: 4.5 }));
    marks.push(label(PLOT.right + 20, y + 4, says.join(', ')));
  }
  return marks;
}

interface Point {
  readonly tasks: number;
  readonly figure: MeasuredFigure;
}

interface Series {
  readonly metric: Metric;
  readonly kind: string;
  readonly isLimit: boolean;
  readonly points: readonly Point[];
}

const AREA = { left: 90, right: 660, top: 72, bottom: 396 };

/** Time over the number of tasks. Each metric has a colour; what is ours is a line, the limit a broken one. */
function growthChart(result: ScenarioResult): string {
  const series = seriesOf(result);
  const points = series.flatMap((each) => each.points);
  const x = logAxis(
    points.map(({ tasks }) => tasks),
    AREA.left,
    AREA.right,
  );
  const y = logAxis(
    points.flatMap(({ figure }) => [figure.min, figure.max]),
    AREA.bottom,
    AREA.top,
  );
  const marks = [
    ...x.ticks.flatMap((tick) => [
      line(x.at(tick), AREA.top, x.at(tick), AREA.bottom, 'grid'),
      label(x.at(tick), AREA.bottom + 18, shown(tick, 'count'), { class: 'dim', 'text-anchor': 'middle' }),
    ]),
    ...y.ticks.flatMap((tick) => [
      line(AREA.left, y.at(tick), AREA.right, y.at(tick), 'grid'),
      label(AREA.left - 8, y.at(tick) + 4, shown(tick, 'ms'), { class: 'dim', 'text-anchor': 'end' }),
    ]),
    label((AREA.left + AREA.right) / 2, AREA.bottom + 38, 'tasks (logarithmic)', { 'text-anchor': 'middle' }),
    label(16, AREA.top - 12, 'time (logarithmic)'),
    ...series.flatMap((each, index) => [...drawn(each, x, y), ...legend(each, AREA.top + 10 + index * 44)]),
  ];
  const height = AREA.bottom + 76;
  return frame({ width: WIDTH, height, title: result.title, caption: captionOf(result) }, marks);
}

/** Times alone: one axis has one unit. */
function seriesOf({ metrics, contenders }: ScenarioResult): Series[] {
  return metrics
    .filter((metric) => isPlain(metric) && metric.unit === 'ms')
    .flatMap((metric, index) =>
      (['ours', 'limit'] as const).map((role): Series => {
        const points = contenders
          .filter((each) => each.role === role && each.figures[metric.key] !== undefined)
          .map(({ tasks = 0, figures }) => ({ tasks, figure: figures[metric.key] }));
        return { metric, kind: `c${index % 4}`, isLimit: role === 'limit', points };
      }),
    );
}

function drawn({ kind, isLimit, points }: Series, x: LogAxis, y: LogAxis): Mark[] {
  const places = points.map(
    ({ tasks, figure }) => `${x.at(tasks).toFixed(1)},${y.at(figure.median).toFixed(1)}`,
  );
  return [
    element('polyline', { class: isLimit ? `${kind} limit` : `${kind} line`, points: places.join(' ') }),
    ...points.flatMap(({ tasks, figure: { min, max, median } }) => [
      line(x.at(tasks), y.at(min), x.at(tasks), y.at(max), kind),
      element('circle', { class: kind, cx: x.at(tasks), cy: y.at(median), r: isLimit ? 2.5 : 4 }),
    ]),
  ];
}

/** A sample of the line, what it is, and its last value. */
function legend({ metric, kind, isLimit, points }: Series, y: number): Mark[] {
  const last = points.at(-1);
  const value = last && `${shown(last.figure.median, metric.unit)} at ${shown(last.tasks, 'count')}`;
  const [name] = metric.title.split(/[:,]/);
  return [
    line(AREA.right + 16, y, AREA.right + 40, y, isLimit ? `${kind} limit` : kind),
    label(AREA.right + 46, y + 4, isLimit ? `${name}, limit` : name),
    ...(value === undefined ? [] : [label(AREA.right + 46, y + 19, value, { class: 'dim' })]),
  ];
}
