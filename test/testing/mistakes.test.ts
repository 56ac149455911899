/** Tests the kit's error messages for mistakes in a test or in the definition it calls. */
import { McpServer } from '@modelcontextprotocol/server';
import {
  confirm,
  defineResource,
  defineTool,
  elicit,
  outcome,
  resolver,
  ToolError,
} from 'mcp-resolve';
import { accept, decline, override, probe, roots, run, says } from 'mcp-resolve/testing';
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { amountDue, approval, askAll, payInvoice, yes } from './payments.js';

const large = { invoice: 'INV-2' };

/** Returns the message of the error that a function must throw. */
async function messageOf(failing: () => unknown): Promise<string> {
  try {
    await failing();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return (error as Error).message;
  }
  throw new Error('expected it to fail');
}

describe.each(eras)('run on the %s era', (era) => {
  test('shows a question without an answer and the line that would answer it', async () => {
    expect(await messageOf(() => run(payInvoice, large, { era }))).toBe(
      `'pay_invoice' asks a question that has no scripted answer.

  key       approved
  kind      form, in round 1
  message   Pay 900 euros for INV-2?
  schema    { confirm: boolean }

Add an answer: { answers: { approved: accept({ confirm: true }) } }. To test a refusal, use decline() or cancel().
To test a client that cannot be asked, pass { capabilities: {} }.`,
    );
  });

  test('names the scripted answers with other keys', async () => {
    const answers = { consent: accept({ confirm: true }) };

    expect(await messageOf(() => run(payInvoice, large, { era, answers }))).toContain(
      '\nScripted, but not asked so far: consent. The key of an answer is the name of the resolver, or the parameter that it fills if it has no name.\nAdd an answer: { answers: { approved: ',
    );
  });

  test('shows the whole error of a call that failed before it asked', async () => {
    const broken = resolver({}, (): string => {
      throw new ToolError(`the records cannot be read: ${'why '.repeat(80)}`);
    });
    const tool = defineTool('broken', { resolve: { broken } }, () => 'done');
    const message = await messageOf(() => run(tool, undefined, { era, answers: yes }));

    expect(message).toMatch(/^'broken' failed before it used all scripted answers: /);
    expect(message).toContain('why '.repeat(80).trim());
    expect(message).toContain('\n  unused    approved\n  asked     nothing\n');
  });

  test('treats a function that returns undefined as no answer', async () => {
    expect(
      await messageOf(() => run(payInvoice, large, { era, answers: () => undefined })),
    ).toMatch(/^'pay_invoice' asks a question that has no scripted answer\./);
  });

  test.each([
    [{}, "form: accept({ size: 'S' })", "{ size: 'S' | 'M', note?: string }"],
    [{ form: accept({ size: 'S' }) }, 'link: accept()', 'https://desk.example/sign-in'],
    [{ form: accept({ size: 'S' }), link: accept() }, "model: says('…')", 'Which colour?'],
    [
      { form: accept({ size: 'S' }), link: accept(), model: says('Blue.') },
      "folders: roots(['file:///work'])",
      'kind      roots, in round 1',
    ],
  ])('suggests an answer for each kind of question (%#)', async (answers, line, shown) => {
    const message = await messageOf(() => run(askAll, {}, { era, answers }));

    expect(message).toContain(`Add an answer: { answers: { ${line} } }.`);
    expect(message).toContain(shown);
  });

  test('shows the fields of a large form and suggests an answer', async () => {
    const Form = z.object({
      'first name': z.string(),
      age: z.number().int().min(18),
      colours: z.array(z.enum(['red', 'blue'])),
      size: z.enum(['S', 'M']).default('M'),
    });
    const form = resolver({}, () => elicit('Who?', Form), { asks: 'form', name: 'the form' });
    const tool = defineTool('t', { resolve: { form } }, () => 'done');

    const message = await messageOf(() => run(tool, {}, { era }));
    expect(message).toContain(
      `schema    { "first name": string, age: integer, colours: ('red' | 'blue')[], size?: 'S' | 'M' }`,
    );
    expect(message).toContain(
      `{ answers: { "the form": accept({ "first name": '…', age: 18, colours: ['red'] }) } }`,
    );
  });

  test('names an unused answer and shows the result of the call', async () => {
    expect(
      await messageOf(() => run(payInvoice, { invoice: 'INV-1' }, { era, answers: yes })),
    ).toBe(
      `'pay_invoice' ended without using all scripted answers.

  unused    approved
  asked     nothing
  result    Paid 40 euros for INV-1.

Remove the unused answers from the script, or allow them with { unused: 'allow' }.`,
    );
    const allowed = { era, answers: yes, unused: 'allow' } as const;
    expect((await run(payInvoice, { invoice: 'INV-1' }, allowed)).text).toMatch(/^Paid/);
  });

  test('counts the unused answers of an array', async () => {
    const answers = { approved: [accept({ confirm: true }), decline(), decline()] };

    expect(await messageOf(() => run(payInvoice, large, { era, answers }))).toContain(
      '\n  unused    approved: 2 of 3 answers\n  asked     approved\n',
    );
  });

  test('says how many answers an array has if it is too short', async () => {
    const answers = { approved: [] };

    expect(await messageOf(() => run(payInvoice, large, { era, answers }))).toContain(
      'The script has too few answers to this question (asked: 1, scripted: 0).\n',
    );
  });

  test.each([
    ['content without an action', { confirm: true }],
    ['true', true],
    ["a model's answer", says('yes')],
    ["a client's answer about roots", roots([])],
    ['a promise of null', () => Promise.resolve(null)],
  ])('refuses %s as an answer to a form', async (_, answer) => {
    const answers = { approved: answer as never };

    expect(await messageOf(() => run(payInvoice, large, { era, answers }))).toBe(
      "The scripted answer to 'approved' of 'pay_invoice' does not fit a question of kind 'form'. Pass accept({ confirm: true }).",
    );
  });

  test('fails the test with the error that an answer function throws', async () => {
    const broken = new RangeError('the script is broken');
    const answers = (): never => {
      throw broken;
    };

    await expect(run(payInvoice, large, { era, answers })).rejects.toBe(broken);
    await expect(run(payInvoice, large, { era, answers: { approved: answers } })).rejects.toBe(
      broken,
    );
  });

  test('sends an answer that does not match the form to the server', async () => {
    const answers = { approved: accept({ yes: true }) };

    const { text, isError } = await run(payInvoice, large, { era, answers });
    expect(isError).toBe(true);
    expect(text).toMatch(/eceived an accepted elicitation whose content does not match/);
  });
});

