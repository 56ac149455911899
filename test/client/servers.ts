/**
 * Servers for the tests of calls by hand: one with resolvers, and one whose tool, prompt and
 * resource ask with the SDK alone.
 */
import {
  inputRequired,
  type InputRequests,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, resolver } from 'mcp-resolve';
import { z } from 'zod';

const RefundInput = z.object({ order_id: z.string() });
const args = argsOf(RefundInput);

const scope = resolver(
  { id: args.order_id },
  ({ id }) => elicit(`Refund all of ${id}?`, z.object({ full: z.boolean() })),
  { asks: 'form' },
);

const approval = resolver(
  { id: args.order_id, scope },
  ({ id, scope: { full } }) =>
    elicit(
      `Approve the ${full ? 'full' : 'partial'} refund of ${id}?`,
      z.object({ by: z.string() }),
    ),
  { asks: 'form' },
);

/** Asks for the scope first, and for an approval of that scope second. */
export const refundOrder = defineTool(
  'refund_order',
  {
    inputSchema: RefundInput,
    outputSchema: z.object({ order_id: z.string(), full: z.boolean(), approved_by: z.string() }),
    resolve: { scope, approval },
  },
  ({ order_id, scope: { full }, approval: { by } }) => ({ order_id, full, approved_by: by }),
);

/** Creates a server with {@link refundOrder}. */
export function refundDesk(): McpServer {
  const server = new McpServer({ name: 'refund-desk', version: '1.0.0' });
  install(server, [refundOrder]);
  return server;
}

/** States with quotes, control characters, an emoji and a lone surrogate. */
export const STATES = ['one "\\/ \u0000\u2028 é 😀', 'two \ud800 {"__proto__":1} '] as const;

const Yes = z.object({ yes: z.boolean() });
const ask = (message: string) => inputRequired.elicit({ message, requestedSchema: Yes });

const FIRST_ROUND: InputRequests = {
  'left#1': ask('Left?'),
  right: ask('Right?'),
  link: inputRequired.elicitUrl({ message: 'Sign in', url: 'https://login.test/' }),
  model: inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Summarise' } }],
    maxTokens: 9,
  }),
  folders: inputRequired.listRoots(),
};

/** Asks in two rounds, each with its own state, and then reports the state and the answers. */
function twoRounds({ mcpReq }: ServerContext): ReturnType<typeof inputRequired> | string {
  const state = mcpReq.requestState();
  if (state === undefined) {
    return inputRequired({ inputRequests: FIRST_ROUND, requestState: STATES[0] });
  }
  if (state === STATES[0]) {
    return inputRequired({ inputRequests: { last: ask('Last?') }, requestState: STATES[1] });
  }
  return `${state === STATES[1] ? 'known' : 'strange'} state, ${JSON.stringify(mcpReq.inputResponses)}`;
}

/** Returns no questions in the first round, and no state in the second. */
function waiting({ mcpReq }: ServerContext): ReturnType<typeof inputRequired> | string {
  const { inputResponses } = mcpReq;
  if (inputResponses?.done !== undefined) return `state ${String(mcpReq.requestState())}`;
  if (mcpReq.requestState() === undefined) return inputRequired({ requestState: 'busy' });
  return inputRequired({ inputRequests: { done: ask('Done?') } });
}

/** Creates a server with hand-written handlers. */
export function handWritten(): McpServer {
  const server = new McpServer({ name: 'hand-written', version: '1.0.0' });
  const inputSchema = z.looseObject({});
  server.registerTool('two_rounds', { inputSchema }, (_, ctx) => toolText(twoRounds(ctx)));
  server.registerTool('waiting', { inputSchema }, (_, ctx) => toolText(waiting(ctx)));
  server.registerTool('plain', { inputSchema }, () => toolText('no questions'));
  server.registerTool('hang', { inputSchema }, () => new Promise(() => undefined));
  server.registerPrompt('brief', { argsSchema: z.object({ topic: z.string() }) }, (_, ctx) => {
    const said = twoRounds(ctx);
    if (typeof said !== 'string') return said;
    return { messages: [{ role: 'user', content: { type: 'text', text: said } }] };
  });
  server.registerResource('report', 'report://today', {}, (uri, ctx) => {
    const said = twoRounds(ctx);
    return typeof said === 'string' ? { contents: [{ uri: uri.href, text: said }] } : said;
  });
  return server;
}

function toolText(said: ReturnType<typeof inputRequired> | string) {
  return typeof said === 'string' ? { content: [{ type: 'text' as const, text: said }] } : said;
}

/** Creates a server whose tool takes `region` as a header, asks, and has an output schema. */
export function regional(): McpServer {
  const server = new McpServer({ name: 'regional', version: '1.0.0' });
  const inputSchema = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) });
  const outputSchema = z.object({ opened: z.string() });
  server.registerTool('open_shop', { inputSchema, outputSchema }, ({ region }, { mcpReq }) =>
    mcpReq.inputResponses === undefined
      ? inputRequired({ inputRequests: { sure: ask('Sure?') } })
      : { content: [], structuredContent: { opened: region } },
  );
  return server;
}
