/** What the kit says when a test, or what it tests, is not as it was meant: read it aloud. */
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

/** The message of the error that something must end with. */
async function messageOf(failing: () => unknown): Promise<string> {
  try {
    await failing();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return (error as Error).message;
  }
  throw new Error('expected it to fail');
}

describe.each(eras)('on the %s era', (era) => {
  test('a question that nobody scripted is shown, with the line that scripts it', async () => {
    expect(await messageOf(() => run(payInvoice, large, { era }))).toBe(
      `'pay_invoice' asks a question that no answer is scripted for.

  key       approved
  kind      form, in round 1
  message   Pay 900 euros for INV-2?
  schema    { confirm: boolean }

Script it: { answers: { approved: accept({ confirm: true }) } }, or decline(), or cancel().
For a client that cannot be asked: { capabilities: {} }.`,
    );
  });

  test('answers to other keys are pointed out', async () => {
    const answers = { consent: accept({ confirm: true }) };

    expect(await messageOf(() => run(payInvoice, large, { era, answers }))).toContain(
      "\nNot asked so far, but scripted: consent. An answer goes by the parameter that the resolver fills, or by the resolver's name.\nScript it: { answers: { approved: ",
    );
  });

  test('a call that failed before it asked tells its error first, in full', async () => {
    const broken = resolver({}, (): string => {
      throw new ToolError(`the records cannot be read: ${'why '.repeat(80)}`);
    });
    const tool = defineTool('broken', { resolve: { broken } }, () => 'done');
    const message = await messageOf(() => run(tool, undefined, { era, answers: yes }));

    expect(message).toMatch(/^'broken' failed, and left answers of the script unused: /);
    expect(message).toContain('why '.repeat(80).trim());
    expect(message).toContain('\n  not used  approved\n  asked     nothing\n');
  });

  test('a function that has no answer leaves a question unscripted', async () => {
    expect(
      await messageOf(() => run(payInvoice, large, { era, answers: () => undefined })),
    ).toMatch(/^'pay_invoice' asks a question that no answer is scripted for\./);
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
  ])('each kind of question has an answer of its own (%#)', async (answers, line, shown) => {
    const message = await messageOf(() => run(askAll, {}, { era, answers }));

    expect(message).toContain(`Script it: { answers: { ${line} } }`);
    expect(message).toContain(shown);
  });

  test('a form with many fields is sketched, and so is an answer to it', async () => {
    const Form = z.object({
      'first name': z.string(),
      age: z.number().int().min(18),
      colours: z.array(z.enum(['red', 'blue'])),
      size: z.enum(['S', 'M']).default('M'),
    });
    const form = resolver({}, () => elicit('Who?', Form), { name: 'the form' });
    const tool = defineTool('t', { resolve: { form } }, () => 'done');

    const message = await messageOf(() => run(tool, {}, { era }));
    expect(message).toContain(
      `schema    { "first name": string, age: integer, colours: ('red' | 'blue')[], size?: 'S' | 'M' }`,
    );
    expect(message).toContain(
      `{ answers: { "the form": accept({ "first name": '…', age: 18, colours: ['red'] }) } }`,
    );
  });

  test('an answer that nobody asked for is named, and the end of the call with it', async () => {
    expect(
      await messageOf(() => run(payInvoice, { invoice: 'INV-1' }, { era, answers: yes })),
    ).toBe(
      `'pay_invoice' did not ask for every answer that is scripted.

  not used  approved
  asked     nothing
  ended     Paid 40 euros for INV-1.

Take what is not used out of the script, or allow it with { unused: 'allow' }.`,
    );
    const allowed = { era, answers: yes, unused: 'allow' } as const;
    expect((await run(payInvoice, { invoice: 'INV-1' }, allowed)).text).toMatch(/^Paid/);
  });

  test('the rest of a list that was not used up is counted', async () => {
    const answers = { approved: [accept({ confirm: true }), decline(), decline()] };

    expect(await messageOf(() => run(payInvoice, large, { era, answers }))).toContain(
      '\n  not used  approved: 2 of 3 answers\n  asked     approved\n',
    );
  });

  test('a list that is too short is named', async () => {
    const answers = { approved: [] };

    expect(await messageOf(() => run(payInvoice, large, { era, answers }))).toContain(
      'This is time 1, and the script has 0 answers to it.\n',
    );
  });

  test.each([
    ['the content alone', { confirm: true }],
    ['a bare yes', true],
    ['an answer of a model', says('yes')],
    ['an answer of a client', roots([])],
    ['a promise of nothing', () => Promise.resolve(null)],
  ])('%s is no answer to a form', async (_, answer) => {
    const answers = { approved: answer as never };

    expect(await messageOf(() => run(payInvoice, large, { era, answers }))).toBe(
      "The answer scripted for 'approved' of 'pay_invoice' is none to a question of kind 'form'. Give accept({ confirm: true }).",
    );
  });

  test('what the function of an answer throws is what the test fails with', async () => {
    const broken = new RangeError('the script is broken');
    const answers = (): never => {
      throw broken;
    };

    await expect(run(payInvoice, large, { era, answers })).rejects.toBe(broken);
    await expect(run(payInvoice, large, { era, answers: { approved: answers } })).rejects.toBe(
      broken,
    );
  });

  test('an answer that does not fit the form goes to the server, as a real one would', async () => {
    const answers = { approved: accept({ yes: true }) };

    const { text, isError } = await run(payInvoice, large, { era, answers });
    expect(isError).toBe(true);
    expect(text).toMatch(/eceived an accepted elicitation whose content does not match/);
  });
});

