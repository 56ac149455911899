/**
 * Tests the actions that the page may send, and the words and the code that the page makes of a
 * run.
 */
import { describe, expect, it } from 'vitest';
import { changeOne } from '../../src/dev/page/changeOne.js';
import { explainCheat, ONCE_LINE } from '../../src/dev/page/cheatWords.js';
import { readAction } from '../../src/dev/page/protocol.js';

const DECISION = { id: 'AP-1', who: 'cleo', inGroup: true, verdict: 'approve', comment: '' };

const SPEC = {
  id: 'tool pay',
  args: { invoice: 'INV-1' },
  era: 'modern',
  abilities: { form: true, url: false, sampling: 'yes' },
};

describe('an action of the page', () => {
  it('is copied with the properties that the command knows', () => {
    const read = readAction({ type: 'run', spec: { ...SPEC, other: 1 }, more: 2 });
    expect(read).toEqual({
      type: 'run',
      spec: { ...SPEC, abilities: { form: true, url: false, sampling: false, roots: false } },
    });
    expect(readAction({ type: 'answer', answers: { a: 1 } })).toEqual({
      type: 'answer',
      answers: { a: 1 },
    });
    expect(readAction({ type: 'cheat', cheat: 'twice', x: 1 })).toEqual({
      type: 'cheat',
      cheat: 'twice',
    });
    expect(readAction({ type: 'decide', decision: { ...DECISION, groups: ['root'] } })).toEqual({
      type: 'decide',
      decision: DECISION,
    });
    expect(readAction({ type: 'stop', x: 1 })).toEqual({ type: 'stop' });
  });

  const wrong: readonly (readonly [unknown, string])[] = [
    [undefined, 'There is no action of this type.'],
    [{ type: '__proto__' }, 'There is no action of this type.'],
    [{ type: 'cheat', cheat: 'toString' }, 'There is no cheat of this name.'],
    [{ type: 'answer', answers: [] }, '`answers` must be an object.'],
    [{ type: 'decide' }, '`decision` must be an object.'],
    [{ type: 'decide', decision: { ...DECISION, verdict: 'toString' } }, '`verdict` is unknown.'],
    ...['id', 'who', 'comment'].map(
      (name) =>
        [
          { type: 'decide', decision: { ...DECISION, [name]: 7 } },
          '`id`, `who` and `comment` must be strings.',
        ] as const,
    ),
    [{ type: 'run', spec: { ...SPEC, id: 7 } }, '`id` must be a string.'],
    [{ type: 'run', spec: { ...SPEC, era: 'old' } }, '`era` is unknown.'],
    [{ type: 'run', spec: { ...SPEC, args: 'x' } }, '`args` must be an object.'],
    [{ type: 'run', spec: { ...SPEC, authInfo: null } }, '`authInfo` must be an object.'],
  ];
  it('puts somebody into the group only if it says so with true', () => {
    const read = readAction({ type: 'decide', decision: { ...DECISION, inGroup: 'yes' } });
    expect(read).toEqual({ type: 'decide', decision: { ...DECISION, inGroup: false } });
  });

  it.each(wrong)('%j is refused', (value, message) => {
    expect(() => readAction(value)).toThrow(new TypeError(message));
  });
});

describe('the argument that a cheat changes', () => {
  it('gets another valid value', () => {
    const choice = { properties: { size: { enum: ['S', 'M'] } } };
    expect(changeOne({ size: 'S' }, choice).args).toEqual({ size: 'M' });
    expect(changeOne({ list: [], count: 2 }, {}).args).toEqual({ list: [], count: 3 });
    expect(changeOne({ id: 'A' }, {})).toEqual({
      args: { id: 'A-2' },
      words: 'id "A-2" in place of "A"',
    });
    expect(() => changeOne({}, {})).toThrow('no argument that could be changed');
  });
});

describe('the verdict on a cheat', () => {
  const nothing = { error: undefined, asks: [], bodyRuns: 0, approvals: undefined, once: false };

  it('names the missing line only if `once` would stop it', () => {
    const through = { ...nothing, bodyRuns: 1 };
    expect(explainCheat('replay', through)).toMatchObject({
      verdict: 'through',
      missing: ONCE_LINE,
    });
    expect(explainCheat('otherUser', through).missing).toBeUndefined();
    expect(explainCheat('replay', { ...through, once: true }).missing).toBeUndefined();
  });

  it('allows one run of the body if the call is answered twice', () => {
    expect(explainCheat('twice', { ...nothing, bodyRuns: 1, once: true }).verdict).toBe('recorded');
    expect(explainCheat('twice', { ...nothing, bodyRuns: 2 }).verdict).toBe('through');
  });

  it('says that a question was asked again', () => {
    expect(explainCheat('unasked', { ...nothing, asks: ['approved'] }).verdict).toBe('ignored');
  });
});
