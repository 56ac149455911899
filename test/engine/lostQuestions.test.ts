/**
 * A question that a function makes and does not return is never asked, and what it should have
 * guarded would go on. Each function is watched by itself, also after an `await`.
 */
import { confirm, defineTool, resolver } from 'mcp-resolve';
import type { AnyResolver, Tool } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf } from '../support/results.js';
import { serving } from '../support/servers.js';

const yes = { elicit: () => accept({ confirm: true }) };
const lost =
  "Error executing tool pay: Resolver 'paid' made a question and did not return it, so nobody was asked: return the question itself, its answer becomes the value";

function toolWith(paid: AnyResolver): Tool {
  return defineTool('pay', { resolve: { paid: paid as never } }, ({ paid: value }) =>
    String(value),
  );
}

describe.each(eras)('%s', (era) => {
  const call = async (tool: Tool) =>
    (await connectClient(era, serving([tool]), yes)).call(tool.name);

  const losing: [string, () => unknown][] = [
    [
      'awaits it after another await',
      async () => {
        await Promise.resolve();
        // eslint-disable-next-line @typescript-eslint/await-thenable -- the mistake itself
        const ok = await confirm('Pay?');
        return Boolean(ok);
      },
    ],
    [
      'makes it in a helper that it awaits',
      async () => {
        const isSure = async (): Promise<boolean> => {
          await Promise.resolve();
          return Boolean(confirm('Pay?'));
        };
        return isSure();
      },
    ],
    [
      'makes it in a callback',
      () =>
        new Promise((resolve) => {
          setImmediate(() => {
            resolve(Boolean(confirm('Pay?')));
          });
        }),
    ],
  ];

  test.each(losing)('Z2: a resolver that %s fails', async (_, fn) => {
    expect(errorTextOf(await call(toolWith(resolver({}, fn))))).toBe(lost);
  });

  test('Z2: a body that makes a question after an await fails', async () => {
    const tool = defineTool('pay', {}, async () => {
      await Promise.resolve();
      const ok = Boolean(confirm('Pay?'));
      return ok ? 'paid' : 'kept';
    });
    expect(errorTextOf(await call(tool))).toContain("the body of 'pay' asked a question");
  });

  test('a fallback that makes a question and returns something else fails', async () => {
    const otherwise = async (): Promise<boolean> => {
      await Promise.resolve();
      return Boolean(confirm('Really?'));
    };
    const tool = toolWith(resolver({}, () => confirm('Pay?', { otherwise })));
    const chat = await connectClient(era, serving([tool]), { capabilities: {} });
    expect(errorTextOf(await chat.call('pay'))).toBe(
      "Error executing tool pay: Resolver 'paid' falls back on another question: 'otherwise' gives a value or throws",
    );
  });

  test('Z2: of several questions that a resolver makes, returning one is enough', async () => {
    const paid = resolver({}, async () => {
      const questions = [confirm('Pay one?'), confirm('Pay two?')];
      await Promise.resolve();
      questions.push(confirm('Pay three?'));
      return questions[1]!;
    });
    expect(await call(toolWith(paid))).toMatchObject({ content: [{ text: 'true' }] });
  });

  test('a resolver that runs at the same time is not blamed', async () => {
    const asked = deferred();
    const asking = resolver({}, async () => {
      await Promise.resolve();
      const question = confirm('Pay?');
      asked.resolve();
      return question;
    });
    const computing = resolver({}, async () => {
      await asked.promise;
      return 7;
    });
    const tool = defineTool('pay', { resolve: { asking, computing } }, (values) =>
      JSON.stringify(values),
    );
    expect(await call(tool)).toMatchObject({
      content: [{ text: '{"asking":true,"computing":7}' }],
    });
  });

  test('a caller is not blamed for the questions of a tool that it calls', async () => {
    const inner = toolWith(resolver({}, () => confirm('Pay?', { otherwise: true })));
    const paid = resolver({}, async () => {
      await Promise.resolve();
      const { content } = await inner.call(undefined as never);
      return JSON.stringify(content);
    });
    expect(await call(toolWith(paid))).toMatchObject({
      content: [{ text: '[{"type":"text","text":"true"}]' }],
    });
  });

  test('a question that was made at module level is asked when it is returned', async () => {
    const question = confirm('Pay?');
    expect(await call(toolWith(resolver({}, () => question)))).toMatchObject({
      content: [{ text: 'true' }],
    });
  });
});
