/** N. Links: the person is asked to open a page. Accepted means opened, and nothing more. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import {
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  elicitUrl,
  install,
  outcome,
  requestStateSeal,
  resolver,
} from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { accept, cancel, decline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, protocolErrorOf, questionsOf, textOf } from '../support/results.js';
import { closeAfterTest, httpHandler } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import { answering, readState, serving, summaryOf, writeState } from '../support/rounds.js';
import type { RoundInput, RoundResult } from '../support/rounds.js';

const LINK = 'https://example.org/sign-in?flow=7';
const URL_ONLY: ClientCapabilities = { elicitation: { url: {} } };
const FORMS_AND_URL: ClientCapabilities = { elicitation: { form: {}, url: {} } };
const opened = { action: 'accept' as const };

const askLink = resolver({}, () => elicitUrl('Sign in', LINK));
const visit = defineTool('visit', { resolve: { link: askLink } }, ({ link }) => `opened ${link}`);
const report = defineTool('report', { resolve: { link: outcome(askLink) } }, ({ link }) =>
  JSON.stringify(link),
);

/** Sends rounds of one tool by hand, from a client that can be asked with links and forms. */
function roundsOf(tool: Tool): (input?: RoundInput) => Promise<RoundResult> {
  const handler = httpHandler(serving(tool));
  return async ({ args = {}, ...rest } = {}) => {
    const params = { name: tool.name, arguments: args, ...rest };
    const { body } = await post(handler, 'tools/call', params, { capabilities: FORMS_AND_URL });
    if (body.result === undefined) throw new Error(`expected a result: ${JSON.stringify(body)}`);
    return body.result as RoundResult;
  };
}

