/** A call of any number of rounds. Each question depends on the answer to the one before. */
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { defineTool, elicit, install, requestStateSeal, resolver } from 'mcp-resolve';
import type { AnyResolver, Need } from 'mcp-resolve';
import * as z from 'zod';

import type { Result, Send } from './modern.js';

const KEY = 'a key of at least 32 bytes, for benchmarks only';
const INFO = { name: 'counting', version: '1.0.0' };
const NAME = 'count';
const Answer = z.object({ number: z.number() });
const questionAfter = (number: number): string => `What comes after ${number}?`;

/** Written with resolvers, each of which needs the one before. */
export function askingInTurn(questions: number): McpServerFactory {
  let last: AnyResolver | undefined;
  for (let index = 0; index < questions; index += 1) {
    const needs: Record<string, Need> = last === undefined ? {} : { before: last };
    last = resolver(
      needs,
      ({ before }: Readonly<Record<string, unknown>>) =>
        elicit(questionAfter((before as z.infer<typeof Answer> | undefined)?.number ?? 0), Answer),
      { asks: 'form' },
    );
  }
  const tool = defineTool(NAME, { resolve: { last: last ?? resolver({}, () => 0) } }, () => 'done');
  const seal = requestStateSeal({ keys: [KEY], audience: 'bench' });
  return (request) => {
    const server = new McpServer(INFO);
    install(server, [tool], { seal, request });
    return server;
  };
}

/** Written as in the SDK's documentation. The signed state holds the answers so far. */
export function askingByHand(questions: number): McpServerFactory {
  const codec = createRequestStateCodec<{ answers: number[] }>({ key: KEY });
  return () => {
    const server = new McpServer(INFO, {
      requestState: { verify: (state, ctx) => codec.verify(state, ctx) },
    });
    server.registerTool(NAME, {}, async (ctx) => {
      const { answers } = ctx.mcpReq.requestState<{ answers: number[] }>() ?? { answers: [] };
      const answer = acceptedContent(ctx.mcpReq.inputResponses, 'next', Answer);
      if (answer !== undefined) answers.push(answer.number);
      if (answers.length === questions) return { content: [{ type: 'text', text: 'done' }] };
      const message = questionAfter(answers.at(-1) ?? 0);
      return inputRequired({
        inputRequests: { next: inputRequired.elicit({ message, requestedSchema: Answer }) },
        requestState: await codec.mint({ answers }),
      });
    });
    return server;
  };
}

/** Answers each question with the number of its round. */
export async function answerAll(send: Send, questions: number): Promise<void> {
  let result: Result = await send('tools/call', { name: NAME, arguments: {} });
  for (let number = 1; number <= questions; number += 1) {
    const [key] = Object.keys(result.inputRequests ?? {});
    if (key === undefined)
      throw new Error(`the call asked only ${number - 1} of ${questions} questions`);
    result = await send('tools/call', {
      name: NAME,
      arguments: {},
      requestState: result.requestState,
      inputResponses: { [key]: { action: 'accept', content: { number } } },
    });
  }
  if (result.content?.[0]?.text !== 'done') throw new Error('the call did not end');
}
