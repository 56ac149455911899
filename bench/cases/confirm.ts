/**
 * The confirm flow, written in four ways: a tool deletes a folder after the user has confirmed. The
 * question names the number of files, and the client carries the sealed state.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import type {
  McpServerFactory,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import * as z from 'zod';

import type { Send } from './modern.js';

const KEY = 'a key of at least 32 bytes, for benchmarks only';
export const INFO = { name: 'folders', version: '1.0.0' };
export const NAME = 'delete_folder';
const ARGUMENTS = { path: '/tmp/reports', reason: 'unused' };

export const DeleteInput = z.object({
  path: z.string().min(1).describe('The folder, as an absolute path.'),
  reason: z.enum(['unused', 'moved', 'other']).describe('Why it is deleted.'),
  note: z.string().max(500).optional().describe('For the log.'),
  keepDays: z.number().int().min(0).max(90).default(30).describe('How long it can be restored.'),
});
export const filesIn = (path: string): number => path.length % 7;
const question = (path: string, files: number): string => `Delete ${path} with ${files} files?`;
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** Written with resolvers. The state is encrypted, and bound to tool, arguments and user. */
export const ours: McpServerFactory = (() => {
  const args = argsOf(DeleteInput);
  const files = resolver({ path: args.path }, ({ path }) => filesIn(path));
  const sure = resolver(
    { path: args.path, files },
    ({ path, files }) => confirm(question(path, files)),
    { asks: 'form' },
  );
  const tool = defineTool(
    NAME,
    { inputSchema: DeleteInput, resolve: { files, sure } },
    ({ path, files }) => `Deleted ${path} with ${files} files.`,
  );
  const seal = requestStateSeal({ keys: [KEY], audience: 'bench' });
  return (request) => {
    const server = new McpServer(INFO);
    install(server, [tool], { seal, request });
    return server;
  };
})();

const Sure = z.object({ confirm: z.boolean() });

/** Written as in the SDK's documentation, with schemas that are created once and signed state. */
export const idiomatic: McpServerFactory = (() => {
  const codec = createRequestStateCodec<{ files: number }>({ key: KEY });
  return () => {
    const server = new McpServer(INFO, {
      requestState: { verify: (state, ctx) => codec.verify(state, ctx) },
    });
    server.registerTool(NAME, { inputSchema: DeleteInput }, async ({ path }, ctx) => {
      const answer = acceptedContent(ctx.mcpReq.inputResponses, 'sure', Sure);
      if (answer?.confirm !== true) {
        const files = filesIn(path);
        return inputRequired({
          inputRequests: {
            sure: inputRequired.elicit({
              message: question(path, files),
              requestedSchema: Sure,
            }),
          },
          requestState: await codec.mint({ files }),
        });
      }
      const { files } = ctx.mcpReq.requestState<{ files: number }>() ?? { files: 0 };
      return said(`Deleted ${path} with ${files} files.`);
    });
    return server;
  };
})();

/** The signature of hand-tuned code. */
interface Signing {
  readonly mint: (files: number) => Promise<string> | string;
  readonly verify: (state: string, ctx: ServerContext) => Promise<{ files: number }>;
}

/** Converts a schema once. `fromJsonSchema` would be slower, because its validator interprets. */
function converted<S extends z.ZodType>(
  schema: S,
): StandardSchemaWithJSON<z.input<S>, z.output<S>> {
  const { version, vendor, validate, jsonSchema } = schema['~standard'];
  const target = { target: 'draft-2020-12' as const };
  const [input, output] = [jsonSchema.input(target), jsonSchema.output(target)];
  return {
    '~standard': {
      version,
      vendor,
      validate,
      jsonSchema: { input: () => input, output: () => output },
    },
  };
}

/**
 * Written as a careful engineer would tune it: schemas are converted once, and the form is
 * constant.
 */
function handTuned({ mint, verify }: Signing): McpServerFactory {
  const inputSchema = converted(DeleteInput);
  const requestedSchema = {
    type: 'object' as const,
    properties: { confirm: { type: 'boolean' as const } },
    required: ['confirm'],
  };
  return () => {
    const server = new McpServer(INFO, { requestState: { verify } });
    server.registerTool(NAME, { inputSchema }, async ({ path }, ctx) => {
      const answer = acceptedContent(ctx.mcpReq.inputResponses, 'sure');
      if (answer?.confirm !== true) {
        const files = filesIn(path);
        return inputRequired({
          inputRequests: {
            sure: inputRequired.elicit({ message: question(path, files), requestedSchema }),
          },
          requestState: await mint(files),
        });
      }
      const { files } = ctx.mcpReq.requestState<{ files: number }>() ?? { files: 0 };
      return said(`Deleted ${path} with ${files} files.`);
    });
    return server;
  };
}

/** Hand-tuned, with the SDK's codec. */
export const tuned: McpServerFactory = (() => {
  const codec = createRequestStateCodec<{ files: number }>({ key: KEY });
  return handTuned({
    mint: (files) => codec.mint({ files }),
    verify: (state, ctx) => codec.verify(state, ctx),
  });
})();

/** Hand-tuned, with a synchronous signature of Node. */
export const tunedHmac: McpServerFactory = (() => {
  const sign = (body: string): Buffer => createHmac('sha256', KEY).update(body).digest();
  return handTuned({
    mint: (files) => {
      const signed: Signed = { files, until: Date.now() + 600_000 };
      const body = Buffer.from(JSON.stringify(signed)).toString('base64url');
      return `${body}.${sign(body).toString('base64url')}`;
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- the SDK requires a promise
    verify: async (state) => {
      const [body = '', signature = ''] = state.split('.');
      const given = Buffer.from(signature, 'base64url');
      const expected = sign(body);
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        throw new Error('mac');
      const { files, until } = JSON.parse(Buffer.from(body, 'base64url').toString()) as Signed;
      if (until < Date.now()) throw new Error('expired');
      return { files };
    },
  });
})();

interface Signed {
  readonly files: number;
  readonly until: number;
}

/** A tool of the SDK that asks no question. */
export const plain: McpServerFactory = () => {
  const server = new McpServer(INFO);
  server.registerTool(NAME, { inputSchema: DeleteInput }, ({ path }) =>
    said(`Deleted ${path} with ${filesIn(path)} files.`),
  );
  return server;
};

/** Calls the tool, confirms, and checks that the folder was deleted. */
export async function confirmFlow(send: Send): Promise<void> {
  const asked = await send('tools/call', { name: NAME, arguments: ARGUMENTS });
  if (asked.inputRequests?.sure === undefined) throw new Error('nothing was asked');
  const { content } = await send('tools/call', {
    name: NAME,
    arguments: ARGUMENTS,
    requestState: asked.requestState,
    inputResponses: { sure: { action: 'accept', content: { confirm: true } } },
  });
  if (content?.[0]?.text?.startsWith('Deleted') !== true) throw new Error('nothing was deleted');
}

/** Makes one call without a question. */
export async function plainCall(send: Send): Promise<void> {
  const { content } = await send('tools/call', { name: NAME, arguments: ARGUMENTS });
  if (content?.[0]?.text?.startsWith('Deleted') !== true) throw new Error('nothing was deleted');
}
