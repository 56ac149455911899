/** Z1: only the value `true` lets a call pass a guard. */
import { argsOf, confirm, definePrompt, defineResource, defineTool, resolver } from 'mcp-resolve';
import { accept, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';

const SLIPS: readonly [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['false', false],
  ['zero', 0],
  ['one', 1],
  ['an empty string', ''],
  ['the string true', 'true'],
  ['an object', { allowed: false }],
  ['an empty array', []],
  ['a Boolean object', Object(true)],
];

/** A guard as plain JavaScript writes it, without types. */
const untyped = (fn: () => unknown, name?: string) =>
  resolver({}, fn as () => boolean, name === undefined ? {} : { name });

describe.each(eras)('on the %s era', (era) => {
  describe.each(SLIPS)('a guard that returns %s', (_, value) => {
    test.each([
      ['synchronously', () => value],
      ['asynchronously', async () => value],
    ])('Z1: refuses the call %s', async (_how, fn) => {
      let ran = false;
      const tool = defineTool('refund', { guards: [untyped(fn, 'mayRefund')] }, () => {
        ran = true;
        return 'refunded';
      });

      expect(await run(tool, {}, { era })).toMatchObject({
        isError: true,
        text: "Error executing tool refund: Guard 'mayRefund' refused",
        cause: undefined,
      });
      expect(ran).toBe(false);
    });
  });

  test('Z1: a guard without a name is reported by its position', async () => {
    const tool = defineTool(
      'refund',
      { guards: [untyped(() => true), untyped(() => undefined)] },
      () => 'refunded',
    );

    expect((await run(tool, {}, { era })).text).toBe(
      'Error executing tool refund: Guard 2 refused',
    );
  });

  test('Z1: a guard that also fills a parameter still has to be true', async () => {
    const role = untyped(() => 'admin', 'role');
    const tool = defineTool('refund', { guards: [role], resolve: { role } }, () => 'refunded');

    expect((await run(tool, {}, { era })).text).toBe(
      "Error executing tool refund: Guard 'role' refused",
    );
  });

  test('Z1: true lets the call go on, also from a promise', async () => {
    const tool = defineTool(
      'refund',
      { guards: [resolver({}, () => true), resolver({}, async () => true)] },
      () => 'refunded',
    );

    expect(await run(tool, {}, { era })).toMatchObject({ isError: false, text: 'refunded' });
  });

  test('Z1: a guard that asks lets the call go on only after a confirmation', async () => {
    const sure = resolver({}, () => confirm('Really?'), { asks: 'form', name: 'sure' });
    const tool = defineTool('refund', { guards: [sure] }, () => 'refunded');
    const answered = async (answer: ReturnType<typeof accept>) =>
      (await run(tool, {}, { era, answers: { sure: answer } })).text;

    expect(await answered(accept({ confirm: true }))).toBe('refunded');
    expect(await answered(accept({ confirm: false }))).toBe(
      "Error executing tool refund: Resolver for parameter 'sure' could not resolve: elicitation was decline",
    );
    expect(await answered(decline())).toContain('elicitation was decline');
  });

  test('Z1: prompts and resources have the same guards', async () => {
    const Input = z.object({ city: z.string() });
    const guards = [
      resolver({ city: argsOf(Input).city }, (values) => values.city as unknown as boolean),
    ];
    const prompt = definePrompt('plan', { argsSchema: Input, guards }, () => 'planned');
    const resource = defineResource(
      'trips',
      'trips://next',
      { guards: [untyped(() => 1)] },
      () => '',
    );

    expect((await run(prompt, { city: 'Lyon' }, { era })).text).toBe(
      'Error getting prompt plan: Guard 1 refused',
    );
    expect((await run(resource, 'trips://next', { era })).text).toBe(
      'Error reading resource trips://next: Guard 1 refused',
    );
  });
});
