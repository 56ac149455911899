/** How calls by hand fail, how they are given up, and what they are on the 2025 era. */
import { type Client, ProtocolError, SdkError } from '@modelcontextprotocol/client';
import { inputRequired, McpServer, Server } from '@modelcontextprotocol/server';
import { accept, resumeCall, startCall } from 'mcp-resolve/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { accept as fill } from 'mcp-resolve/testing';
import { connectClient } from '../support/plainClient.js';
import { finished, manual, open, refund, textOf } from './byHand.js';
import { handWritten, refundDesk } from './servers.js';

/** A server that replies to `tools/call` as told, however malformed. */
function replying(...replies: object[]): () => Server {
  const left = [...replies];
  return () => {
    const server = new Server({ name: 'odd', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler(
      'tools/call',
      () => (left.length > 1 ? left.shift()! : left[0]!) as never,
    );
    return server;
  };
}

/** Puts a result in the place of those that arrive: the SDK's server lets no such reply out. */
function replaceResults(client: Client, result: Record<string, unknown>): void {
  const transport = client.transport!;
  const deliver = transport.onmessage!;
  transport.onmessage = (message, extra) => {
    deliver('result' in message ? { ...message, result } : message, extra);
  };
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const failure: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(failure instanceof Error)) throw new Error('expected a failure');
  return failure;
}

describe('a refusal of the server', () => {
  it('of the state is the frozen protocol error, which does not show it', async () => {
    const { client } = await manual(() => {
      const verify = (): never => {
        throw new Error('not mine');
      };
      const info = { name: 'strict', version: '1.0.0' };
      const server = new McpServer(info, { requestState: { verify } });
      server.registerTool('ask', { inputSchema: z.object({}) }, () =>
        inputRequired({ requestState: 'SECRET' }),
      );
      return server;
    });
    const call = open(await startCall(client, { name: 'ask' }));
    const failure = await failureOf(call.answer({}));
    expect(failure).toBeInstanceOf(ProtocolError);
    expect(failure).toMatchObject({ code: -32_602 });
    expect(failure.message).not.toContain('SECRET');
  });

  it('to ask what the client cannot answer is the protocol error -32021', async () => {
    const { client } = await connectClient('modern', refundDesk);
    await expect(startCall(client, refund)).rejects.toMatchObject({ code: -32_021 });
  });

  it('leaves the open call as it was, so that a corrected answer can follow', async () => {
    const { client } = await manual(refundDesk);
    const call = open(await startCall(client, refund));
    const { result } = finished(await call.answer({ scope: accept({ full: 'perhaps' }) }));
    expect(result.isError).toBe(true);
    const next = open(await call.answer({ scope: accept({ full: true }) }));
    expect(Object.keys(next.questions)).toEqual(['approval']);
  });
});

describe('a malformed reply', () => {
  it('J15: with neither questions nor a state fails at once', async () => {
    const { client, requests } = await manual(handWritten);
    replaceResults(client, { resultType: 'input_required' });
    const failure = await failureOf(startCall(client, { name: 'plain' }));
    expect(failure).toBeInstanceOf(SdkError);
    expect(failure).toMatchObject({ code: 'INVALID_RESULT' });
    expect(requests()).toBe(1);
  });

  it.each([
    ['of no known kind', { method: 'person/shout' }],
    ['without anything to show', { method: 'elicitation/create', params: {} }],
    ['that is none', null],
  ])('with a question %s fails with its key and without the state', async (_, odd) => {
    const { client } = await manual(handWritten);
    replaceResults(client, {
      resultType: 'input_required',
      inputRequests: { odd },
      requestState: 'SECRET',
    });
    const failure = await failureOf(startCall(client, { name: 'plain' }));
    expect(failure).toBeInstanceOf(SdkError);
    expect(failure.message).toBe(
      "Invalid result for tools/call: question 'odd' is not a valid elicitation, sampling or roots request",
    );
  });

  it('whose structured content breaks the output schema is refused when the definition is given', async () => {
    const wrong = { content: [], structuredContent: { full: 'yes' } };
    const { client } = await manual(replying(wrong, wrong, { content: [] }));
    const toolDefinition = {
      name: 'odd',
      inputSchema: { type: 'object' as const },
      outputSchema: { type: 'object' as const, properties: { full: { type: 'boolean' } } },
    };
    expect((await startCall(client, { name: 'odd' })).done).toBe(true);
    const mismatch = await failureOf(startCall(client, { name: 'odd' }, { toolDefinition }));
    expect(mismatch).toBeInstanceOf(ProtocolError);
    expect(mismatch.message).toMatch(/^Structured content does not match the tool's output schema/);
    await expect(startCall(client, { name: 'odd' }, { toolDefinition })).rejects.toThrow(
      'Tool odd has an output schema but did not return structured content',
    );
  });

  it('of a tool whose output schema cannot be used is not waited for', async () => {
    const { client, requests } = await manual(replying({ content: [] }));
    const toolDefinition = {
      name: 'odd',
      inputSchema: { type: 'object' as const },
      outputSchema: { type: 'object' as const, properties: { a: { $ref: '#/nowhere' } } },
    };
    await expect(startCall(client, { name: 'odd' }, { toolDefinition })).rejects.toThrow(
      "Tool 'odd' has an invalid outputSchema",
    );
    expect(requests()).toBe(0);
  });
});

describe('a call that is given up', () => {
  it('is cancelled by its signal in the middle of a round', async () => {
    const { client, requests } = await manual(handWritten);
    const giveUp = new AbortController();
    const call = failureOf(startCall(client, { name: 'hang' }, { signal: giveUp.signal }));
    expect(requests()).toBe(1);
    giveUp.abort('no longer needed');
    expect(await call).toMatchObject({ name: 'SdkError', message: 'no longer needed' });
  });

  it('sends no further round once the signal it was started with is aborted', async () => {
    const { client, requests } = await manual(refundDesk);
    const giveUp = new AbortController();
    const call = open(await startCall(client, refund, { signal: giveUp.signal }));
    giveUp.abort('no longer needed');
    await expect(call.answer({ scope: accept({ full: true }) })).rejects.toThrow(
      'no longer needed',
    );
    expect(requests()).toBe(1);
    expect(resumeCall(client, call.toJSON()).done).toBe(false);
  });

  it('can have a signal for one round alone', async () => {
    const { client } = await manual(refundDesk);
    const call = open(await startCall(client, refund));
    const answers = { scope: accept({ full: true }) };
    const aborted = call.answer(answers, { signal: AbortSignal.abort('not now') });
    await expect(aborted).rejects.toThrow('not now');
    expect((await call.answer(answers)).done).toBe(false);
  });

  it('ends with a timeout when a round takes too long', async () => {
    const { client } = await manual(handWritten);
    const call = startCall(client, { name: 'hang' }, { timeout: 20 });
    await expect(call).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });

  it('fails as the SDK does when its client is not connected', async () => {
    const { client } = await manual(refundDesk);
    const call = open(await startCall(client, refund));
    await client.close();
    await expect(call.answer({ scope: accept({ full: true }) })).rejects.toThrow('Not connected');
  });
});

describe('K11: on the 2025 era', () => {
  it('a call with resolvers is done when it comes back, its questions answered by handlers', async () => {
    const elicit = [fill({ full: true }), fill({ by: 'Ada' })];
    const { client, asked } = await connectClient('legacy', refundDesk, { elicit });
    const { result } = finished(await startCall(client, refund));
    expect(result.structuredContent).toMatchObject({ approved_by: 'Ada' });
    expect(asked).toEqual(['Refund all of ORD-7?', 'Approve the full refund of ORD-7?']);
  });

  it('a hand-written call is done too: the SDK pushes what it returned', async () => {
    const elicit = [fill({ yes: true })];
    const { client, asked } = await connectClient('legacy', handWritten, { elicit });
    const { result } = finished(await startCall(client, { name: 'waiting' }));
    expect(textOf(result)).toBe('state undefined');
    expect(asked).toEqual(['Done?']);
  });

  it('a saved call cannot be answered, and nothing is sent', async () => {
    const { client } = await manual(refundDesk);
    const saved = open(await startCall(client, refund)).toJSON();
    const legacy = await connectClient('legacy', refundDesk);
    const call = resumeCall(legacy.client, saved);
    await expect(call.answer({ scope: accept({ full: true }) })).rejects.toThrow(
      'but the client has negotiated an earlier version',
    );
    expect(legacy.requests()).toBe(0);
  });
});
