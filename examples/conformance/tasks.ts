/** A server for the scenarios of the Tasks extension. Its approver decides by itself, after a while. */
import {
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
} from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  defineTool,
  elicit,
  install,
  memoryStore,
  requestStateSeal,
  resolver,
  ToolError,
} from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { approval, approvalDesk } from 'mcp-resolve/approvals';
import { serveHttp } from 'mcp-resolve/node';
import * as z from 'zod';

const seal = requestStateSeal.ephemeral({ audience: 'tasks', principal: () => 'suite' });
const store = memoryStore({ singleProcess: true });

const desk = approvalDesk({
  store,
  tasks: true,
  notify: ({ id, facts }) => {
    const approve = () =>
      desk.decide(id, { who: 'robot', groups: ['suite/approvers'], verdict: 'approve' });
    const timer = setTimeout(() => void approve(), 1000 * Number(facts[0]?.[1]));
    timer.unref();
  },
});

/** Creates a resolver that waits until the approver has decided. */
const approvedAfter = (seconds: number) =>
  resolver(
    {},
    () =>
      approval('Start the work', {
        facts: { seconds: String(seconds) },
        by: 'suite/approvers',
        requester: 'suite',
      }),
    { asks: 'approval' },
  );

const ComputeInput = z.object({ seconds: z.number(), label: z.string().optional() });
const started = resolver(
  { seconds: argsOf(ComputeInput).seconds },
  ({ seconds }) =>
    approval('Compute', {
      facts: { seconds: String(seconds) },
      by: 'suite/approvers',
      requester: 'suite',
    }),
  { asks: 'approval' },
);
const soon = approvedAfter(0.2);
/** The suite wants a tool that works only as a task. Everybody else could make the call again. */
const TASKS = { 'io.modelcontextprotocol/tasks': {} };
const pollable = resolver({}, (_, ctx) => {
  const { extensions = {} } = ctx.clientCapabilities ?? {};
  if ('io.modelcontextprotocol/tasks' in extensions) return true as const;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: TASKS } });
});
const common = { approvals: desk, once: store };

const Name = z.object({ name: z.string() });
const user_name = resolver({}, () => elicit('What is your name?', Name), { asks: Name });
const sure = resolver({ soon }, () => confirm('Delete it?'), { asks: 'form' });
const first = resolver({ soon }, () => elicit('What is your name?', Name), { asks: Name });
const second = resolver({ soon }, () => confirm('Go on?'), { asks: 'form' });

const tools: readonly Tool[] = [
  defineTool(
    'greet',
    { inputSchema: z.object({ name: z.string() }) },
    ({ name }) => `Hello, ${name}!`,
  ),
  defineTool(
    'slow_compute',
    { inputSchema: ComputeInput, resolve: { started }, ...common },
    ({ seconds }) => `Computed for ${seconds} seconds.`,
  ),
  defineTool('failing_job', { guards: [pollable], resolve: { soon }, ...common }, () => {
    throw new ToolError('The job has failed.');
  }),
  defineTool('protocol_error_job', { resolve: { soon }, ...common }, () => {
    throw new ProtocolError(-32_603, 'The job has panicked');
  }),
  defineTool(
    'confirm_delete',
    { inputSchema: z.object({ filename: z.string() }), resolve: { soon, sure }, ...common },
    ({ filename }) => `Deleted ${filename}.`,
  ),
  defineTool(
    'multi_input',
    { resolve: { soon, first, second }, ...common },
    ({ first }) => `Thank you, ${first.name}.`,
  ),
  defineTool(
    'test_tool_with_task',
    { resolve: { user_name, soon }, ...common },
    ({ user_name }) => `Hello, ${user_name.name}.`,
  ),
];

const { url } = await serveHttp(
  () => {
    const server = new McpServer({ name: 'tasks', version: '1.0.0' });
    install(server, tools, { seal });
    return server;
  },
  { port: 0 },
);
console.log(`Listening on ${url.href}`);
