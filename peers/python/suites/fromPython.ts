/** Runs the examples of this repository with the clients of the Python and TypeScript SDKs. */
import type { ElicitResult } from '@modelcontextprotocol/client';
import { accept, cancel, decline } from 'mcp-resolve/client';
import { describe, expect, test } from 'vitest';

import { refunds } from '../../../examples/refund-desk/script.js';
import { asked, unasked } from '../../../examples/travel-desk/script.js';
import {
  inPython,
  inTypeScript,
  type Script,
  type ScriptedCall,
  type Told,
} from '../support/script.js';
import { example, routes, serving, type Via } from '../support/servers.js';

type Story = Omit<Script, 'server'> & { name: string; via: Via };

/** Runs a script with both clients and checks that they see the same. */
async function runBoth({ name, via, ...script }: Story) {
  const [python, typescript] = await serving(example(name), { via }, (server) =>
    Promise.all([inPython({ server, ...script }), inTypeScript({ server, ...script })]),
  );
  expect(python).toEqual(typescript);
  return python;
}

const messagesOf = ({ asked }: Told) =>
  asked.map(({ method, params }) => params?.message ?? method);

/** Returns the structured content, the first text or the error. */
function endOf({ result, error }: Told): unknown {
  const { structuredContent, content, messages, contents } = (result ?? {}) as Result;
  const [first] = content ?? contents ?? messages?.map((message) => message.content) ?? [];
  return error?.message ?? structuredContent ?? first?.text;
}

interface Result {
  structuredContent?: unknown;
  content?: Text[];
  contents?: Text[];
  messages?: { content: Text }[];
}

interface Text {
  text: string;
}

const refused = { code: -32602, message: 'Invalid or expired requestState' };

