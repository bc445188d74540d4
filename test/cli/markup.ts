/** Markup, looked at without a browser. */
import assert from 'node:assert/strict';

/** Every tag is closed in order, and nothing is left of what should have been escaped. */
export function assertWellFormed(text: string, unclosed: ReadonlySet<string> = new Set()): void {
  const open: string[] = [];
  for (const [, closing, name, attributes, self] of text.matchAll(
    /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/g,
  )) {
    assert.doesNotMatch(attributes, /="[^"]*&(?!#?\w+;)/, attributes);
    if (closing === '/') assert.equal(open.pop(), name);
    else if (self !== '/' && !unclosed.has(name)) open.push(name);
  }
  assert.deepEqual(open, []);
}