describe('what cannot be called', () => {
  const trips = defineResource(
    'trips',
    new ResourceTemplate('trips://{city}', { list: undefined }),
    {},
    () => '',
  );

  test.each([
    ['a resolver', approval, 'this is a resolver; call the tool that uses it'],
    ['nothing', undefined, 'it is undefined (is its name misspelt, or not exported?)'],
    ['a list', [payInvoice], 'this is a list; call one of them at a time'],
    ['a function', () => 'Paid.', 'this is a function; a tool is made with defineTool('],
    ['a server', new McpServer({ name: 'a', version: '1.0.0' }), 'this is a server; call one of'],
    ['a name', 'pay_invoice', 'make one with defineTool('],
  ])('%s is told from a definition', async (_, given, hint) => {
    expect(await messageOf(() => run(given as never, {} as never))).toContain(
      `run() takes a definition first, as in run(payInvoice, { invoice: 'INV-1' }): ${hint}`,
    );
  });

  test('arguments are an object, and a template needs a uri', async () => {
    expect(await messageOf(() => run(payInvoice, 'INV-1' as never))).toBe(
      "run(): the arguments of 'pay_invoice' are an object, or left out.",
    );
    expect(await messageOf(() => run(trips))).toBe(
      "run(): a resource is read at a uri, as in run(trip, 'trips://next').",
    );
  });

  test.each([
    [{ answer: yes }, "run() has no option 'answer' (did you mean 'answers'?)."],
    [{ context: {} }, "run() has no option 'context' (known: era, answers, "],
    [{ era: '2025' }, "run(): era is 'modern' or 'legacy'."],
    [{ answers: [] }, 'run(): answers is an object of answers by wire key, { approved: accept('],
    [{ answers: decline() }, 'run(): answers is an object of answers by wire key, { approved: '],
    [
      { overrides: override(amountDue, 1) },
      'run(): overrides is a list: [override(amountDue, 40)].',
    ],
    [{ overrides: [amountDue] }, 'run(): overrides is a list: [override(amountDue, 40)].'],
    [{ maxRounds: 1.5 }, 'run(): maxRounds is a whole number from 0.'],
    [{ unused: true }, "run(): unused is 'allow' or 'fail'."],
    ['modern', 'run(): the options are an object: { era, answers, '],
    [{ install: { sael: 1 } }, "install(): there is no option 'sael'"],
  ])('the options %j', async (options, message) => {
    expect(await messageOf(() => run(payInvoice, large, options as never))).toContain(message);
  });

  test.each([0, 1.5, '1'])('a probe of round %j', async (round) => {
    const options = { round } as never;
    expect(await messageOf(() => probe.tampered(payInvoice, large, options))).toBe(
      'probe.tampered(): round is a whole number from 1.',
    );
  });
});

