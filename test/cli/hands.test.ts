/** What keys of the live view choose, as a pure function: a key acts on a task that is on the screen, never on one that the filter hides. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HANDS_OFF, type Pressed, press } from '../../src/cli/live/hands.ts';

const ALL = ['ok', 'fails', 'long', 'slow'];

/** Presses keys one after the other, with the tasks that the filter leaves at each. */
function pressed(...keys: readonly string[]): Pressed {
  let at: Pressed = { hands: HANDS_OFF };
  for (const key of keys) {
    const { filter } = at.hands;
    at = press(at.hands, key, {
      names: ALL.filter((name) => name.includes(filter)),
      page: 10,
      isPaused: (name) => name === 'slow',
    });
  }
  return at;
}

const FILTERED = ['j', 'j', '/', 'l', 'o', 'enter'];

describe('keys after a filter has hidden the selected task', () => {
  test('r, p and c are about the first task that is shown', () => {
    assert.equal(pressed(...FILTERED).hands.selected, 'fails');
    for (const [key, question] of [
      ['r', /^Run long now\?/],
      ['p', /^Pause long until/],
      ['c', /^Cancel the run of long,/],
    ] as const) {
      const { screen, selected } = pressed(...FILTERED, key).hands;
      assert.equal(selected, 'long');
      assert.ok(screen.kind === 'question');
      assert.match(screen.text, question);
      assert.deepEqual(pressed(...FILTERED, key, 'y').deed, screen.deed);
    }
  });

  test('p, which asks nothing for a paused task, is not about a hidden one either', () => {
    const { deed } = pressed('k', '/', 'f', 'enter', 'p');
    assert.equal(deed, undefined, 'the paused task is hidden');
  });

  test('Enter shows the first task that is shown', () => {
    const { selected, screen } = pressed(...FILTERED, 'enter').hands;
    assert.deepEqual([selected, screen.kind], ['long', 'task']);
  });

  test('a selected task that the filter leaves stays selected', () => {
    assert.equal(pressed('k', '/', 'l', 'o', 'enter', 'r').hands.selected, 'slow');
  });

  test('nothing happens if the filter leaves nothing', () => {
    for (const key of ['r', 'p', 'c', 'enter']) {
      const { hands, deed } = pressed('j', '/', 'x', 'x', 'enter', key);
      assert.deepEqual([hands.screen.kind, deed], ['tasks', undefined], key);
    }
  });
});

test('the first key selects the row at which it begins: the first, the last from below, and an end by its own name', () => {
  const of = (key: string): string | undefined => pressed(key).hands.selected;
  for (const key of ['j', 'down', 'page down', 'home', 'g']) assert.equal(of(key), 'ok', key);
  for (const key of ['k', 'up', 'page up', 'end', 'G']) assert.equal(of(key), 'slow', key);
});