describe.each(eras)('on the %s era', (era) => {
  test('N1: the client opens the link, and the value is true', async () => {
    const chat = await connectClient(era, serving(visit), {
      capabilities: URL_ONLY,
      elicit: [opened],
    });

    expect(await chat.text('visit')).toBe('opened true');
    expect(chat.questions).toEqual([
      {
        method: 'elicitation/create',
        params: {
          mode: 'url',
          message: 'Sign in',
          url: LINK,
          ...(era === 'legacy' && { elicitationId: expect.any(String) as string }),
        },
      },
    ]);
  });

  test.each([
    ['decline', decline()],
    ['cancel', cancel()],
  ])('E3, E4: a %s ends the call, as it does for a form', async (action, answer) => {
    const chat = await connectClient(era, serving(visit), {
      capabilities: URL_ONLY,
      elicit: [answer],
    });

    expect(await chat.errorText('visit')).toBe(
      `Error executing tool visit: Resolver for parameter 'link' could not resolve: elicitation was ${action}`,
    );
  });

  test('E5: a consumer that takes the outcome gets each of the three', async () => {
    const chat = await connectClient(era, serving(report), {
      capabilities: URL_ONLY,
      elicit: [opened, decline(), cancel()],
    });

    expect(JSON.parse(await chat.text('report'))).toEqual({
      action: 'accept',
      data: true,
      asked: true,
    });
    expect(JSON.parse(await chat.text('report'))).toEqual({ action: 'decline' });
    expect(JSON.parse(await chat.text('report'))).toEqual({ action: 'cancel' });
  });

  test('E19: content that comes with an accept or a decline changes nothing', async () => {
    const chat = await connectClient(era, serving(report), {
      capabilities: URL_ONLY,
      elicit: [accept({ confirm: false }), { ...decline(), content: { confirm: true } }],
    });

    expect(JSON.parse(await chat.text('report'))).toEqual({
      action: 'accept',
      data: true,
      asked: true,
    });
    expect(JSON.parse(await chat.text('report'))).toEqual({ action: 'decline' });
  });

  test.each<[string, ClientCapabilities]>([
    ['nothing', {}],
    ['forms', { elicitation: { form: {} } }],
    ['a bare elicitation, which means forms only', { elicitation: {} }],
    ['all but links', { elicitation: {}, sampling: { tools: {} }, roots: {} }],
  ])(
    'H1, H8: a client that declared %s is refused, and nothing is sent',
    async (_, capabilities) => {
      let bodies = 0;
      const tool = defineTool('visit', { resolve: { link: askLink } }, () => `${++bodies}`);
      const chat = await connectClient(era, serving(tool), { capabilities });

      expect(await protocolErrorOf(chat.call('visit'))).toEqual({
        code: -32021,
        message:
          "Client did not declare the url elicitation capability required by resolver 'link'",
        data: { requiredCapabilities: { elicitation: { url: {} } } },
      });
      expect(chat.asked).toEqual([]);
      expect(bodies).toBe(0);
    },
  );

  test('H4: a client that only opens links is not asked with a form', async () => {
    const tool = defineTool(
      'ask',
      { resolve: { sure: resolver({}, () => confirm('Sure?')) } },
      () => 'ran',
    );
    const chat = await connectClient(era, serving(tool), { capabilities: URL_ONLY });

    expect(await protocolErrorOf(chat.call('ask'))).toEqual({
      code: -32021,
      message: "Client did not declare the form elicitation capability required by resolver 'sure'",
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    expect(chat.asked).toEqual([]);
  });

  test('H10: of a link and a form, the one that cannot be asked keeps both from going out', async () => {
    const sure = resolver({}, () => confirm('Sure?'));
    const tool = defineTool('both', { resolve: { sure, link: askLink } }, () => 'ran');
    const lacking = await connectClient(era, serving(tool), { capabilities: URL_ONLY });
    const able = await connectClient(era, serving(tool), {
      capabilities: FORMS_AND_URL,
      elicit: () => accept({ confirm: true }),
    });

    expect((await protocolErrorOf(lacking.call('both'))).data).toEqual({
      requiredCapabilities: { elicitation: { form: {} } },
    });
    expect(lacking.asked).toEqual([]);
    expect(await able.text('both')).toBe('ran');
    expect(able.asked.toSorted()).toEqual(['Sign in', 'Sure?']);
  });

  test.each([
    ['/sign-in', 'elicitUrl(message, url) takes an absolute http or https URL.'],
    ['javascript:alert(1)', 'elicitUrl(message, url) takes an absolute http or https URL.'],
    [
      'data:text/html,<h1>Sign in</h1>',
      'elicitUrl(message, url) takes an absolute http or https URL.',
    ],
    [
      'https://user:secret@example.org/',
      'The URL of elicitUrl() must not carry a user name or a password.',
    ],
  ])('a resolver that asks with %s ends the call, and nothing is sent', async (given, problem) => {
    const bad = resolver({}, () => elicitUrl('Sign in', given));
    const tool = defineTool('bad', { resolve: { bad } }, () => 'ran');
    const chat = await connectClient(era, serving(tool), { capabilities: URL_ONLY });

    expect(await chat.errorText('bad')).toBe(`Error executing tool bad: ${problem}`);
    expect(chat.asked).toEqual([]);
  });

  test("C8: asks: 'url' lets a link out, and nothing else", async () => {
    const declared = resolver({}, () => elicitUrl('Sign in', LINK), { asks: 'url' });
    const slip = resolver({}, () => confirm('Sign in?') as never, { asks: 'url', name: 'slip' });
    const other = resolver({}, () => elicitUrl('Sign in', LINK), { asks: 'form', name: 'other' });
    const tools = [
      defineTool('declared', { resolve: { declared } }, () => 'ran'),
      defineTool('slip', { resolve: { slip } }, () => 'ran'),
      defineTool('other', { resolve: { other } }, () => 'ran'),
    ];
    const chat = await connectClient(era, serving(...tools), {
      capabilities: FORMS_AND_URL,
      elicit: [opened],
    });

    expect(await chat.text('declared')).toBe('ran');
    expect(await chat.errorText('slip')).toBe(
      "Error executing tool slip: Resolver 'slip' declares that it asks 'url', but it asked 'form'",
    );
    expect(await chat.errorText('other')).toBe(
      "Error executing tool other: Resolver 'other' declares that it asks 'form', but it asked 'url'",
    );
    expect(chat.asked).toEqual(['Sign in']);
  });

  test.each<[ClientCapabilities, string]>([
    [{}, 'false false'],
    [{ elicitation: {} }, 'true false'],
    [{ elicitation: { form: {} } }, 'true false'],
    [{ elicitation: { url: {} } }, 'false true'],
    [{ elicitation: { form: {}, url: {} } }, 'true true'],
  ])('ctx.canAsk tells forms and links apart: %j', async (capabilities, expected) => {
    const can = resolver({}, (_, ctx) => `${ctx.canAsk('form')} ${ctx.canAsk('url')}`);
    const tool = defineTool('can', { resolve: { can } }, ({ can: both }) => both);

    expect(await (await connectClient(era, serving(tool), { capabilities })).text('can')).toBe(
      expected,
    );
  });

  test('J13: prompts and resources ask to open a link too', async () => {
    const seal = requestStateSeal({ keys: ['k'.repeat(32)], audience: 'links' });
    const factory = () => {
      const server = new McpServer({ name: 'links', version: '1.0.0' });
      const resolve = { link: askLink };
      install(
        server,
        [
          definePrompt('greet', { resolve }, ({ link }) => `opened ${link}`),
          defineResource('page', 'page://one', { resolve }, ({ link }) => `opened ${link}`),
        ],
        { seal },
      );
      return server;
    };
    const chat = await connectClient(era, factory, {
      capabilities: URL_ONLY,
      elicit: [opened, opened],
    });

    const prompt = await chat.client.getPrompt({ name: 'greet' });
    expect(prompt.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'opened true' } },
    ]);
    const page = await chat.client.readResource({ uri: 'page://one' });
    expect(page.contents).toEqual([{ uri: 'page://one', text: 'opened true' }]);
    expect(chat.asked).toEqual(['Sign in', 'Sign in']);
  });

  test('a link is for opening: whether anything was done there is a question for a later resolver', async () => {
    const signedIn = new Set<string>();
    const flow = resolver({ link: askLink }, () => {
      if (!signedIn.has('7')) throw new Error('you have not signed in yet');
      return 'flow 7';
    });
    const tool = defineTool('done', { resolve: { flow } }, ({ flow: done }) => done);
    const chat = await connectClient(era, serving(tool), {
      capabilities: URL_ONLY,
      elicit: [opened, opened],
    });

    expect(await chat.errorText('done')).toBe(
      'Error executing tool done: you have not signed in yet',
    );
    signedIn.add('7');
    expect(await chat.text('done')).toBe('flow 7');
  });
});

