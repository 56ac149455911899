/** Tests failing and aborted calls by hand, and calls by hand on the legacy era. */
import { type Client, ProtocolError, SdkError } from '@modelcontextprotocol/client';
import { inputRequired, McpServer, Server } from '@modelcontextprotocol/server';
import { accept, resumeCall, startCall } from 'mcp-resolve/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { connectClient } from '../support/plainClient.js';
import { textOf } from '../support/results.js';
import { connectByHand, expectFinished, expectOpen, refund } from './byHand.js';
import { handWritten, refundDesk } from './servers.js';

/** Creates a server that sends these replies to `tools/call`, even malformed ones. */
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

/** Replaces the results that arrive, because the SDK's server does not send malformed ones. */
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
  it('of the state is a protocol error that does not contain the state', async () => {
    const { client } = await connectByHand(() => {
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
    const call = expectOpen(await startCall(client, { name: 'ask' }));
    const failure = await failureOf(call.answer({}));
    expect(failure).toBeInstanceOf(ProtocolError);
    expect(failure).toMatchObject({ code: -32_602 });
    expect(failure.message).not.toContain('SECRET');
  });

  it('to ask a question that the client cannot answer is the protocol error -32021', async () => {
    const { client } = await connectClient('modern', refundDesk);
    await expect(startCall(client, refund)).rejects.toMatchObject({ code: -32_021 });
  });

  it('leaves the open call usable for a corrected answer', async () => {
    const { client } = await connectByHand(refundDesk);
    const call = expectOpen(await startCall(client, refund));
    const { result } = expectFinished(await call.answer({ scope: accept({ full: 'perhaps' }) }));
    expect(result.isError).toBe(true);
    const next = expectOpen(await call.answer({ scope: accept({ full: true }) }));
    expect(Object.keys(next.questions)).toEqual(['approval']);
  });
});

describe('a malformed reply', () => {
  it('J15: with neither questions nor a state fails after one request', async () => {
    const { client, requests } = await connectByHand(handWritten);
    replaceResults(client, { resultType: 'input_required' });
    const failure = await failureOf(startCall(client, { name: 'plain' }));
    expect(failure).toBeInstanceOf(SdkError);
    expect(failure).toMatchObject({ code: 'INVALID_RESULT' });
    expect(requests()).toBe(1);
  });

  it.each([
    ['of an unknown kind', { method: 'person/shout' }],
    ['without a message', { method: 'elicitation/create', params: {} }],
    ['that is null', null],
  ])(
    'with a question %s fails with an error that names its key and hides the state',
    async (_, odd) => {
      const { client } = await connectByHand(handWritten);
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
    },
  );

  it('with content that does not match the output schema fails if the definition is known', async () => {
    const wrong = { content: [], structuredContent: { full: 'yes' } };
    const { client } = await connectByHand(replying(wrong, wrong, { content: [] }));
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

  it('is not requested from a tool with an invalid output schema', async () => {
    const { client, requests } = await connectByHand(replying({ content: [] }));
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

describe('an aborted call', () => {
  it('is cancelled by its signal during a round', async () => {
    const { client, requests } = await connectByHand(handWritten);
    const giveUp = new AbortController();
    const call = failureOf(startCall(client, { name: 'hang' }, { signal: giveUp.signal }));
    expect(requests()).toBe(1);
    giveUp.abort('no longer needed');
    expect(await call).toMatchObject({ name: 'SdkError', message: 'no longer needed' });
  });

  it('sends no further round after its signal is aborted', async () => {
    const { client, requests } = await connectByHand(refundDesk);
    const giveUp = new AbortController();
    const call = expectOpen(await startCall(client, refund, { signal: giveUp.signal }));
    giveUp.abort('no longer needed');
    await expect(call.answer({ scope: accept({ full: true }) })).rejects.toThrow(
      'no longer needed',
    );
    expect(requests()).toBe(1);
    expect(resumeCall(client, call.toJSON()).done).toBe(false);
  });

  it('can have a signal for a single round', async () => {
    const { client } = await connectByHand(refundDesk);
    const call = expectOpen(await startCall(client, refund));
    const answers = { scope: accept({ full: true }) };
    const aborted = call.answer(answers, { signal: AbortSignal.abort('not now') });
    await expect(aborted).rejects.toThrow('not now');
    expect((await call.answer(answers)).done).toBe(false);
  });

  it('ends with a timeout if a round takes too long', async () => {
    const { client } = await connectByHand(handWritten);
    const call = startCall(client, { name: 'hang' }, { timeout: 20 });
    await expect(call).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });

  it("fails with the SDK's error if its client is not connected", async () => {
    const { client } = await connectByHand(refundDesk);
    const call = expectOpen(await startCall(client, refund));
    await client.close();
    await expect(call.answer({ scope: accept({ full: true }) })).rejects.toThrow('Not connected');
  });
});

describe('K11: on the legacy era', () => {
  it("startCall returns a finished call whose questions the client's handlers answered", async () => {
    const elicit = [accept({ full: true }), accept({ by: 'Ada' })];
    const { client, asked } = await connectClient('legacy', refundDesk, { elicit });
    const { result } = expectFinished(await startCall(client, refund));
    expect(result.structuredContent).toMatchObject({ approved_by: 'Ada' });
    expect(asked).toEqual(['Refund all of ORD-7?', 'Approve the full refund of ORD-7?']);
  });

  it('startCall finishes a hand-written tool, whose questions the SDK sends', async () => {
    const elicit = [accept({ yes: true })];
    const { client, asked } = await connectClient('legacy', handWritten, { elicit });
    const { result } = expectFinished(await startCall(client, { name: 'waiting' }));
    expect(textOf(result)).toBe('state undefined');
    expect(asked).toEqual(['Done?']);
  });

  it('a saved call refuses answers and sends nothing', async () => {
    const { client } = await connectByHand(refundDesk);
    const saved = expectOpen(await startCall(client, refund)).toJSON();
    const legacy = await connectClient('legacy', refundDesk);
    const call = resumeCall(legacy.client, saved);
    await expect(call.answer({ scope: accept({ full: true }) })).rejects.toThrow(
      'but the client has negotiated an earlier version',
    );
    expect(legacy.requests()).toBe(0);
  });
});