describe('run refuses', () => {
  const trips = defineResource(
    'trips',
    new ResourceTemplate('trips://{city}', { list: undefined }),
    {},
    () => '',
  );

  test.each([
    ['a resolver', approval, 'It is a resolver. Pass a tool that uses it.'],
    ['undefined', undefined, 'It is undefined. Check that the definition is exported '],
    ['an array', [payInvoice], 'It is an array. Pass one definition at a time.'],
    ['a function', () => 'Paid.', 'It is a function. Create a tool with defineTool('],
    ['a server', new McpServer({ name: 'a', version: '1.0.0' }), 'It is a server. Pass one of'],
    ['a name', 'pay_invoice', 'Create one with defineTool('],
  ])('%s in place of a definition', async (_, given, hint) => {
    expect(await messageOf(() => run(given as never, {} as never))).toContain(
      `run(): the first argument must be a definition, as in run(payInvoice, { invoice: 'INV-1' }). ${hint}`,
    );
  });

  test('arguments that are not an object, and a template without a URI', async () => {
    expect(await messageOf(() => run(payInvoice, 'INV-1' as never))).toBe(
      "run(): the arguments of 'pay_invoice' must be an object or undefined.",
    );
    expect(await messageOf(() => run(trips))).toBe(
      "run(): the second argument must be the URI of the resource, as in run(trip, 'trips://next').",
    );
  });

  test.each([
    [{ answer: yes }, "run() has no option 'answer'. Did you mean 'answers'?"],
    [{ context: {} }, "run() has no option 'context'. Known options: era, answers, "],
    [{ era: '2025' }, "run(): `era` must be 'modern' or 'legacy'."],
    [
      { answers: [] },
      'run(): `answers` must be an object of answers by wire key, such as { approved: accept(',
    ],
    [
      { answers: decline() },
      'run(): `answers` must be an object of answers by wire key, such as { approved: ',
    ],
    [
      { overrides: override(amountDue, 1) },
      'run(): `overrides` must be an array of overrides, such as [override(amountDue, 40)].',
    ],
    [
      { overrides: [amountDue] },
      'run(): `overrides` must be an array of overrides, such as [override(amountDue, 40)].',
    ],
    [{ maxRounds: 1.5 }, 'run(): `maxRounds` must be a non-negative integer.'],
    [{ unused: true }, "run(): `unused` must be 'allow' or 'fail'."],
    ['modern', 'run(): the options must be an object. Known options: era, answers, '],
    [{ install: { sael: 1 } }, "install() has no option 'sael'"],
  ])('the options %j', async (options, message) => {
    expect(await messageOf(() => run(payInvoice, large, options as never))).toContain(message);
  });
});

