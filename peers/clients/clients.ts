/** The clients: what each can be asked, and over which ways it is driven. */
import type { Era } from './adapter.js';

export interface PeerClient {
  /** The name of its package. */
  peer: string;
  /** The command or class that is driven, where a package has several. */
  part?: string;
  /** The adapter, a file in `programs/`. */
  program: string;
  routes: (readonly [Era, 'HTTP' | 'stdio'])[];
  /** What it lets a person answer. */
  answers: ('form' | 'url')[];
  /** How it words a protocol error. */
  words?: (message: string) => string;
  /** What was seen, for the table. */
  saw: string;
}

const everyRoute = [
  ['modern', 'HTTP'],
  ['modern', 'stdio'],
  ['legacy', 'HTTP'],
  ['legacy', 'stdio'],
] as const;

export const clients: PeerClient[] = [
  {
    peer: '@modelcontextprotocol/inspector',
    part: 'mcpdo',
    program: 'mcpdo',
    routes: [...everyRoute],
    answers: ['form', 'url'],
    saw: 'forms and links, accepted, declined and cancelled',
  },
];