describe.each(routes)('the Python client, $era over $via', ({ via, era, mode }) => {
  test('requests refunds, answers, declines and cancels', async () => {
    const refund = (order_id: string, reason: string, answers: ScriptedCall['answers']) =>
      tool('refund_order', { order_id, reason }, answers);
    const { broken } = refunds;
    const calls = [
      ...Object.values(refunds).map(({ order_id, reason, answers: { scope, restock } }: Refund) =>
        refund(order_id, reason, { ...(scope && { full: scope }), ...(restock && { restock }) }),
      ),
      refund(broken.order_id, 'closed the form', { full: cancel() }),
      refund(broken.order_id, 'no shelf', { full: accept({ full: true }), restock: cancel() }),
    ];
    const told = await runBoth({ name: 'refund-desk', via, mode, calls });

    expect(told.protocolVersion).toBe(era);
    expect(told.tools.map(({ name }) => name)).toEqual(['refund_order']);
    const scope =
      'ORD-7002 has several items (enamel-mug, canvas-tote, sticker-pack). Refund the whole order, or one SKU?';
    const both =
      'The refund includes physical items (enamel-mug, canvas-tote). Return them to stock?';
    const tote = 'The refund includes physical items (canvas-tote). Return them to stock?';
    expect(told.calls.map(messagesOf)).toEqual([
      [],
      [scope, both],
      [scope, tote],
      [scope],
      [scope],
      [],
      [scope],
      [scope, both],
    ]);
    const receipt = (order_id: string, refunded_cents: number, restocked: boolean) =>
      expect.objectContaining({ order_id, refunded_cents, restocked }) as unknown;
    const failure = (why: string) => `Error executing tool refund_order: ${why}`;
    const unresolved = "Resolver for parameter 'scope' could not resolve: elicitation was";
    expect(told.calls.map(endOf)).toEqual([
      receipt('ORD-7001', 1500, false),
      receipt('ORD-7002', 4800, true),
      receipt('ORD-7002', 2400, false),
      failure("order has no item 'mystery-hat'"),
      failure(`${unresolved} decline`),
      failure("unknown order 'ORD-9999'"),
      failure(`${unresolved} cancel`),
      receipt('ORD-7002', 4800, false),
    ]);
  });

  test('deploys only after an acceptance, with a hand-written tool', async () => {
    const deploy = (confirm: ElicitResult) => tool('deploy', { env: 'staging' }, { confirm });
    const calls = [deploy(accept({ confirm: true })), deploy(decline()), deploy(cancel())];
    const told = await runBoth({ name: 'mrtr', via, mode, calls });

    const cancelled = 'deployment to staging cancelled';
    expect(told.calls.map(messagesOf)).toEqual(Array(3).fill(['Deploy to staging?']));
    expect(told.calls.map(endOf)).toEqual(['deployed to staging', cancelled, cancelled]);
  });

  test('answers all kinds of question of a tool, a prompt and a resource', async () => {
    const calls = [
      tool('book_trip', lisbon, traveller),
      tool('book_trip', lisbon, { ...traveller, link: decline(), confirm: decline() }),
      { method: 'prompts/get', name: 'plan_trip', arguments: lisbon, answers: traveller },
      { method: 'resources/read', name: notes, arguments: {}, answers: traveller },
    ] satisfies ScriptedCall[];
    const told = await runBoth({ name: 'travel-desk', via, mode, calls });

    const travel = 'How do you travel to Lisbon?';
    const rules = 'Please read what Portugal asks of visitors.';
    const approval = 'Book Lisbon in first class for 840 euros?';
    const booking = [travel, rules, 'sampling/createMessage', 'roots/list', approval];
    expect(told.calls.map(messagesOf)).toEqual([
      booking,
      booking,
      [travel, 'sampling/createMessage'],
      ['sampling/createMessage'],
    ]);
    const { booked, refused, plan, notes: known } = asked;
    expect(told.calls.map(endOf)).toEqual([booked, refused, plan, known]);
  });

  test('without capabilities receives a protocol error or a fallback', async () => {
    const calls = [
      tool('rate_trip', lisbon, {}),
      tool('book_trip', lisbon, {}),
      tool('hold_trip', lisbon, {}),
      { method: 'prompts/get', name: 'plan_trip', arguments: lisbon, answers: {} },
    ] satisfies ScriptedCall[];
    const told = await runBoth({ name: 'travel-desk', via, mode, calls, silent: true });

    expect(told.tools.map(({ name }) => name)).toEqual(['book_trip', 'hold_trip']);
    expect(told.calls[0]!.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    const { rating, advice, held, plan } = unasked;
    expect(told.calls.map(endOf)).toEqual([rating, advice, held, plan]);
  });
});

describe.each(['HTTP', 'stdio'] as const)('the Python client by hand over %s', (via) => {
  test('receives four questions in one round, and the dependent one in the next', async () => {
    const calls = [{ ...tool('book_trip', lisbon, traveller), byHand: true }];
    const told = await runBoth({ name: 'travel-desk', via, mode: 'auto', calls });

    const rounds = [['travel', 'rules', 'suggestion', 'roots'], ['approved']];
    expect(told.calls[0]!.rounds).toEqual(rounds);
    expect(told.calls.map(endOf)).toEqual([asked.booked]);
  });

  test('cannot retry with a changed state', async () => {
    const yes = { confirm: accept({ confirm: true }) };
    const calls = [{ ...tool('deploy', { env: 'staging' }, yes), byHand: true, tamper: 'A' }];
    const told = await runBoth({ name: 'mrtr', via, mode: 'auto', calls });

    const error = { ...refused, data: { reason: 'invalid_request_state' } };
    expect(told.calls[0]!.error).toEqual(error);
  });
});

type Refund = (typeof refunds)[keyof typeof refunds] & {
  answers: { scope?: ElicitResult; restock?: ElicitResult };
};

const lisbon = { city: 'Lisbon' };
const notes = 'trips://notes/Lisbon';

const text = 'the tiles of Madre de Deus';
const traveller: ScriptedCall['answers'] = {
  class: accept({ class: 'first' }),
  confirm: accept({ confirm: true }),
  link: accept(),
  model: { role: 'assistant', model: 'story-model', content: { type: 'text', text } },
  roots: { roots: [{ uri: 'file:///home/ada/trips' }] },
};

function tool(
  name: string,
  args: Record<string, string>,
  answers: ScriptedCall['answers'],
): ScriptedCall {
  return { method: 'tools/call', name, arguments: args, answers };
}