describe('override refuses', () => {
  const other = resolver({}, () => 1, { name: 'rate' });

  test.each([
    ['an outcome', outcome(approval), 'Pass the resolver without outcome().'],
    [
      'undefined',
      undefined,
      'It is undefined. Check that the resolver is exported and that its name is spelled correctly.',
    ],
    ['a function', () => 1, 'A function is not a resolver.'],
    ['a tool', payInvoice, "It is of kind 'tool'."],
    ['a name', 'approved', "It is a value of type 'string'."],
  ])('%s in place of a resolver', async (_, given, hint) => {
    expect(await messageOf(() => override(given as never, 1))).toBe(
      `override(): the first argument must be a resolver, as in override(amountDue, 40). ${hint}`,
    );
  });

  test('a resolver that the definition does not use', async () => {
    const overrides = [override(amountDue, 1), override(other, 2)];

    expect(await messageOf(() => run(payInvoice, large, { overrides }))).toBe(
      "`overrides[1]` replaces a resolver ('rate') that 'pay_invoice' does not use. It uses 'euros', 'approved'. Overrides match by identity, so import the same resolver object that the definition uses.",
    );
  });

  test('a resolver that is overridden twice', async () => {
    const overrides = [override(amountDue, 1), override(amountDue, 2)];

    expect(await messageOf(() => run(payInvoice, large, { overrides }))).toBe(
      "`overrides` replaces resolver 'euros' of 'pay_invoice' twice. Remove one of the two overrides.",
    );
  });

  test('a question in place of a value', async () => {
    const question = confirm('Sure?');
    const text = 'override(): the replacement must be a value, not a question. ';

    expect(await messageOf(() => override(approval, question as never))).toContain(text);
    const later = override(approval, () => question as never);
    const { cause } = await run(payInvoice, large, { overrides: [later] });
    expect(cause?.message).toContain(text);
  });
});

describe('probe refuses', () => {
  test.each([0, 1.5, '1'])('the round %j', async (round) => {
    const options = { round } as never;
    expect(await messageOf(() => probe.tampered(payInvoice, large, options))).toBe(
      'probe.tampered(): `round` must be a positive integer.',
    );
  });

  test('a call that asks nothing, because it has no token', async () => {
    expect(await messageOf(() => probe.tampered(payInvoice, { invoice: 'INV-1' }))).toBe(
      "'pay_invoice' asks nothing, so there is no token to misuse. It ended with 'Paid 40 euros for INV-1.'. Pass arguments that make it ask.",
    );
    expect(
      await messageOf(() => probe.tampered(payInvoice, large, { answers: yes, round: 2 })),
    ).toBe(
      "'pay_invoice' asks nothing in round 2, so there is no token to misuse. It ended with 'Paid 900 euros for INV-2.'. Pass arguments that make it ask, or an earlier `round`.",
    );
  });

  test('a call whose questions have no scripted answers', async () => {
    expect(await messageOf(() => probe.expired(payInvoice, large))).toContain(
      'asks a question that has no scripted answer.',
    );
  });

  test('a call that ends with a protocol error', async () => {
    expect(await messageOf(() => probe.expired(payInvoice, large, { capabilities: {} }))).toBe(
      "'pay_invoice' failed before its token could be misused: Client did not declare the form elicitation capability required by resolver 'approved'",
    );
  });

  test('to swap arguments for the same ones or for none', async () => {
    const options = { answers: yes, otherArgs: large };

    expect(await messageOf(() => probe.swappedArguments(payInvoice, large, options))).toBe(
      'probe.swappedArguments(): `otherArgs` must differ from the arguments of the call.',
    );
    expect(
      await messageOf(() => probe.swappedArguments(payInvoice, large, undefined as never)),
    ).toContain('probe.swappedArguments(): `otherArgs` is required, as in ');
  });

  test('unknown options', async () => {
    const legacy = { answers: yes, era: 'legacy' } as never;

    expect(await messageOf(() => probe.replayed(payInvoice, large, legacy))).toContain(
      "probe.replayed() has no option 'era'",
    );
  });
});
