/**
 * Counts what calls over HTTP do, in a process of its own, and prints the counts as JSON. V8 counts
 * the functions of `src/` that are entered between a request and its answer.
 */
import { Session, type Profiler } from 'node:inspector';
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, memoryStore, resolver } from 'mcp-resolve';
import type { RecordStore } from 'mcp-resolve/store';
import { serveHttp } from 'mcp-resolve/node';
import * as z from 'zod';

const counted = { conversions: 0, storeReads: 0, storeWrites: 0 };

/** Notes each conversion of a schema. Everything else is inherited from the schema. */
function noting<S extends z.ZodType>(schema: S): S {
  const standard = schema['~standard'];
  const jsonSchema = {
    get input() {
      counted.conversions += 1;
      return standard.jsonSchema.input;
    },
    get output() {
      counted.conversions += 1;
      return standard.jsonSchema.output;
    },
  };
  return Object.create(schema, { '~standard': { value: { ...standard, jsonSchema } } }) as S;
}

const memory = memoryStore({ singleProcess: true });
const store: RecordStore = {
  ...memory,
  get: (key) => {
    counted.storeReads += 1;
    return memory.get(key);
  },
  put: (...change) => {
    counted.storeWrites += 1;
    return memory.put(...change);
  },
};

const Input = noting(z.object({ invoice: z.string() }));
const { invoice } = argsOf(Input);
const euros = resolver({ invoice }, ({ invoice: id }) => (id === 'small' ? 40 : 900));
const approved = resolver(
  { invoice, euros },
  ({ invoice: id, euros: sum }) => (sum < 100 ? true : confirm(`Pay ${sum} for ${id}?`)),
  { asks: 'form' },
);
const pay = defineTool(
  'pay',
  { inputSchema: Input, resolve: { euros, approved }, once: store },
  ({ invoice: id, euros: sum }) => `Paid ${sum} for ${id}`,
);

const served = await serveHttp((request) => {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [pay], { request });
  return server;
});

interface Result {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly content?: readonly { readonly text: string }[];
}

const VERSION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';

async function call(id: string, more: object = {}): Promise<Result> {
  const _meta = {
    [`${PREFIX}protocolVersion`]: VERSION,
    [`${PREFIX}clientInfo`]: { name: 'counts', version: '1.0.0' },
    [`${PREFIX}clientCapabilities`]: { elicitation: { form: {} } },
  };
  const params = { name: 'pay', arguments: { invoice: id }, ...more, _meta };
  const response = await fetch(served.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': 'pay',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const { result } = (await response.json()) as { readonly result?: Result };
  if (result === undefined) throw new Error(`The call of ${id} failed.`);
  return result;
}

const session = new Session();
session.connect();
function post(method: string, params: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}

/** Returns the number of entered functions since the last look, by name. tsx adds `__name`. */
async function entered(): Promise<Map<string, number>> {
  const taken = await post('Profiler.takePreciseCoverage', {});
  const names = new Map<string, number>();
  for (const { url, functions } of (taken as Profiler.TakePreciseCoverageReturnType).result) {
    if (!/\/src\/[^:]*\.ts$/.test(url) || url.includes('/node_modules/')) continue;
    for (const { functionName, ranges } of functions) {
      const times = ranges[0]?.count ?? 0;
      const isModule = functionName === '' && ranges[0]?.startOffset === 0;
      if (times === 0 || isModule || functionName === '__name') continue;
      names.set(functionName, (names.get(functionName) ?? 0) + times);
    }
  }
  return names;
}

/** The functions that copy the context of a request. */
const COPIES = ['createContext', 'insideBoundary', 'withFacts', 'withAskingCall'];

async function count(work: () => Promise<Result>): Promise<[counts: object, result: Result]> {
  await entered();
  Object.assign(counted, { conversions: 0, storeReads: 0, storeWrites: 0 });
  const result = await work();
  const names = await entered();
  const functions = [...names.values()].reduce((sum, times) => sum + times, 0);
  const contexts = COPIES.reduce((sum, name) => sum + (names.get(name) ?? 0), 0);
  return [{ functions, contexts, ...counted }, result];
}

await post('Profiler.enable', {});
await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// The first calls convert schemas and derive keys.
await call('small');
await call('big');
const [synchronous, paid] = await count(() => call('small'));
const [asking, asked] = await count(() => call('big'));
const answer = {
  requestState: asked.requestState,
  inputResponses: { approved: { action: 'accept', content: { confirm: true } } },
};
const [answered, done] = await count(() => call('big', answer));
await served.close();
const texts = [paid.content?.[0]?.text, asked.resultType, done.content?.[0]?.text];
process.stdout.write(JSON.stringify({ texts, counts: { synchronous, asking, answered } }));
