/** The clients, with their routes and the questions that they can answer. */
import type { Era } from './adapter.js';

export interface PeerClient {
  /** The name of its package. */
  peer: string;
  /** The command or class, if a package has several. */
  part?: string;
  /** The adapter, a file in `programs/`. */
  program: string;
  routes: (readonly [Era, 'HTTP' | 'stdio'])[];
  /** The kinds of question that its user can answer. */
  answers: ('form' | 'url')[];
  /** Converts a protocol error to the client's wording. */
  words?: (message: string) => string;
  /** Converts the schema of a form, if the client does not show all of it. */
  shows?: (schema: object) => object;
  /** Set if legacy requests carry a part of the modern envelope. */
  sendsEnvelopeOnLegacy?: true;
  /** The observations, for the table. */
  saw: string;
}

const everyRoute = [
  ['modern', 'HTTP'],
  ['modern', 'stdio'],
  ['legacy', 'HTTP'],
  ['legacy', 'stdio'],
] as const;

const modernOnly = everyRoute.filter(([era]) => era === 'modern');
const legacyOnly = everyRoute.filter(([era]) => era === 'legacy');

const withoutDialect = (schema: object): object => ({ ...schema, $schema: undefined });

export const clients: PeerClient[] = [
  {
    peer: '@modelcontextprotocol/inspector',
    part: 'mcpdo',
    program: 'mcpdo',
    routes: [...everyRoute],
    answers: ['form', 'url'],
    saw: 'forms and links, accepted, declined and cancelled',
  },
  {
    peer: '@ai-sdk/mcp',
    program: 'aiSdk',
    routes: [...everyRoute],
    answers: ['form'],
    saw: 'forms, accepted, declined and cancelled; it refuses links; over stdio it speaks 2025-11-25 to a server that takes more than a second to start, unless its transport waits longer',
  },
  {
    peer: '@modelcontextprotocol/sdk',
    part: 'Client',
    program: 'sdkV1',
    routes: legacyOnly,
    answers: ['form', 'url'],
    words: (message) => `MCP error -32021: ${message}`,
    shows: withoutDialect,
    saw: 'forms and links, accepted, declined and cancelled; over HTTP in a session; it drops the `$schema` of a form',
  },
  {
    peer: '@mastra/mcp',
    program: 'mastra',
    routes: [...everyRoute],
    answers: ['form'],
    sendsEnvelopeOnLegacy: true,
    saw: 'forms, accepted, declined and cancelled; it refuses links; in 2025-11-25 it also sends a part of the modern envelope, and the server still treats it as a legacy client',
  },
  {
    peer: 'mcp-remote',
    part: '--protocol auto',
    program: 'mcpRemote',
    routes: modernOnly.filter(([, transport]) => transport === 'HTTP'),
    answers: ['form'],
    words: () =>
      'MCP error -32001: mcp-remote: the remote server asked for elicitation/create, which this proxy cannot put to a 2025-era client',
    shows: withoutDialect,
    saw: 'puts the rounds of a server to a client of 2025-11-25 on stdio: forms, accepted, declined and cancelled; it passes on that its client declares links, and ends their calls with an error',
  },
  {
    peer: 'mcp-remote',
    program: 'mcpRemote',
    routes: legacyOnly.filter(([, transport]) => transport === 'HTTP'),
    answers: ['form', 'url'],
    shows: withoutDialect,
    saw: 'passes a client of 2025-11-25 on stdio through: forms and links, accepted, declined and cancelled',
  },
  {
    peer: 'mcporter',
    program: 'mcporter',
    routes: legacyOnly,
    answers: [],
    words: (message) => `MCP error -32021: ${message}`,
    saw: 'cannot be asked: a clear error, or the fallback',
  },
  {
    peer: '@openai/agents',
    program: 'openaiAgents',
    routes: modernOnly,
    answers: [],
    saw: 'cannot be asked: a clear error, or the fallback',
  },
  {
    peer: '@modelcontextprotocol/inspector',
    part: '--cli',
    program: 'inspectorCli',
    routes: [...everyRoute],
    answers: [],
    saw: 'cannot be asked: a clear error, or the fallback',
  },
];
