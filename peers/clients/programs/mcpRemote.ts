/** `mcp-remote` in front of the client of version 1 of the SDK, which knows only stdio here. */
import { createRequire } from 'node:module';

import type { Connect } from '../adapter.js';
import { connect as connectV1 } from './sdkV1.js';

const PROGRAM = createRequire(import.meta.url).resolve('mcp-remote/dist/proxy.js');

export const connect: Connect = ({ server, era, person, home }) => {
  if (!('url' in server)) throw new Error('mcp-remote reaches servers over HTTP');
  const options = ['--transport', 'http-only', '--protocol', era === 'modern' ? 'auto' : 'legacy'];
  const command = { command: process.execPath, args: [PROGRAM, server.url, ...options] };
  return connectV1({ server: command, era, person, home });
};