describe('on the wire', () => {
  test('N1: a modern link has a mode, a message and a url, and no id', async () => {
    expect(questionsOf(await roundsOf(visit)()).requests).toEqual({
      link: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Sign in', url: LINK },
      },
    });
  });

  test('N1: a legacy link has an id besides, another one each time', async () => {
    const client = await rawLegacy(serving(visit), {
      capabilities: URL_ONLY,
      answer: () => ({ result: opened }),
    });
    await client.request('tools/call', { name: 'visit' });
    await client.request('tools/call', { name: 'visit' });

    const shapes = client.received.map(({ method, params }) => {
      const { elicitationId, ...rest } = params as Record<string, unknown>;
      return { method, id: String(elicitationId), params: rest };
    });
    const params = { mode: 'url', message: 'Sign in', url: LINK };
    const id = expect.stringMatching(/^[\w-]{22}$/) as string;
    expect(shapes).toEqual([
      { method: 'elicitation/create', id, params },
      { method: 'elicitation/create', id, params },
    ]);
    expect(shapes[0]?.id).not.toBe(shapes[1]?.id);
  });

  test('H11: on legacy the refusal is the same error, before anything is pushed', async () => {
    const client = await rawLegacy(serving(visit), { capabilities: { elicitation: {} } });

    expect((await client.request('tools/call', { name: 'visit' })).error).toEqual({
      code: -32021,
      message: "Client did not declare the url elicitation capability required by resolver 'link'",
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
    expect(client.received).toEqual([]);
  });

  test('H12: a legacy client without a session cannot be sent a link', async () => {
    const handler = httpHandler(serving(visit));
    const client = new Client(
      { name: 'stateless', version: '1.0.0' },
      { capabilities: URL_ONLY, versionNegotiation: { mode: 'legacy' } },
    );
    closeAfterTest(() => client.close());
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://server.test/mcp'), {
        fetch: (url, init) => handler.fetch(new Request(url, init)),
      }),
    );

    expect(await protocolErrorOf(client.callTool({ name: 'visit' }))).toEqual({
      code: -32600,
      message:
        "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
    });
  });

  test.each([
    [{}],
    [{ action: 'banana' }],
    [{ action: 'ACCEPT' }],
    [{ content: { confirm: true } }],
    [{ roots: [] }],
    [{ role: 'assistant', model: 'm', content: { type: 'text', text: 'accept' } }],
  ])('E11, E12: %j does not answer a link', async (response) => {
    const sendRound = roundsOf(visit);
    const first = await sendRound();

    expect(errorTextOf(await sendRound(answering(first, { link: response })))).toBe(
      "Error executing tool visit: Resolver 'link' received a non-elicitation response",
    );
    expect(textOf(await sendRound(answering(first, { link: opened })))).toBe('opened true');

    const client = await rawLegacy(serving(visit), {
      capabilities: URL_ONLY,
      answer: () => ({ result: response }),
    });
    const { result } = await client.request('tools/call', { name: 'visit' });
    expect(result).toMatchObject({
      content: [
        { type: 'text', text: 'Error executing tool visit: Received a non-elicitation response' },
      ],
      isError: true,
    });
  });
});

