/**
 * A server with hand-written tools, one of which asks the user. The file does not import the test
 * runner, because child processes use it too.
 */
import {
  acceptedContent,
  inputRequired,
  McpServer,
  type McpServerFactory,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

import { deferred } from '../support/deferred.js';

/** The calls that the servers of one factory received. */
export interface Observed {
  /** The calls of `greet`, each with its era. */
  entered: string[];
  /** Resolves with the abort signal of the first call of `hang`. */
  hanging: Promise<AbortSignal>;
}

const Name = z.object({ name: z.string() });
const question = 'What is your name?';

/** Creates a factory of servers with the tools `greet` (asks), `whoami` and `hang`. */
export function askingFactory(): { factory: McpServerFactory; observed: Observed } {
  const hanging = deferred<AbortSignal>();
  const observed: Observed = { entered: [], hanging: hanging.promise };
  const factory: McpServerFactory = ({ era }) => {
    const server = new McpServer({ name: 'asking', version: '1.0.0' });
    server.registerTool(
      'greet',
      { inputSchema: z.object({ greeting: z.string() }) },
      ({ greeting }, ctx) => {
        observed.entered.push(`greet ${era}`);
        return era === 'modern' ? greetByReturning(greeting, ctx) : greetByPushing(greeting, ctx);
      },
    );
    server.registerTool('whoami', { inputSchema: z.object({}) }, (_, ctx) =>
      textResult(`${String(ctx.http?.authInfo?.extra?.sub)} in ${ctx.sessionId ?? 'no session'}`),
    );
    server.registerTool('hang', { inputSchema: z.object({}) }, async (_, ctx) => {
      hanging.resolve(ctx.mcpReq.signal);
      await new Promise((resolve) => {
        ctx.mcpReq.signal.addEventListener('abort', resolve);
      });
      return textResult('aborted');
    });
    return server;
  };
  return { factory, observed };
}

function greetByReturning(greeting: string, ctx: ServerContext) {
  const answer = acceptedContent(ctx.mcpReq.inputResponses, 'name', Name);
  if (answer !== undefined) return textResult(`${greeting}, ${answer.name}!`);
  return inputRequired({
    inputRequests: { name: inputRequired.elicit({ message: question, requestedSchema: Name }) },
  });
}

async function greetByPushing(greeting: string, ctx: ServerContext) {
  const answer = await ctx.mcpReq.send({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: question,
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      },
    },
  });
  return textResult(`${greeting}, ${String(answer.content?.name)}!`);
}

/** Creates the result of a tool with one text block. */
export function textResult(value: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: value }] };
}