describe('what cannot be overridden', () => {
  const other = resolver({}, () => 1, { name: 'rate' });

  test.each([
    ['an outcome', outcome(approval), 'take the resolver out of outcome(…).'],
    ['nothing', undefined, 'it is undefined (is its name misspelt, or not exported?).'],
    ['a function', () => 1, 'a function is no resolver.'],
    ['a tool', payInvoice, 'this is a tool.'],
    ['a name', 'approved', 'this is of type string.'],
  ])('%s is told from a resolver', async (_, given, hint) => {
    expect(await messageOf(() => override(given as never, 1))).toBe(
      `override() takes the resolver itself first, as in override(amountDue, 40): ${hint}`,
    );
  });

  test('a resolver that the definition does not use', async () => {
    const overrides = [override(amountDue, 1), override(other, 2)];

    expect(await messageOf(() => run(payInvoice, large, { overrides }))).toBe(
      "overrides[1] is for a resolver ('rate') that 'pay_invoice' does not use; it uses 'euros', 'approved'. Overrides go by identity: import the very resolver that the definition was made with.",
    );
  });

  test('a resolver that is overridden twice', async () => {
    const overrides = [override(amountDue, 1), override(amountDue, 2)];

    expect(await messageOf(() => run(payInvoice, large, { overrides }))).toBe(
      "overrides: resolver 'euros' of 'pay_invoice' is in there twice.",
    );
  });

  test('a question in the place of a value', async () => {
    const question = confirm('Sure?');
    const text = 'override() gives the value itself, not a question: to have somebody asked, ';

    expect(await messageOf(() => override(approval, question as never))).toContain(text);
    const later = override(approval, () => question as never);
    expect((await run(payInvoice, large, { overrides: [later] })).text).toContain(text);
  });
});

describe('what cannot be probed', () => {
  test('a call that asks nothing has no token', async () => {
    expect(await messageOf(() => probe.tampered(payInvoice, { invoice: 'INV-1' }))).toBe(
      "'pay_invoice' asks nothing, so there is no token to misuse. It ended with 'Paid 40 euros for INV-1.'. Give arguments with which it asks.",
    );
    expect(
      await messageOf(() => probe.tampered(payInvoice, large, { answers: yes, round: 2 })),
    ).toBe(
      "'pay_invoice' asks nothing any more in round 2, so there is no token to misuse. It ended with 'Paid 900 euros for INV-2.'. Give arguments with which it asks, or an earlier round.",
    );
  });

  test('a call that nobody answers honestly', async () => {
    expect(await messageOf(() => probe.expired(payInvoice, large))).toContain(
      'asks a question that no answer is scripted for.',
    );
  });

  test('a call that a client cannot begin', async () => {
    expect(await messageOf(() => probe.expired(payInvoice, large, { capabilities: {} }))).toBe(
      "'pay_invoice' ended before its token could be misused: Client did not declare the form elicitation capability required by resolver 'approved'",
    );
  });

  test('the same arguments again, or none', async () => {
    const options = { answers: yes, otherArgs: large };

    expect(await messageOf(() => probe.swappedArguments(payInvoice, large, options))).toBe(
      'probe.swappedArguments(): otherArgs are the same arguments.',
    );
    expect(
      await messageOf(() => probe.swappedArguments(payInvoice, large, undefined as never)),
    ).toContain('probe.swappedArguments() needs other arguments');
  });

  test('options that a probe does not have', async () => {
    const legacy = { answers: yes, era: 'legacy' } as never;

    expect(await messageOf(() => probe.replayed(payInvoice, large, legacy))).toContain(
      "probe.replayed() has no option 'era'",
    );
  });
});
