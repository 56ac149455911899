/** The parameters of prompt and resource bodies, and of direct calls. */
import type {
  GetPromptResult,
  ReadResourceResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import { completable, ResourceTemplate } from '@modelcontextprotocol/server';
import {
  arg,
  argsOf,
  type CallContext,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  type Outcome,
  outcome,
  type Prompt,
  type ReadContext,
  resolver,
  type Resource,
} from 'mcp-resolve';
import * as z from 'zod';
import { typeOf } from '../support/typeOf.js';

const Trip = z.object({ city: z.string(), days: z.coerce.number().default(3) });
const args = argsOf(Trip);
const price = resolver({ days: args.days }, ({ days }) => days * 80);
const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
const stay = resolver(
  { at: args.city },
  ({ at }) => (at === '' ? { nights: 1 } : elicit('How long?', z.object({ nights: z.number() }))),
  { asks: 'form' },
);

// A prompt: its arguments after validation and the resolved values are one plain object.
const plan = definePrompt(
  'plan',
  { argsSchema: Trip, guards: [sure], resolve: { price, stay, sure: outcome(sure) } },
  (values, ctx) => {
    typeOf(values).is<{
      city: string;
      days: number;
      price: number;
      stay: { nights: number };
      sure: Outcome<true>;
    }>();
    typeOf(ctx).is<CallContext>();
    return values.city;
  },
);
typeOf(plan).is<Prompt<{ city: string; days?: unknown }>>();
typeOf(plan.get).is<
  (args: { city: string; days?: unknown }, ctx?: ServerContext) => Promise<GetPromptResult>
>();
typeOf(plan.name).is<string>();

// Without argsSchema, the body receives only the resolved values.
const bare = definePrompt('bare', { resolve: { sure } }, (values) => {
  typeOf(values).is<{ sure: true }>();
  return 'bare';
});
typeOf(bare.get).parameter(0).is<Readonly<Record<string, never>> | undefined>();
definePrompt('nothing', {}, (values) => {
  typeOf(values).is<{}>();
  return 'nothing';
});
definePrompt('empty', { argsSchema: z.object({}), resolve: { sure } }, (values) => {
  typeOf(values.sure).is<true>();
  return 'empty';
});

// completable keeps the type of its schema.
definePrompt(
  'completed',
  {
    argsSchema: z.object({
      city: completable(z.string(), () => ['Lyon']),
      mood: completable(z.string(), () => ['good']).optional(),
    }),
    resolve: { stay },
  },
  (values) => {
    typeOf(values).is<{ city: string; mood?: string | undefined; stay: { nights: number } }>();
    return values.city;
  },
);

// A body returns a string, a result, or a promise of one of them.
definePrompt('later', {}, async () => 'later');
definePrompt('result', {}, (): GetPromptResult => ({ messages: [] }));
definePrompt('literal', {}, () => ({
  description: 'A plan',
  messages: [
    { role: 'user', content: { type: 'text', text: 'Plan it' } },
    { role: 'assistant', content: { type: 'text', text: 'I will' } },
  ],
  _meta: { 'acme/plan': [1, 2] },
}));
definePrompt('either', { argsSchema: Trip }, async ({ city }) =>
  city === ''
    ? 'Where to?'
    : { messages: [{ role: 'user', content: { type: 'text', text: city } }] },
);
definePrompt('throws', {}, () => {
  throw new Error('no');
});

// A resource at a fixed URI has no variables.
const next = defineResource('next', 'trips://next', { resolve: { sure } }, (values, ctx) => {
  typeOf(values).is<{ sure: true }>();
  typeOf(ctx).is<ReadContext>();
  typeOf(ctx.uri).is<URL>();
  typeOf(ctx.variables).is<Readonly<Record<string, string | string[]>>>();
  typeOf(ctx.callId).is<string>();
  return 'next';
});
typeOf(next).is<Resource>();
typeOf(next.read).is<(uri: string | URL, ctx?: ServerContext) => Promise<ReadResourceResult>>();
defineResource('plain', 'trips://plain', { mimeType: 'text/plain' }, (values) => {
  typeOf(values).is<{}>();
  return 'plain';
});
defineResource(
  'defaulted',
  'trips://defaulted',
  { variables: z.object({ lang: z.string().default('en') }) },
  (values) => {
    typeOf(values).is<{ lang: string }>();
    return values.lang;
  },
);

// A template with a schema: the output of the schema.
const trips = new ResourceTemplate('trips://{city}/{days}', { list: undefined });
defineResource('typed', trips, { variables: Trip, resolve: { price, stay } }, (values) => {
  typeOf(values).is<{ city: string; days: number; price: number; stay: { nights: number } }>();
  return values.city;
});
const lists = new ResourceTemplate('lists://{b*}', { list: undefined });
defineResource('listed', lists, { variables: z.object({ b: z.array(z.string()) }) }, (values) => {
  typeOf(values).is<{ b: string[] }>();
  return values.b.join();
});

// A template without a schema: any name, as a string or an array of strings.
defineResource('raw', trips, {}, (values) => {
  typeOf(values).is<Readonly<Record<string, string | string[]>>>();
  typeOf(values.city!).is<string | string[]>();
  return String(values.city);
});
const raw = resolver({ at: arg<string | string[]>('city') }, ({ at }) => [at].flat());
const known = resolver({ at: arg<string | string[]>('city') }, ({ at }) => at.length > 0);
defineResource('guarded', trips, { guards: [known] }, (values) => {
  typeOf(values).is<Readonly<Record<string, string | string[]>>>();
  return '';
});

// With resolved values, variables without a schema are unknown. ctx.variables has their types.
defineResource('mixed', trips, { resolve: { raw, sure } }, (values, ctx) => {
  typeOf(values).is<{ raw: string[]; sure: true } & Readonly<Record<string, unknown>>>();
  typeOf(values.raw).is<string[]>();
  typeOf(values.sure).is<true>();
  typeOf(values.city).is<unknown>();
  typeOf(ctx.variables.city!).is<string | string[]>();
  return values.raw.join();
});

// A URI or a template, chosen at run time.
declare const place: string | ResourceTemplate;
export const decided = () =>
  defineResource('decided', place, { variables: Trip }, (values) => {
    typeOf(values).is<{ city: string; days: number }>();
    return values.city;
  });

// A body returns a string, bytes or a result.
defineResource('bytes', 'trips://bytes', {}, () => new Uint8Array([1, 2]));
defineResource('buffer', 'trips://buffer', {}, async () => Buffer.from('x'));
defineResource('result', 'trips://result', {}, (): ReadResourceResult => ({ contents: [] }));
defineResource('literal', 'trips://literal', {}, (_, { uri }) => ({
  contents: [
    { uri: uri.href, text: 'x', mimeType: 'text/plain' },
    { uri: 'trips://2', blob: 'AA==' },
  ],
}));
defineResource('either', trips, { variables: Trip }, ({ city }) =>
  city === '' ? 'nowhere' : new Uint8Array(),
);

// The options of the SDK.
defineResource(
  'fields',
  'trips://fields',
  {
    title: 'A trip',
    description: 'One trip',
    mimeType: 'text/plain',
    size: 7,
    icons: [{ src: 'https://travel.example/trip.png' }],
    annotations: { audience: ['user'], priority: 1 },
    cacheHint: { ttlMs: 5, cacheScope: 'public' },
    scopeChallenge: () => undefined,
    hideWhenCannotAsk: false,
    _meta: { a: 1 },
  },
  () => '',
);

// One configuration for a tool, a prompt and a resource.
const shared = { guards: [sure], resolve: { price, stay } };
interface Values {
  city: string;
  days: number;
  price: number;
  stay: { nights: number };
}
const body = (values: Values): string => values.city;
defineTool('shared', { inputSchema: Trip, ...shared }, body);
definePrompt('shared', { argsSchema: Trip, ...shared }, body);
defineResource('shared', trips, { variables: Trip, ...shared }, body);