describe('over several rounds', () => {
  const Name = z.object({ name: z.string() });

  /** A tool whose url can be changed between rounds: a link, then a form, then another form. */
  const chain = () => {
    const shown = { url: LINK, message: 'Sign in' };
    const link = resolver({}, () => elicitUrl(shown.message, shown.url));
    const name = resolver({ link }, () => elicit('Name?', Name));
    const sure = resolver({ name }, ({ name: given }) => confirm(`Sure, ${given.name}?`));
    const tool = defineTool(
      'chain',
      { resolve: { link: outcome(link), sure } },
      ({ link: { action }, sure: yes }) => `${action}:${String(yes)}`,
    );
    return { sendRound: roundsOf(tool), shown };
  };

  test('G11, E19: what is recorded of a link is the action alone, carried on unchanged', async () => {
    const { sendRound } = chain();
    const first = await sendRound();
    const second = await sendRound(answering(first, { link: accept({ junk: 'x' }) }));
    const third = await sendRound(answering(second, { name: accept({ name: 'Ada' }) }));
    const last = await sendRound(answering(third, { sure: accept({ confirm: true }) }));

    expect([first, second, third, last].map(summaryOf)).toEqual([
      'asks link',
      'asks name',
      'asks sure',
      'accept:true',
    ]);
    const entry = { action: 'accept', q: readState(first).asked.link };
    expect(readState(second).outcomes).toEqual({ link: entry });
    expect(readState(third).outcomes.link).toEqual(entry);
  });

  test('G13: the digest is that of mode, message and url', async () => {
    // Of `{"mode":"url","message":"Sign in","url":"https://example.org/sign-in?flow=7"}`.
    expect(readState(await roundsOf(visit)()).asked).toEqual({ link: 'uU3eTA5sXbxV45w7F2HlQw' });
  });

  test.each(['url', 'message'] as const)(
    'G17: another %s before the answer asks again, and the old answer does not count',
    async (changed) => {
      const { sendRound, shown } = chain();
      const first = await sendRound();
      shown[changed] = `${shown[changed]}8`;
      const again = await sendRound(answering(first, { link: opened }));

      expect(summaryOf(again)).toBe('asks link');
      expect(questionsOf(again).requests.link?.params).toEqual({ mode: 'url', ...shown });
      expect(readState(again).outcomes).toEqual({});
      expect(summaryOf(await sendRound(answering(again, { link: opened })))).toBe('asks name');
    },
  );

  test.each([opened, decline()])(
    'G18, G19: another url after %j was recorded asks again, and keeps the answer beside it',
    async (answer) => {
      let url = LINK;
      const link = resolver({}, () => elicitUrl('Sign in', url));
      const name = resolver({}, () => elicit('Name?', Name));
      const sendRound = roundsOf(
        defineTool(
          'beside',
          { resolve: { link: outcome(link), name } },
          ({ link: { action }, name: given }) => `${action} ${given.name}`,
        ),
      );
      const second = await sendRound(answering(await sendRound(), { link: answer }));
      expect(summaryOf(second)).toBe('asks name');

      url = 'https://example.org/elsewhere';
      const third = await sendRound(answering(second, { name: accept({ name: 'Ada' }) }));
      expect(summaryOf(third)).toBe('asks link');
      expect(Object.keys(readState(third).outcomes)).toEqual(['name']);
      expect(summaryOf(await sendRound(answering(third, { link: opened })))).toBe('accept Ada');
    },
  );

  test('G29: another url drops the answers that stood on the old one', async () => {
    const { sendRound, shown } = chain();
    const second = await sendRound(answering(await sendRound(), { link: opened }));
    const third = await sendRound(answering(second, { name: accept({ name: 'Ada' }) }));
    shown.url = 'https://example.org/elsewhere';
    const again = await sendRound(answering(third, { sure: accept({ confirm: true }) }));

    expect(summaryOf(again)).toBe('asks link');
    expect(readState(again).outcomes).toEqual({});
    expect(summaryOf(await sendRound(answering(again, { link: opened })))).toBe('asks name');
  });

  test('G16: an answer without the state that asked does not open anything', async () => {
    const sendRound = roundsOf(visit);

    expect(summaryOf(await sendRound({ inputResponses: { link: opened } }))).toBe('asks link');
  });

  test('G20, G12: a recorded accept counts for its own url only', async () => {
    const sendRound = roundsOf(visit);
    const first = await sendRound();
    const { v, asked } = readState(first);
    const withEntry = (entry: object) =>
      sendRound({ requestState: writeState(first, { v, outcomes: { link: entry }, asked: {} }) });

    expect(summaryOf(await withEntry({ action: 'accept', q: asked.link }))).toBe('opened true');
    expect(summaryOf(await withEntry({ action: 'accept', data: { a: 1 }, q: asked.link }))).toBe(
      'opened true',
    );
    expect(summaryOf(await withEntry({ action: 'accept' }))).toBe('asks link');
    expect(summaryOf(await withEntry({ action: 'accept', q: 'AAAAAAAAAAAAAAAAAAAAAA' }))).toBe(
      'asks link',
    );
  });

  test('I39: a link that one user was asked to open is not opened by another', async () => {
    const seal = requestStateSeal.ephemeral({
      audience: 'links',
      logger: { warn: () => undefined },
      principal: ({ http }) => http?.req?.headers.get('x-user') ?? undefined,
    });
    const handler = httpHandler(() => {
      const server = new McpServer({ name: 'links', version: '1.0.0' });
      install(server, [visit], { seal });
      return server;
    });
    const as = (user: string, extra: object = {}) =>
      post(
        handler,
        'tools/call',
        { name: 'visit', arguments: {}, ...extra },
        { capabilities: URL_ONLY, headers: { 'x-user': user } },
      );
    const { requestState } = (await as('alice')).body.result!;
    const retry = { requestState, inputResponses: { link: opened } };

    expect((await as('bob', retry)).body.error).toEqual({
      code: -32602,
      message: 'Invalid or expired requestState',
      data: { reason: 'invalid_request_state' },
    });
    expect((await as('alice', retry)).body.result?.content).toEqual([
      { type: 'text', text: 'opened true' },
    ]);
  });
});
