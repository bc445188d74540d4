/** The picture and the page of `obbligato preview`: self-contained, readable in light and dark, and in words too. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forecast } from '../../src/cli/preview/forecast.ts';
import { pageOf } from '../../src/cli/preview/page.ts';
import { pictureOf } from '../../src/cli/preview/picture.ts';
import { parseSchedule } from '../../src/cron/expression.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { assertWellFormed } from './markup.ts';

/** By the definition of WCAG 2. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string): number => {
    const [red, green, blue] = [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

describe('the picture and the page', () => {
  const tasks = { poll: '0,15,30,45 * * * *', backup: '30 2 * * *', '<b>&"x"\u0007': '30 2 * * *' };
  const planned = Object.entries(tasks).map(([name, cron]) => ({
    name,
    cron,
    schedule: parseSchedule(cron),
  }));
  const from = Date.parse('2027-03-20T00:00:00+01:00');
  const result = forecast(planned, zoneOf('Europe/Stockholm'), from, 30);

  test('the picture is well formed, needs nothing else, and says in words what it shows', () => {
    const svg = pictureOf(result);
    assertWellFormed(svg);
    assert.match(svg, /role="img" aria-labelledby="load-title load-text"/);
    assert.match(
      svg,
      /<title id="load-title">3 tasks, [\d,]+ starts, 2027-03-20 to 2027-04-18, Europe\/Stockholm<\/title>/,
    );
    assert.match(svg, /The busiest is 02:30, with 3 tasks in one minute\./);
    assert.match(svg, /<title>02:30: 3 tasks<\/title>/);
    assert.equal(svg.match(/<rect class="l\d" [^>]*><title>/g)?.length, 96);
    assert.deepEqual(svg.match(/(https?:|url\(|<script|<image)[^ ]*/g), ['http://www.w3.org/2000/svg"']);
  });

  test('text can be read on its ground, and levels can be told from it, in light and in dark', () => {
    const [light, dark] = pictureOf(result).split('@media (prefers-color-scheme: dark)');
    for (const style of [light, dark]) {
      const colour = (name: string): string =>
        new RegExp(`\\.${name} \\{ fill: (#\\w{6})`).exec(style)?.[1] ?? '';
      for (const name of ['text', 'soft']) assert.ok(contrast(colour(name), colour('ground')) >= 4.5, name);
      assert.ok(contrast(colour('l4'), colour('none')) >= 3);
      const steps = ['none', 'l0', 'l1', 'l2', 'l3', 'l4'].map(colour);
      for (const [index, each] of steps.slice(1).entries()) assert.notEqual(each, steps[index]);
    }
  });

  test('the page has all of it as text, and loads nothing', () => {
    const html = pageOf(result);
    assertWellFormed(html.replace('<!doctype html>', ''), new Set(['meta']));
    assert.match(html, /<html lang="en">/);
    assert.match(html, /default-src 'none'/);
    assert.match(html, /<h2>Busiest minutes<\/h2>/);
    assert.match(html, /02:30 does not happen and is skipped/);
    assert.match(html, /&lt;b&gt;&amp;&quot;x&quot;\ufffd/);
    assert.doesNotMatch(html, /<b>|<script|src=|href=/);
  });
});
