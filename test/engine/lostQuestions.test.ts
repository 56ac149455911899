/**
 * Tests that a call fails if a function creates a question and does not return it. Otherwise the
 * question would never be asked, and the call would go on. Each function is watched separately,
 * also after an `await`.
 */
import { confirm, defineTool, resolver } from 'mcp-resolve';
import type { AnyResolver, Tool } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';

import { serving } from '../support/servers.js';

const yes = accept({ confirm: true });
const LOST =
  "Resolver 'paid' created a question but did not return it, so it was never asked. Return the question itself. Its answer becomes the value.";

function toolWith(paid: AnyResolver): Tool {
  return defineTool('pay', { resolve: { paid: paid as never } }, ({ paid: value }) =>
    String(value),
  );
}

describe.each(eras)('on the %s era', (era) => {
  const losing: [string, () => unknown][] = [
    [
      'awaits a question after another promise',
      async () => {
        await Promise.resolve();
        // eslint-disable-next-line @typescript-eslint/await-thenable -- the mistake itself
        const ok = await confirm('Pay?');
        return Boolean(ok);
      },
    ],
    [
      'creates a question in a helper that it awaits',
      async () => {
        const isSure = async (): Promise<boolean> => {
          await Promise.resolve();
          return Boolean(confirm('Pay?'));
        };
        return isSure();
      },
    ],
    [
      'creates a question in a callback',
      () =>
        new Promise((resolve) => {
          setImmediate(() => {
            resolve(Boolean(confirm('Pay?')));
          });
        }),
    ],
  ];

  test.each(losing)('Z2: a resolver fails if it %s', async (_, fn) => {
    const tool = toolWith(resolver({}, fn));
    expect(await run(tool, {}, { era })).toMatchObject({
      isError: true,
      text: 'Error executing tool pay',
      cause: { message: LOST },
    });
  });

  test('Z2: a body that creates a question after an await fails', async () => {
    const tool = defineTool('pay', {}, async () => {
      await Promise.resolve();
      const ok = Boolean(confirm('Pay?'));
      return ok ? 'paid' : 'kept';
    });
    const { isError, cause } = await run(tool, {}, { era });
    expect(isError).toBe(true);
    expect(cause?.message).toMatch(/^The body of 'pay' asked a question/);
  });

  test('a fallback that creates a question and returns another value fails', async () => {
    const otherwise = async (): Promise<boolean> => {
      await Promise.resolve();
      return Boolean(confirm('Really?'));
    };
    const tool = toolWith(resolver({}, () => confirm('Pay?', { otherwise }), { asks: 'form' }));
    expect(await run(tool, {}, { era, capabilities: {} })).toMatchObject({
      isError: true,
      cause: {
        message:
          "Resolver 'paid' falls back to another question. `otherwise` must return a value or throw.",
      },
    });
  });

  test('Z2: a resolver that creates several questions may return one of them', async () => {
    const paid = resolver(
      {},
      async () => {
        const questions = [confirm('Pay one?'), confirm('Pay two?')];
        await Promise.resolve();
        questions.push(confirm('Pay three?'));
        return questions[1]!;
      },
      { asks: 'form' },
    );
    const { text, isError, questions } = await run(
      toolWith(paid),
      {},
      { era, answers: { paid: yes } },
    );
    expect({ text, isError }).toEqual({ text: 'true', isError: false });
    expect(questions.map(({ message }) => message)).toEqual(['Pay two?']);
  });

  test('a resolver does not fail for the question of a concurrent one', async () => {
    const asked = deferred();
    const asking = resolver(
      {},
      async () => {
        await Promise.resolve();
        const question = confirm('Pay?');
        asked.resolve();
        return question;
      },
      { asks: 'form' },
    );
    const computing = resolver({}, async () => {
      await asked.promise;
      return 7;
    });
    const tool = defineTool('pay', { resolve: { asking, computing } }, (values) =>
      JSON.stringify(values),
    );
    expect(await run(tool, {}, { era, answers: { asking: yes } })).toMatchObject({
      isError: false,
      text: '{"asking":true,"computing":7}',
    });
  });

  test('a resolver does not fail for the questions of a tool that it calls', async () => {
    const inner = toolWith(
      resolver({}, () => confirm('Pay?', { otherwise: true }), { asks: 'form' }),
    );
    const paid = resolver({}, async () => {
      await Promise.resolve();
      const { content } = await inner.call(undefined as never);
      return JSON.stringify(content);
    });
    expect(await run(toolWith(paid), {}, { era })).toMatchObject({
      isError: false,
      text: '[{"type":"text","text":"true"}]',
    });
  });

  test('a question that was created outside of any function is asked', async () => {
    const question = confirm('Pay?');
    const tool = toolWith(resolver({}, () => question, { asks: 'form' }));
    const { text, asked } = await connectClient(era, serving([tool]), { elicit: [yes] });
    expect(await text('pay')).toBe('true');
    expect(asked).toEqual(['Pay?']);
  });
});
