/** N. Links: questions that ask the user to open a page. An accept says only that it was opened. */
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
  ToolError,
} from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';
import { accept, cancel, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient, connectStateless } from '../support/plainClient.js';
import { errorTextOf, protocolErrorOf, questionsOf, textOf } from '../support/results.js';
import { closeAfterTest, httpHandler, serving as servingWith, SILENT } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import {
  answering,
  readState,
  roundsOf,
  serving,
  summaryOf,
  writeState,
} from '../support/rounds.js';

const LINK = 'https://example.org/sign-in?flow=7';
const URL_ONLY: ClientCapabilities = { elicitation: { url: {} } };
const opened = accept();

const askLink = resolver({}, () => elicitUrl('Sign in', LINK), { asks: 'url' });
const visit = defineTool('visit', { resolve: { link: askLink } }, ({ link }) => `opened ${link}`);
const report = defineTool('report', { resolve: { link: outcome(askLink) } }, ({ link }) =>
  JSON.stringify(link),
);

describe.each(eras)('on the %s era', (era) => {
  test('N1: sends a link, and injects true when the user opens it', async () => {
    const { text, questions } = await connectClient(era, serving(visit), {
      capabilities: URL_ONLY,
      elicit: [opened],
    });

    expect(await text('visit')).toBe('opened true');
    expect(questions).toEqual([
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
  ])('E3, E4: ends the call on a %s, as for a form', async (action, answer) => {
    expect(await run(visit, {}, { era, answers: { link: answer } })).toMatchObject({
      isError: true,
      text: `Error executing tool visit: Resolver for parameter 'link' could not resolve: elicitation was ${action}`,
    });
  });

  test.each([
    ['E5: passes an accept', opened, { action: 'accept', data: true, asked: true }],
    ['E5: passes a decline', decline(), { action: 'decline' }],
    ['E5: passes a cancel', cancel(), { action: 'cancel' }],
    [
      'E19: passes an accept without its content',
      accept({ confirm: false }),
      { action: 'accept', data: true, asked: true },
    ],
    [
      'E19: passes a decline without its content',
      { ...decline(), content: { confirm: true } },
      { action: 'decline' },
    ],
  ])('%s to a tool that takes the outcome', async (_, answer, expected) => {
    const options = { era, capabilities: URL_ONLY, answers: { link: answer } };

    expect(JSON.parse((await run(report, {}, options)).text)).toEqual(expected);
  });

  test.each<[string, ClientCapabilities]>([
    ['nothing', {}],
    ['forms', { elicitation: { form: {} } }],
    ['elicitation without modes', { elicitation: {} }],
    ['all but links', { elicitation: {}, sampling: { tools: {} }, roots: {} }],
  ])('H1, H8: refuses a client that declared %s, and sends nothing', async (_, capabilities) => {
    let bodies = 0;
    const tool = defineTool('visit', { resolve: { link: askLink } }, () => `${++bodies}`);
    const client = await connectClient(era, serving(tool), { capabilities });

    expect(await protocolErrorOf(client.call('visit'))).toEqual({
      code: -32021,
      message: "Client did not declare the url elicitation capability required by resolver 'link'",
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
    expect(client.asked).toEqual([]);
    expect(bodies).toBe(0);
  });

  test('H4: does not ask a client that only opens links with a form', async () => {
    const tool = defineTool(
      'ask',
      { resolve: { sure: resolver({}, () => confirm('Sure?'), { asks: 'form' }) } },
      () => 'ran',
    );
    const { error, questions } = await run(tool, {}, { era, capabilities: URL_ONLY });

    expect(error).toEqual({
      code: -32021,
      message: "Client did not declare the form elicitation capability required by resolver 'sure'",
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    expect(questions).toEqual([]);
  });

  test('H10: sends neither a link nor a form if the client cannot be asked both', async () => {
    const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const tool = defineTool('both', { resolve: { sure, link: askLink } }, () => 'ran');
    const lacking = await connectClient(era, serving(tool), { capabilities: URL_ONLY });
    const answers = { sure: accept({ confirm: true }), link: opened };
    const able = await run(tool, {}, { era, answers });

    expect((await protocolErrorOf(lacking.call('both'))).data).toEqual({
      requiredCapabilities: { elicitation: { form: {} } },
    });
    expect(lacking.asked).toEqual([]);
    expect(able.text).toBe('ran');
    expect(able.questions.map(({ message }) => message).toSorted()).toEqual(['Sign in', 'Sure?']);
  });

  test.each([
    ['/sign-in', 'elicitUrl(): `url` must be an absolute http or https URL.'],
    ['javascript:alert(1)', 'elicitUrl(): `url` must be an absolute http or https URL.'],
    [
      'data:text/html,<h1>Sign in</h1>',
      'elicitUrl(): `url` must be an absolute http or https URL.',
    ],
    [
      'https://user:secret@example.org/',
      'elicitUrl(): `url` must not contain a user name or a password.',
    ],
  ])('fails without asking if a resolver asks with the URL %s', async (given, problem) => {
    const bad = resolver({}, () => elicitUrl('Sign in', given), { asks: 'url' });
    const tool = defineTool('bad', { resolve: { bad } }, () => 'ran');

    expect(await run(tool, {}, { era })).toMatchObject({
      isError: true,
      text: 'Error executing tool bad',
      cause: new TypeError(problem),
      questions: [],
    });
  });

  test("C8: asks with a link only if `asks` is 'url', and then with nothing else", async () => {
    const declared = resolver({}, () => elicitUrl('Sign in', LINK), { asks: 'url' });
    const slip = resolver({}, (): unknown => confirm('Sign in?'), { asks: 'url', name: 'slip' });
    const other = resolver({}, (): unknown => elicitUrl('Sign in', LINK), {
      asks: 'form',
      name: 'other',
    });
    const allowed = defineTool('allowed', { resolve: { declared } }, () => 'ran');
    const wrongForm = defineTool('wrong', { resolve: { slip } }, () => 'ran');
    const wrongLink = defineTool('wrong', { resolve: { other } }, () => 'ran');
    const asked = await run(allowed, {}, { era, answers: { declared: opened } });

    expect(asked.text).toBe('ran');
    expect(asked.questions.map(({ message }) => message)).toEqual(['Sign in']);
    expect(await run(wrongForm, {}, { era })).toMatchObject({
      isError: true,
      cause: {
        message:
          "Resolver 'slip' declares that it asks a 'url' question, but it returned a 'form' question. Change `asks`, or return the declared question.",
      },
      questions: [],
    });
    expect(await run(wrongLink, {}, { era })).toMatchObject({
      isError: true,
      cause: {
        message:
          "Resolver 'other' declares that it asks a 'form' question, but it returned a 'url' question. Change `asks`, or return the declared question.",
      },
      questions: [],
    });
  });

  test.each<[ClientCapabilities, string]>([
    [{}, 'false false'],
    [{ elicitation: {} }, 'true false'],
    [{ elicitation: { form: {} } }, 'true false'],
    [{ elicitation: { url: {} } }, 'false true'],
    [{ elicitation: { form: {}, url: {} } }, 'true true'],
  ])('tells in ctx.canAsk if a client with %j takes forms or links', async (...row) => {
    const [capabilities, expected] = row;
    const can = resolver({}, (_, ctx) => `${ctx.canAsk('form')} ${ctx.canAsk('url')}`);
    const tool = defineTool('can', { resolve: { can } }, ({ can: both }) => both);

    expect((await run(tool, {}, { era, capabilities })).text).toBe(expected);
  });

  const resolve = { link: askLink };

  test.each([
    [
      'prompt',
      definePrompt('greet', { resolve }, ({ link }) => `opened ${link}`),
      { messages: [{ role: 'user', content: { type: 'text', text: 'opened true' } }] },
    ],
    [
      'resource',
      defineResource('page', 'page://one', { resolve }, ({ link }) => `opened ${link}`),
      { contents: [{ uri: 'page://one', text: 'opened true' }] },
    ],
  ])('J13: asks with a link in a %s', async (_, definition, expected) => {
    const options = { era, capabilities: URL_ONLY, answers: { link: opened } };
    const { result, questions } = await run(definition, undefined, options);

    expect(result).toMatchObject(expected);
    expect(questions.map(({ message }) => message)).toEqual(['Sign in']);
  });

  test('leaves it to a later resolver to check what the user did at the link', async () => {
    const signedIn = new Set<string>();
    const flow = resolver({ link: askLink }, () => {
      if (!signedIn.has('7')) throw new ToolError('you have not signed in yet');
      return 'flow 7';
    });
    const tool = defineTool('done', { resolve: { flow } }, ({ flow: done }) => done);
    const call = () => run(tool, {}, { era, answers: { link: opened } });

    expect(await call()).toMatchObject({
      isError: true,
      text: 'Error executing tool done: you have not signed in yet',
    });
    signedIn.add('7');
    expect((await call()).text).toBe('flow 7');
  });
});

describe('on the wire', () => {
  test('N1: sends a modern link with a mode, a message and a url, without an id', async () => {
    expect(questionsOf(await roundsOf(visit)()).requests).toEqual({
      link: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Sign in', url: LINK },
      },
    });
  });

  test('N1: sends a legacy link with a new id each time', async () => {
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

  test('N1: tells a legacy client over HTTP that the page was completed', async () => {
    const servers = new Set<McpServer>();
    const sessions = new Map<string, string | undefined>();
    const link = resolver(
      {},
      (_, ctx) => {
        sessions.set(ctx.callId, ctx.sessionId);
        return elicitUrl('Sign in', LINK, { elicitationId: ctx.callId });
      },
      { asks: 'url' },
    );
    const tool = defineTool('visit', { resolve: { link } }, (_, ctx) => ctx.callId);
    const { url, close } = await serveHttp(() => {
      const server = new McpServer({ name: 'links', version: '1.0.0' });
      install(server, [tool]);
      servers.add(server);
      return server;
    });
    closeAfterTest(() => close({ timeoutMs: 0 }));
    const client = new Client(
      { name: 'browser', version: '1.0.0' },
      { capabilities: URL_ONLY, versionNegotiation: { mode: 'legacy' } },
    );
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push((params as { readonly elicitationId?: string }).elicitationId);
      return opened;
    });
    const completed = new Promise((resolve) => {
      client.setNotificationHandler('notifications/elicitation/complete', resolve);
    });
    closeAfterTest(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(url));
    const id = textOf(await client.callTool({ name: 'visit' }));

    const server = [...servers].find(
      ({ server: { transport } }) => transport?.sessionId === sessions.get(id),
    );
    await server?.server.createElicitationCompletionNotifier(id)();

    expect(asked).toEqual([id]);
    expect(await completed).toMatchObject({ params: { elicitationId: id } });
  });

  test('H11: refuses a legacy client with the same error, and sends nothing', async () => {
    const client = await rawLegacy(serving(visit), { capabilities: { elicitation: {} } });

    expect((await client.request('tools/call', { name: 'visit' })).error).toEqual({
      code: -32021,
      message: "Client did not declare the url elicitation capability required by resolver 'link'",
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
    expect(client.received).toEqual([]);
  });

  test('H12: cannot send a link to a legacy client without a session', async () => {
    const handler = httpHandler(servingWith([visit], { logger: SILENT }));
    const client = await connectStateless(handler, URL_ONLY);

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
  ])('E11, E12: refuses %j as an answer to a link', async (response) => {
    const sendRound = roundsOf(visit);
    const first = await sendRound();

    const text = "Error executing tool visit: Resolver 'link' received a non-elicitation response";
    expect(errorTextOf(await sendRound(answering(first, { link: response })))).toBe(text);
    expect(textOf(await sendRound(answering(first, { link: opened })))).toBe('opened true');

    const client = await rawLegacy(serving(visit), {
      capabilities: URL_ONLY,
      answer: () => ({ result: response }),
    });
    const { result } = await client.request('tools/call', { name: 'visit' });
    expect(result).toMatchObject({ content: [{ type: 'text', text }], isError: true });
  });
});

describe('over several rounds', () => {
  const Name = z.object({ name: z.string() });

  /** Creates a tool that asks a link, a form and another form. The test can change the link. */
  const chain = () => {
    const shown = { url: LINK, message: 'Sign in' };
    const link = resolver({}, () => elicitUrl(shown.message, shown.url), { asks: 'url' });
    const name = resolver({ link }, () => elicit('Name?', Name), { asks: 'form' });
    const sure = resolver({ name }, ({ name: given }) => confirm(`Sure, ${given.name}?`), {
      asks: 'form',
    });
    const tool = defineTool(
      'chain',
      { resolve: { link: outcome(link), sure } },
      ({ link: { action }, sure: yes }) => `${action}:${String(yes)}`,
    );
    return { sendRound: roundsOf(tool), shown };
  };

  test('G11, E19: records only the action of a link, and carries it on unchanged', async () => {
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

  test('G13: computes the digest from mode, message and url', async () => {
    // The JSON is `{"mode":"url","message":"Sign in","url":"https://example.org/sign-in?flow=7"}`.
    expect(readState(await roundsOf(visit)()).asked).toEqual({ link: 'uU3eTA5sXbxV45w7F2HlQw' });
  });

  test.each(['url', 'message'] as const)(
    'G17: asks again if the %s changes before the answer, which does not count',
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
    'G18, G19: asks again if the url changes after %j was recorded, and keeps other answers',
    async (answer) => {
      let url = LINK;
      const link = resolver({}, () => elicitUrl('Sign in', url), { asks: 'url' });
      const name = resolver({}, () => elicit('Name?', Name), { asks: 'form' });
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

  test('G29: drops the answers that depend on a link if its url changes', async () => {
    const { sendRound, shown } = chain();
    const second = await sendRound(answering(await sendRound(), { link: opened }));
    const third = await sendRound(answering(second, { name: accept({ name: 'Ada' }) }));
    shown.url = 'https://example.org/elsewhere';
    const again = await sendRound(answering(third, { sure: accept({ confirm: true }) }));

    expect(summaryOf(again)).toBe('asks link');
    expect(readState(again).outcomes).toEqual({});
    expect(summaryOf(await sendRound(answering(again, { link: opened })))).toBe('asks name');
  });

  test('G16: asks again if the answer comes without the state', async () => {
    const sendRound = roundsOf(visit);

    expect(summaryOf(await sendRound({ inputResponses: { link: opened } }))).toBe('asks link');
  });

  test('G20, G12: accepts a recorded answer only for its own url', async () => {
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

  test('I39: refuses the answer of another user than the one it asked', async () => {
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
