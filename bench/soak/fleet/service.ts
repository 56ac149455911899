/**
 * The service of the fleet: a tool whose resolvers ask three questions one after the other, and a
 * handwritten tool that asks twice. Both name the user in their result. A third tool asks for an
 * approval, and then its body runs longer than the timeout of the proxy or crashes its process.
 * Every run of that body adds a line to a file.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, install, resolver } from 'mcp-resolve';
import type { RequestStateSeal } from 'mcp-resolve';
import * as z from 'zod';

const TripInput = z.object({ trip: z.string() });
const args = argsOf(TripInput);
const City = z.object({ city: z.string() });
const Nights = z.object({ nights: z.int() });
const Signature = z.object({ signature: z.string() });

const city = resolver({ trip: args.trip }, ({ trip }) => elicit(`Where does ${trip} go?`, City), {
  asks: 'form',
});

const nights = resolver(
  { city },
  (needs) => elicit(`How many nights in ${needs.city.city}?`, Nights),
  { asks: 'form' },
);

const approval = resolver(
  { city, nights },
  (needs) => confirm(`Book ${needs.nights.nights} nights in ${needs.city.city}?`),
  { asks: 'form' },
);

const planTrip = defineTool(
  'plan_trip',
  { inputSchema: TripInput, resolve: { city, nights, approval } },
  ({ trip, ...filled }, ctx) =>
    `${userOf(ctx)} booked ${trip}: ${filled.nights.nights} nights in ${filled.city.city}`,
);

const FaultInput = z.object({
  fault: z.enum(['outlast', 'crash']),
  runsFile: z.string(),
  outlastMs: z.int(),
});

const faultApproval = resolver(
  { fault: argsOf(FaultInput).fault },
  ({ fault }) => confirm(`Run a body with the fault ${fault}?`),
  { asks: 'form' },
);

const fail = defineTool(
  'fail',
  { inputSchema: FaultInput, resolve: { faultApproval } },
  async ({ fault, runsFile, outlastMs }) => {
    appendFileSync(runsFile, `${fault}\n`);
    if (fault === 'crash') process.exit(1);
    await delay(outlastMs);
    return 'outlasted';
  },
);

/** Creates a server. */
export function buildServer(name: string, seal: RequestStateSeal): McpServer {
  const server = new McpServer({ name, version: '1.0.0' });
  install(server, [planTrip, fail], { seal });
  server.registerTool('sign_off', { inputSchema: TripInput }, ({ trip }, ctx) => sign(trip, ctx));
  return server;
}

/** A handwritten tool. The state holds the first signature while the tool asks for the second. */
function sign(trip: string, ctx: ServerContext): CallToolResult | InputRequiredResult {
  const first = ctx.mcpReq.requestState<string>();
  const answer = acceptedContent(ctx.mcpReq.inputResponses, 'signature', Signature);
  if (first === undefined) return askToSign(trip, '');
  if (answer === undefined) return askToSign(trip, first);
  if (first === '') return askToSign(trip, answer.signature);
  const text = `${userOf(ctx)} had ${trip} signed by ${first} and ${answer.signature}`;
  return { content: [{ type: 'text', text }] };
}

function askToSign(trip: string, requestState: string): InputRequiredResult {
  const message = requestState === '' ? `Sign ${trip}` : `Sign ${trip} below ${requestState}`;
  return inputRequired({
    inputRequests: { signature: inputRequired.elicit({ message, requestedSchema: Signature }) },
    requestState,
  });
}

function userOf(ctx: ServerContext): string {
  return String(ctx.http?.authInfo?.extra?.sub);
}
