/**
 * The server under attack: a tool whose resolvers ask three questions one after the other, and a
 * handwritten tool, prompt and resource. It counts what runs, because a refused state must not run
 * anything.
 */
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  defineTool,
  elicit,
  install,
  requestStateSeal,
  resolver,
} from 'mcp-resolve';
import * as z from 'zod';

/** The keys of the server. The first one seals. */
export const KEYS = [
  'the first key of the soak, 32 bytes or more',
  'the second key of the soak, 32 bytes or more',
] as const;
/** A key that the server does not have. */
export const STRANGE_KEY = 'a key of another server, 32 bytes or more';
export const AUDIENCE = 'trips';
export const PRINCIPAL = 'alice';

/** Counts the functions that ran in the server. */
export interface Ran {
  /** Bodies of tools, and handwritten handlers that completed a call. */
  bodies: number;
  /** Resolvers and handwritten handlers. */
  functions: number;
}

/** A server factory and its counts. */
export interface Desk {
  readonly factory: () => McpServer;
  readonly ran: Ran;
  /** The reasons of rejections, counted. */
  readonly rejections: Map<string, number>;
}

const TripInput = z.object({ trip: z.string() });
const args = argsOf(TripInput);
const City = z.object({ city: z.enum(['Rome', 'Paris', 'Oslo']) });
const Nights = z.object({ nights: z.int().min(1).max(14) });

/** Creates a desk. */
export function createDesk(): Desk {
  const ran: Ran = { bodies: 0, functions: 0 };
  const rejections = new Map<string, number>();
  const seal = requestStateSeal({
    keys: KEYS,
    audience: AUDIENCE,
    principal: () => PRINCIPAL,
    onReject: ({ reason }) => void rejections.set(reason, (rejections.get(reason) ?? 0) + 1),
    logger: { warn: () => undefined },
  });
  const planTrip = planTripTool(ran);
  const factory = (): McpServer => {
    const server = new McpServer({ name: 'trips', version: '1.0.0' });
    install(server, [planTrip], { seal });
    writeByHand(server, ran);
    return server;
  };
  return { factory, ran, rejections };
}

function planTripTool(ran: Ran) {
  const city = resolver(
    { trip: args.trip },
    ({ trip }) => {
      ran.functions += 1;
      return elicit(`Where does ${trip} go?`, City);
    },
    { asks: 'form' },
  );
  const nights = resolver(
    { city },
    (needs) => {
      ran.functions += 1;
      return elicit(`How many nights in ${needs.city.city}?`, Nights);
    },
    { asks: 'form' },
  );
  const approval = resolver(
    { city, nights },
    (needs) => {
      ran.functions += 1;
      return confirm(`Book ${needs.nights.nights} nights in ${needs.city.city}?`);
    },
    { asks: 'form' },
  );
  return defineTool(
    'plan_trip',
    { inputSchema: TripInput, resolve: { city, nights, approval } },
    ({ trip, ...filled }) => {
      ran.bodies += 1;
      return `${trip}: ${filled.nights.nights} nights in ${filled.city.city}`;
    },
  );
}

const Signature = z.object({ signature: z.enum(['Ada']) });

function writeByHand(server: McpServer, ran: Ran): void {
  server.registerTool('sign_off', { inputSchema: TripInput }, ({ trip }, ctx) => {
    const signed = sign(trip, ctx, ran);
    return typeof signed === 'string' ? { content: [{ type: 'text', text: signed }] } : signed;
  });
  server.registerPrompt('sign_off', { argsSchema: TripInput }, ({ trip }, ctx) => {
    const signed = sign(trip, ctx, ran);
    if (typeof signed !== 'string') return signed;
    return { messages: [{ role: 'user', content: { type: 'text', text: signed } }] };
  });
  server.registerResource('sign_off', 'trips://sign-off', {}, (uri, ctx) => {
    const signed = sign(uri.href, ctx, ran);
    return typeof signed === 'string' ? { contents: [{ uri: uri.href, text: signed }] } : signed;
  });
}

function sign(what: string, ctx: ServerContext, ran: Ran): InputRequiredResult | string {
  ran.functions += 1;
  const answer = acceptedContent(ctx.mcpReq.inputResponses, 'signature', Signature);
  if (ctx.mcpReq.requestState() !== `sign ${what}` || answer === undefined) {
    return inputRequired({
      inputRequests: {
        signature: inputRequired.elicit({ message: `Sign ${what}`, requestedSchema: Signature }),
      },
      requestState: `sign ${what}`,
    });
  }
  ran.bodies += 1;
  return `${what} signed by ${answer.signature}`;
}
